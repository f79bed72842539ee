package endorama.core.mosaic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelType;
import endorama.core.frames.TestFrames;
import endorama.core.options.MosaicParameters;
import endorama.core.pairs.FrameRow;
import endorama.core.pairs.FrameRow.Status;
import endorama.core.transforms.Drift;
import endorama.core.transforms.Transform;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sequences that are interrupted: what comes after belongs to what was before. */
class LostAndFoundTest {
    private static final int W = 240;
    private static final int H = 200;
    private static final int FRAMES = 64;
    private static final int BEFORE = 22;

    private static TestFrames demo(int frames, long seed) {
        return TestFrames.demo(W, H, frames, seed);
    }

    private static MosaicResult run(FrameSource source, String... options) throws FrameReadException {
        MosaicParameters parameters = MosaicParameters.defaults();
        for (int i = 0; i < options.length; i += 2) {
            parameters = parameters.with(options[i], options[i + 1]);
        }
        MosaicResult result = new MosaicSession(source, parameters, Progress.NONE).run();
        assertNull(result.failure());
        return result;
    }

    private static String log(MosaicResult result) {
        return result.summary() + "\n" + String.join("\n", result.log());
    }

    /** The frames around a gap lie in one panorama, where they belong. */
    private static void assertGoesOn(MosaicResult result, TestFrames frames, int gap) {
        for (FrameRow row : result.rows()) {
            boolean inGap = row.frame > BEFORE && row.frame <= BEFORE + gap;
            if (!inGap) {
                assertTrue(row.registered, row.frame + ": " + log(result));
                assertEquals(1, row.part, row.frame + ": " + log(result));
                double error = Drift.rms(frames.truth().get(row.frame), row.transform, W, H);
                assertTrue(error < 6, row.frame + ": error " + error + "\n" + log(result));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8, 13, 30})
    void scopeThatComesBackAfterBlackFramesGoesOn(int gap) throws FrameReadException {
        TestFrames frames = demo(FRAMES, 5);
        for (int i = 0; i < gap; i++) {
            frames.set(BEFORE + i, new int[W * H]);
        }
        MosaicResult result = run(frames, "solve", gap > 8 ? "Global" : "None");
        assertGoesOn(result, frames, gap);
        assertEquals(FRAMES - gap, result.registered(), log(result));
        assertEquals(1, result.panoramas().size());
        assertEquals(Status.NO_TEXTURE, result.rows().get(BEFORE).status);
    }

    /** Frames of another scene are a panorama of their own, unless there is only one of them. */
    @ParameterizedTest
    @ValueSource(ints = {1, 5, 20})
    void framesOfAnotherSceneAreAPartOfTheirOwn(int gap) throws FrameReadException {
        TestFrames frames = demo(FRAMES, 5);
        TestFrames other = demo(gap, 77);
        for (int i = 0; i < gap; i++) {
            frames.set(BEFORE + i, other.get(i));
        }
        MosaicResult result = run(frames);
        int part = FRAMES - gap >= gap ? 1 : 2;
        for (FrameRow row : result.rows()) {
            boolean inGap = row.frame > BEFORE && row.frame <= BEFORE + gap;
            int wanted = !inGap ? part : gap == 1 ? 0 : 3 - part;
            assertEquals(wanted, row.part, "frame " + row.frame + "\n" + log(result));
            assertEquals(wanted > 0, row.registered, "frame " + row.frame);
            Transform truth = inGap ? other.truth().get(row.frame - BEFORE) : frames.truth().get(row.frame);
            if (wanted > 0) {
                double error = Drift.rms(truth, row.transform, W, H);
                assertTrue(error < 3, row.frame + ": error " + error + "\n" + log(result));
            }
        }
        assertEquals(gap == 1 ? 1 : 2, result.panoramas().size());
        assertFalse(result.complete());
    }

    /** One scene after the other, each too short for the chain before to end. */
    @Test
    void shortScenesAreEachAPart() throws FrameReadException {
        TestFrames sequence = new TestFrames(W, H, PixelType.RGB32);
        int[] lengths = {4, 3, 2};
        for (int scene = 0; scene < lengths.length; scene++) {
            TestFrames frames = demo(4, 5 + 72 * scene);
            for (int i = 0; i < lengths[scene]; i++) {
                sequence.add(frames.get(i));
            }
        }
        MosaicResult result = run(sequence);
        assertEquals(9, result.registered(), log(result));
        for (FrameRow row : result.rows()) {
            assertEquals(row.frame <= 4 ? 1 : row.frame <= 7 ? 2 : 3, row.part, row.frame + ": " + log(result));
        }
    }

    /** Where every frame of an interruption is another scene, what comes after it still finds its place. */
    @ParameterizedTest
    @ValueSource(ints = {11, 13})
    void scopeThatComesBackAfterManyScenesGoesOn(int gap) throws FrameReadException {
        TestFrames frames = demo(48, 5);
        for (int i = 0; i < gap; i++) {
            frames.set(BEFORE + i, demo(1, 150 + i).get(0));
        }
        MosaicResult result = run(frames);
        assertGoesOn(result, frames, gap);
        assertEquals(48 - gap, result.registered(), log(result));
        assertEquals(1, result.panoramas().size());
    }

    /** It came back to where it was lost, which is closer than any key frame, though another scene was between. */
    @Test
    void scopeThatComesBackIsLookedForWhereItWasLost() throws FrameReadException {
        TestFrames frames = demo(20, 5);
        TestFrames sequence = new TestFrames(W, H, PixelType.RGB32);
        for (int i = 0; i < 12; i++) {
            sequence.add(frames.get(i));
        }
        TestFrames other = demo(12, 77);
        for (int i = 0; i < 12; i++) {
            sequence.add(other.get(i));
        }
        for (int i = 12; i < 20; i++) {
            sequence.add(frames.get(i));
        }
        MosaicResult result = run(sequence);
        assertTrue(log(result).contains("frame 25: found beside frame 12"), log(result));
        for (FrameRow row : result.rows()) {
            boolean between = row.frame > 12 && row.frame <= 24;
            assertEquals(between ? 2 : 1, row.part, row.frame + ": " + log(result));
            Transform truth = between ? other.truth().get(row.frame - 12)
                    : frames.truth().get(row.frame > 24 ? row.frame - 12 : row.frame);
            double error = Drift.rms(truth, row.transform, W, H);
            assertTrue(error < 3, row.frame + ": error " + error + "\n" + log(result));
        }
    }

    @Test
    void whereChainsFindNobodyLessTroubleIsTaken() {
        LostAndFound lost = new LostAndFound(null, null, null);
        for (int alone = 0; alone < 20; alone++) {
            assertEquals(alone >= 3, lost.findsNobody(), alone + " chains");
            assertEquals(alone < 3 || alone % 8 == 0, lost.looksAtOnce(), alone + " chains");
            lost.ended(true);
        }
        lost.ended(false);
        assertFalse(lost.findsNobody());
    }

    /** Nothing goes with anything: the first frame is the panorama, and no frame is registered with another. */
    @Test
    void unrelatedFramesAreNoPanorama() throws FrameReadException {
        TestFrames frames = new TestFrames(W, H, PixelType.RGB32);
        for (int i = 0; i < 14; i++) {
            frames.add(demo(1, 50 + i).get(0));
        }
        MosaicResult result = run(frames);
        assertEquals(1, result.registered(), log(result));
        assertEquals(1, result.panoramas().size());
        assertEquals("1 ok, 0 doubtful, 13 not registered", result.summary());
        assertEquals(Status.JUMP, result.rows().get(7).status);
    }
}
