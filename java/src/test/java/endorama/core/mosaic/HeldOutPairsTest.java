package endorama.core.mosaic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.pairs.FrameRow;
import endorama.core.pairs.Link;
import endorama.core.places.Places;
import endorama.core.transforms.Drift;
import endorama.core.transforms.Transform;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which pairs are held out, and when they speak for homographies. */
class HeldOutPairsTest {
    private static final int W = 200;
    private static final int H = 160;

    /** Frames of one chain, so many px apart. */
    private static Places apart(int frames, double px) {
        List<FrameRow> rows = new ArrayList<FrameRow>();
        for (int i = 0; i < frames; i++) {
            FrameRow row = new FrameRow(i + 1);
            row.registered = true;
            row.reference = Math.max(1, i);
            row.transform = Transform.translation(px * i, 0);
            rows.add(row);
        }
        return new Places(rows, Collections.<Link>emptyList(), W, H);
    }

    private static List<Link> chosen(int frames, List<Link> known, double overlap) {
        return HeldOutPairs.choose(frames, apart(frames, 4), known, (a, b) -> overlap);
    }

    /** Twelve of each distance, or as many as there are. */
    @Test
    void pairsOfFourDistancesAreHeldOut() {
        List<Link> pairs = chosen(100, Collections.<Link>emptyList(), 1);
        int[] count = new int[25];
        for (Link pair : pairs) {
            count[pair.current - pair.reference]++;
            assertEquals(4 * (pair.current - pair.reference), pair.step.m02, 1e-9);
        }
        assertEquals(Arrays.asList(12, 12, 12, 12, 48), Arrays.asList(count[2], count[4], count[8], count[16], pairs.size()));
        assertEquals(8 + 6 + 2, chosen(10, Collections.<Link>emptyList(), 1).size());
        assertEquals(0, chosen(2, Collections.<Link>emptyList(), 1).size());
    }

    @Test
    void pairsThatAreKnownAreNot() {
        List<Link> known = new ArrayList<Link>();
        for (int i = 0; i < 4; i++) {
            known.add(new Link(i, i + 4, Transform.IDENTITY, 0.1, false));
            known.add(new Link(i, i + 1, Transform.IDENTITY, 0.1, false));
        }
        assertEquals(8 + 2 + 2, chosen(10, known, 1).size());
    }

    @Test
    void framesThatShareTooLittleAreNot() {
        assertEquals(16, chosen(10, Collections.<Link>emptyList(), 0.4).size());
        assertEquals(0, chosen(10, Collections.<Link>emptyList(), 0.39).size());
    }

    /** Places 4 px apart, or 5 as homographies say, and pairs of frames three apart, of this many px a frame. */
    private static boolean speak(double... found) {
        List<Link> pairs = new ArrayList<Link>();
        for (int i = 0; i < found.length; i++) {
            double[] shift = {1, 0, 3 * found[i], 0, 1, 0, 0, 0, 1};
            pairs.add(new Link(i, i + 3, Transform.of(Transform.Kind.HOMOGRAPHY, shift), 0.1, false));
        }
        // Of one that could not be registered nothing is known.
        pairs.add(new Link(0, 5, Transform.translation(20, 0), 0, false));
        return HeldOutPairs.speakFor(pairs, apart(20, 5), apart(20, 4), W, H);
    }

    private static double[] alike(int n, double found) {
        double[] all = new double[n];
        Arrays.fill(all, found);
        return all;
    }

    @Test
    void eightPairsDecide() {
        assertTrue(speak(alike(8, 4.9)));
        assertFalse(speak(alike(7, 4.9)));
    }

    /** The distances are 5 - x and x - 4. */
    @Test
    void clearlyIsByAFifth() {
        assertTrue(speak(alike(8, 4 + 1 / 1.79)));
        assertFalse(speak(alike(8, 4 + 1 / 1.81)));
    }

    @Test
    void mostPairsMustSpeakForThem() {
        double[] found = alike(8, 4.9);
        found[0] = 4.1;
        found[1] = 4.1;
        assertTrue(speak(found));
        found[2] = 4.1;
        assertFalse(speak(found));
    }

    /** What crosses the horizon is far from everything. */
    @Test
    void placesBeyondTheHorizonAreFar() {
        Transform steep = Transform.perspective(-0.02, 0, (W - 1) / 2.0, (H - 1) / 2.0);
        assertEquals(Double.POSITIVE_INFINITY, Drift.overFrame(steep, Transform.IDENTITY, W, H));
        assertEquals(5, Drift.overFrame(Transform.translation(3, 4), Transform.IDENTITY, W, H), 1e-12);
        // Root mean square of 0.01 x over the frame, x from the middle.
        assertEquals(0.01 * W / Math.sqrt(12), Drift.overFrame(Transform.of(new double[] {1.01, 0, -0.995, 0, 1, 0}),
                Transform.IDENTITY, W, H), 1e-9);
    }
}
