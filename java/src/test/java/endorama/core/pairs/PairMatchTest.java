package endorama.core.pairs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.jni.NativeTransforms;
import endorama.jni.PairResults;
import endorama.jni.TestPair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which registrations are good enough to go on with, and how surely they are known. */
class PairMatchTest {
    private static PairMatch match(int status, int found, double quality, double deviation) {
        return new PairMatch(TestPair.of(status, found, quality, deviation), 0, 4, 0, 0, 0);
    }

    /** A pair of few landmarks has to have a quality, and a better one after a failure, or if next to none were found. */
    @ParameterizedTest
    @CsvSource({"3, false, 0.29, false", "3, false, 0.31, true", "2, false, 0.59, false", "2, false, 0.61, true",
        "3, true, 0.59, false", "3, true, 0.61, true", "50, true, NaN, false"})
    void fewLandmarksNeedQuality(int found, boolean afterFailure, double quality, boolean counts) {
        assertEquals(counts, match(PairResults.FEW_LANDMARKS, found, quality, 0.1).counts(afterFailure));
    }

    @Test
    void otherStatesDecideAlone() {
        assertTrue(match(PairResults.OK, 0, Double.NaN, 0.1).counts(true));
        assertFalse(match(PairResults.NO_TEXTURE, 50, 1, 0.1).counts(false));
        assertFalse(match(PairResults.JUMP, 50, 1, 0.1).counts(false));
    }

    /** A fiftieth of a pixel is common to all landmarks; what is not known is known to two pixels. */
    @Test
    void linksKnowHowSureTheyAre() {
        Link link = match(PairResults.OK, 9, 1, 0.015).link(7);
        assertEquals(0.025, link.deviation, 1e-12);
        assertEquals(4, link.reference);
        assertEquals(7, link.current);
        assertFalse(link.doubtful);
        assertEquals(2, match(PairResults.FEW_LANDMARKS, 9, 1, Double.NaN).link(7).deviation);
        assertTrue(match(PairResults.FEW_LANDMARKS, 9, 1, 0.1).link(7).doubtful);
    }

    /** Of a frame that shows four times the area the deviation is twice that over the reference; of one that shows less, that. */
    @ParameterizedTest
    @CsvSource({"2, 2, 0.03", "4, 1, 0.03", "0.5, 0.5, 0.015"})
    void whatLiesBeyondTheReferenceIsKnownLess(double across, double down, double told) {
        PairResults seen = TestPair.grown(TestPair.of(PairResults.OK, 9, 1, 0.015), across, down, NativeTransforms.AFFINE);
        assertEquals(Math.hypot(0.02, told), new PairMatch(seen, 0, 4, 0, 0, 0).link(7).deviation, 1e-12);
        PairResults bent = TestPair.grown(TestPair.of(PairResults.OK, 9, 1, 0.015), across, down, NativeTransforms.HOMOGRAPHY);
        assertEquals(0.025, new PairMatch(bent, 0, 4, 0, 0, 0).link(7).deviation, 1e-12);
    }

    /** Of fewer than eight tiles no share is told. */
    @Test
    void fewTilesTellNothing() {
        PairResults results = TestPair.of(PairResults.OK, 9, 1, 0.1);
        assertEquals(0, new PairMatch(results, 0, 0, 7, 6, 0).differing);
        assertEquals(0, new PairMatch(results, 0, 0, 7, 6, 0).tile);
        assertEquals(0.125, new PairMatch(results, 0, 0, 8, 6, 0).tile);
        assertEquals(0.75, new PairMatch(results, 0, 0, 8, 6, 0).differing);
    }
}
