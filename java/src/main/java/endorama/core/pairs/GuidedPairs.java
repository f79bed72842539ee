package endorama.core.pairs;

import endorama.core.frames.FrameSource;
import endorama.core.pairs.FrameRow.Status;
import endorama.core.transforms.Drift;
import endorama.core.transforms.Transform;
import endorama.jni.NativeFrames;
import endorama.jni.NativeTransforms;
import endorama.jni.PairResults;
import endorama.jni.RegisterOptions;
import java.util.ArrayList;
import java.util.List;

/** Pairs of frames of which is known about how they lie to each other; registered in one call. */
public final class GuidedPairs {
    /** A pair far apart in time counts from this quality on; see {@link PairMatch#DOUBTFUL_QUALITY}. */
    private static final double LEAST_QUALITY = PairMatch.DOUBTFUL_QUALITY;

    /** Landmarks along each side at least: what these pairs say counts more than the chain. */
    private static final int LANDMARKS = 16;

    private final List<Integer> frames = new ArrayList<Integer>();
    private final List<Integer> slots = new ArrayList<Integer>();
    private final List<Transform> starts = new ArrayList<Transform>();

    /**
     * Adds a pair.
     *
     * @param start current -&gt; reference, about
     */
    public void add(int reference, int referenceSlot, int current, int currentSlot, Transform start) {
        frames.add(reference);
        frames.add(current);
        slots.add(referenceSlot);
        slots.add(currentSlot);
        starts.add(start);
    }

    public int size() {
        return starts.size();
    }

    /** The frame of pair i that is put onto its reference. */
    public int current(int i) {
        return frames.get(2 * i + 1);
    }

    /** Those that are where their starts say, up to a distance of the corners, px (root mean square). */
    public List<Link> near(NativeFrames store, RegisterOptions options, FrameSource source, double distance) {
        List<Link> links = new ArrayList<Link>();
        RegisterOptions quick = options.copy();
        quick.quality = false;
        refine(quick);
        PairResults results = store.registerFrom(slots(), starts(), quick);
        for (int i = 0; i < results.size(); i++) {
            PairMatch match = new PairMatch(results, i, frames.get(2 * i), 0, 0, 0);
            if (match.status == Status.OK
                    && Drift.rms(match.step, starts.get(i), source.width(), source.height()) <= distance) {
                links.add(match.link(current(i)));
            }
        }
        return links;
    }

    /** How each lies about where its start says; null where nothing is certain. One entry a pair. */
    public List<PairMatch> near(NativeFrames store, RegisterOptions options, Plausibility plausibility) {
        RegisterOptions precise = options.copy();
        precise.quality = true;
        refine(precise);
        return checked(store, store.registerFrom(slots(), starts(), precise), plausibility);
    }

    private List<PairMatch> checked(NativeFrames store, PairResults results, Plausibility plausibility) {
        NativeTransforms steps = new NativeTransforms(results.size());
        for (int i = 0; i < results.size(); i++) {
            Transform.of(results.kind(i), results.matrix(i)).put(steps, i);
        }
        int[] agreement = store.agreement(slots(), steps);
        List<PairMatch> matches = new ArrayList<PairMatch>();
        for (int i = 0; i < results.size(); i++) {
            PairMatch match = new PairMatch(results, i, frames.get(2 * i), agreement[2 * i], agreement[2 * i + 1], 0);
            boolean believed = match.status == Status.OK && match.quality >= LEAST_QUALITY
                    && !plausibility.isWild(match.differing) && match.step.isInvertible();
            matches.add(believed ? match : null);
        }
        return matches;
    }

    /** What is refined on the intensities does not depend on how many landmarks there are. */
    private static void refine(RegisterOptions options) {
        if (options.method == RegisterOptions.PAPER) {
            options.landmarks = Math.max(options.landmarks, LANDMARKS);
        }
    }

    private NativeTransforms starts() {
        NativeTransforms list = new NativeTransforms(starts.size());
        for (int i = 0; i < starts.size(); i++) {
            starts.get(i).put(list, i);
        }
        return list;
    }

    private int[] slots() {
        return slots.stream().mapToInt(Integer::intValue).toArray();
    }
}
