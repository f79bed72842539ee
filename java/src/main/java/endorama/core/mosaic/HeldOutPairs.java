package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.frames.FrameSource;
import endorama.core.pairs.KeyFrames;
import endorama.core.pairs.Link;
import endorama.core.places.Places;
import endorama.core.transforms.Drift;
import endorama.core.transforms.Transform;
import endorama.jni.RegisterOptions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToDoubleBiFunction;

/**
 * Pairs that no places follow from: they say which of two ways to see a sequence, by affine maps or by homographies, has its
 * frames where they are. They are registered as homographies, which hold both, from where the affine maps put them.
 */
final class HeldOutPairs {
    /** Frames between the two of a pair, and pairs of each such distance at most. */
    private static final int[] DISTANCES = {2, 4, 8, 16};
    private static final int MOST = 12;
    /** Share of the field of view that both frames of a pair show, at least. */
    private static final double LEAST_OVERLAP = 0.4;
    /** Fewer pairs decide nothing. */
    private static final int LEAST = 8;
    /** So many of the pairs must lie nearer to where the homographies put them; */
    private static final double SHARE = 0.75;
    /** and their median distance be so many times that from where the affine maps do, at most. */
    private static final double CLEARLY = 0.8;

    private final List<Link> pairs;
    private final SecondLook look;

    /** Chooses the pairs; known: those that places follow from. */
    HeldOutPairs(FrameSource source, MosaicResources with, RegisterOptions options, KeyFrames keys, Places straight,
            List<Link> known, LoggedProgress progress) {
        pairs = choose(source.count(), straight, known, keys::overlap);
        look = SecondLook.aslant(source, with, options, pairs, progress);
    }

    /** Spread evenly over the sequence, where the places have them. */
    static List<Link> choose(int frames, Places places, List<Link> known, ToDoubleBiFunction<Transform, Transform> overlap) {
        Set<Long> taken = new HashSet<Long>();
        for (Link link : known) {
            taken.add((long) link.reference * frames + link.current);
        }
        List<Link> chosen = new ArrayList<Link>();
        for (int distance : DISTANCES) {
            int room = frames - distance;
            int n = Math.min(MOST, room);
            for (int i = 0; i < n; i++) {
                int a = (int) ((long) room * i / n);
                int b = a + distance;
                boolean isFree = !taken.contains((long) a * frames + b);
                if (isFree && places.part(a) > 0 && places.part(a) == places.part(b)
                        && overlap.applyAsDouble(places.place(a), places.place(b)) >= LEAST_OVERLAP) {
                    chosen.add(new Link(a, b, step(places, a, b), 0, false));
                }
            }
        }
        return chosen;
    }

    private static Transform step(Places places, int reference, int current) {
        return places.place(reference).inverse().multiply(places.place(current));
    }

    boolean done() {
        return look.done();
    }

    /** The next few. */
    void step() {
        look.step();
    }

    /** They lie clearly nearer to where homographies put them. */
    boolean speakFor(Places bent, Places straight, int width, int height) {
        return speakFor(pairs, bent, straight, width, height);
    }

    /** The same of pairs of frames of width x height px; those that are no homographies could not be registered. */
    static boolean speakFor(List<Link> pairs, Places bent, Places straight, int width, int height) {
        List<Double> near = new ArrayList<Double>();
        List<Double> far = new ArrayList<Double>();
        int nearer = 0;
        for (Link pair : pairs) {
            int part = bent.part(pair.reference);
            if (pair.step.isHomography() && part > 0 && part == bent.part(pair.current)) {
                near.add(Drift.overFrame(pair.step, step(bent, pair.reference, pair.current), width, height));
                far.add(Drift.overFrame(pair.step, step(straight, pair.reference, pair.current), width, height));
                nearer += near.get(near.size() - 1) < far.get(far.size() - 1) ? 1 : 0;
            }
        }
        return near.size() >= LEAST && nearer >= SHARE * near.size() && median(near) <= CLEARLY * median(far);
    }

    private static double median(List<Double> numbers) {
        numbers.sort(null);
        return numbers.get(numbers.size() / 2);
    }
}
