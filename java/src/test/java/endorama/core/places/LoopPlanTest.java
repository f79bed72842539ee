package endorama.core.places;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.frames.ForwardingFrames;
import endorama.core.frames.FrameSource;
import endorama.core.frames.OneFrame;
import endorama.core.frames.PixelType;
import endorama.core.pairs.FrameRow;
import endorama.core.pairs.KeyFrames;
import endorama.core.pairs.KeyFrames.Key;
import endorama.core.places.LoopPlan.Candidate;
import endorama.core.transforms.Rect;
import endorama.core.transforms.Transform;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which frames far apart are compared, for made-up places: stretches of ten frames, a field of 100 x 80 px. */
class LoopPlanTest {
    private static final int STRETCH = 10;
    private static final Rect FIELD = new Rect(0, 0, 101, 81);

    private final List<FrameRow> rows = new ArrayList<FrameRow>();
    private final KeyFrames keys = new KeyFrames(FIELD);
    private double scale = 1;

    private Transform at(double x) {
        return Transform.of(new double[] {scale, 0, x, 0, scale, 0});
    }

    /** A stretch whose frames lie at x; returns its key frame. */
    private Key stretch(double x, double deviation, int part) {
        int first = rows.size();
        for (int i = 0; i < STRETCH; i++) {
            FrameRow row = new FrameRow(rows.size() + 1);
            row.registered = true;
            row.part = part;
            row.deviation = deviation;
            row.transform = at(x);
            rows.add(row);
        }
        Key key = keys.add(first, part, at(x));
        key.end = first + STRETCH;
        return key;
    }

    private void stretches(int n, double deviation) {
        for (int i = 0; i < n; i++) {
            stretch(0, deviation, 1);
        }
    }

    /** After the first round, which has the neighbours. */
    private LoopPlan begun() {
        keys.all().get(keys.all().size() - 1).end--;
        final int count = rows.size();
        FrameSource source = new ForwardingFrames(new OneFrame("", PixelType.GREY8, FIELD.right, FIELD.bottom, null)) {
            @Override
            public int count() {
                return count;
            }

            @Override
            public Object pixels(int index) {
                throw new AssertionError("a plan reads no frames");
            }
        };
        LoopPlan plan = new LoopPlan(source, keys);
        plan.plan(new Places(rows));
        return plan;
    }

    private static List<Integer> keysOf(List<Candidate> candidates, Key stretch) {
        List<Integer> frames = new ArrayList<Integer>();
        for (Candidate c : candidates) {
            if (c.stretch == stretch) {
                frames.add(c.key.frame);
            }
        }
        return frames;
    }

    @Test
    void keyFramesAreFirstComparedWithTheNextOfTheirChain() {
        stretches(4, 0.1);
        keys.all().get(1).end = STRETCH + 3;
        LoopPlan plan = begun();
        assertEquals(2, plan.near().size());
        assertEquals(STRETCH, plan.near().get(0).frame);
        assertEquals(3 * STRETCH, plan.near().get(1).frame);
    }

    /** From 0.4 of the field on; of a stretch the frame that shares most. */
    @Test
    void enoughMustBeShared() {
        for (int shift : new int[] {59, 61}) {
            rows.clear();
            keys.all().clear();
            stretch(0, 0.1, 1);
            stretch(900, 0.1, 1);
            stretch(200, 0.1, 1);
            rows.get(2 * STRETCH + 4).transform = Transform.translation(80, 0);
            rows.get(2 * STRETCH + 6).transform = Transform.translation(shift, 0);
            LoopPlan plan = begun();
            plan.plan(new Places(rows));
            assertEquals(shift < 60 ? 1 : 0, plan.near().size());
            if (shift < 60) {
                assertEquals(2 * STRETCH + 6, plan.near().get(0).frame);
                assertEquals(0.41, plan.near().get(0).overlap, 1e-9);
            }
        }
    }

    /** Of frames half as large as the first one, places are half as uncertain in their own pixels. */
    @Test
    void uncertaintyCountsInPixelsOfTheKeyFrame() {
        scale = 2;
        stretches(3, 7.98);
        LoopPlan plan = begun();
        plan.plan(new Places(rows));
        assertEquals(1, plan.near().size());
        assertEquals(0, plan.far().size());
    }

    /** Three deviations of a place are 12 px at most, or spectra have to find it. */
    @Test
    void uncertainPlacesAreLeftToSpectra() {
        for (double deviation : new double[] {3.99, 4.01, Double.NaN}) {
            rows.clear();
            keys.all().clear();
            stretches(3, deviation);
            LoopPlan plan = begun();
            assertEquals(deviation < 4 ? 2 : 0, plan.near().size());
            plan.plan(new Places(rows));
            assertEquals(deviation < 4 ? 1 : 0, plan.near().size());
            assertEquals(deviation < 4 ? 0 : 1, plan.far().size());
        }
    }

    /** Four in a round, and one more for each hundred frames. */
    @Test
    void spectraAreFew() {
        stretches(9, 100);
        LoopPlan plan = begun();
        plan.plan(new Places(rows));
        assertEquals(4, plan.far().size());
        rows.clear();
        keys.all().clear();
        stretches(29, 100);
        plan = begun();
        plan.plan(new Places(rows));
        assertEquals(6, plan.far().size());
    }

    /** Four older key frames a round, six in all. */
    @Test
    void stretchesAreTiedToFew() {
        stretches(12, 0.1);
        LoopPlan plan = begun();
        Places places = new Places(rows);
        Key last = keys.all().get(11);
        int[] planned = new int[3];
        for (int round = 0; round < 3; round++) {
            plan.plan(places);
            planned[round] = keysOf(plan.near(), last).size();
            for (Candidate c : new ArrayList<Candidate>(plan.near())) {
                if (c.stretch == last) {
                    plan.tie(c);
                }
            }
        }
        assertEquals(Arrays.asList(4, 2, 0), Arrays.asList(planned[0], planned[1], planned[2]));
    }

    /** What a key frame of the map, to which a stretch is tied, shows for seven tenths is not in the map again. */
    @Test
    void repeatedKeyFramesAreNotInTheMap() {
        for (int shift : new int[] {29, 31}) {
            rows.clear();
            keys.all().clear();
            stretch(0, 0.1, 1);
            stretch(900, 0.1, 1);
            Key repeated = stretch(shift, 0.1, 1);
            stretch(1900, 0.1, 1);
            Key last = stretch(shift, 0.1, 1);
            LoopPlan plan = begun();
            Places places = new Places(rows);
            plan.plan(places);
            assertEquals(Arrays.asList(0, repeated.frame), keysOf(plan.near(), last));
            for (Candidate c : plan.near()) {
                if (c.stretch == repeated) {
                    plan.tie(c);
                }
            }
            LoopPlan.Candidate first = plan.near().get(0);
            assertEquals(0, first.key.frame);
            plan.plan(places);
            List<Integer> again = keysOf(plan.far(), last);
            assertEquals(shift > 30, again.contains(repeated.frame), again.toString());
        }
    }

    @Test
    void otherPartsAndNeighboursAreNotCompared() {
        stretch(0, 0.1, 1);
        stretch(0, 0.1, 1);
        stretch(0, 0.1, 2);
        LoopPlan plan = begun();
        plan.plan(new Places(rows));
        assertTrue(plan.near().isEmpty() && plan.far().isEmpty());
    }

    /** Two frames of a part, its middle and its last, with up to eight key frames of every larger one; 32 in all. */
    @Test
    void partsAreTiedByTheirMiddleAndTheirEnd() {
        for (int i = 0; i < 20; i++) {
            stretch(500 * i, 0.1, 1);
        }
        stretch(0, 0.1, 2);
        LoopPlan plan = begun();
        plan.planTies(new Places(rows));
        assertEquals(16, plan.far().size());
        for (Candidate c : plan.far()) {
            assertTrue(c.frame == 204 || c.frame == 209, "frame " + c.frame);
            assertEquals(0, c.key.frame % 10);
        }
        assertEquals(Arrays.asList(0, 0, 20, 20, 50, 50, 70, 70, 100, 100, 120, 120, 150, 150, 170, 170), frames(plan));
        stretch(0, 0.1, 3);
        stretch(0, 0.1, 4);
        plan.planTies(new Places(rows));
        assertEquals(32, plan.far().size());
    }

    private static List<Integer> frames(LoopPlan plan) {
        List<Integer> frames = new ArrayList<Integer>();
        for (Candidate c : plan.far()) {
            frames.add(c.key.frame);
        }
        return frames;
    }
}
