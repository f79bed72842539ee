package endorama.core.pairs;

import endorama.core.engine.PlacedFrame;
import endorama.core.transforms.Transform;
import endorama.jni.NativeFrames;
import endorama.jni.NativeTransforms;
import endorama.jni.PairResults;
import endorama.jni.RegisterOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Frames registered and compared in one native call each, every one against the readable one before it. */
public final class PairBatch {
    private final Map<Integer, Integer> pairOf = new HashMap<Integer, Integer>();
    private final Map<Integer, Integer> referenceOf = new HashMap<Integer, Integer>();
    private final PairResults results;
    /** Two numbers a pair: {@link NativeFrames#agreement}. */
    private final int[] agreement;
    private final double timeMs;

    /**
     * Registers frames from..; the first readable one against one before them, which may be null.
     *
     * @param slots of the frames; -1 where a frame could not be read
     * @param known pairs that are left out
     */
    PairBatch(NativeFrames frames, RegisterOptions options, PlacedFrame before, int from,
            List<Integer> slots, RememberedPairs known) {
        List<Integer> list = new ArrayList<Integer>();
        int reference = before == null ? -1 : before.frame;
        int referenceSlot = before == null ? -1 : before.slot;
        for (int i = 0; i < slots.size(); i++) {
            if (slots.get(i) < 0) {
                continue;
            }
            if (reference >= 0 && known.get(reference, from + i) == null) {
                pairOf.put(from + i, list.size() / 2);
                referenceOf.put(from + i, reference);
                list.addAll(Arrays.asList(referenceSlot, slots.get(i)));
            }
            reference = from + i;
            referenceSlot = slots.get(i);
        }
        int[] pairs = list.stream().mapToInt(Integer::intValue).toArray();
        long start = System.nanoTime();
        results = frames.register(pairs, options);
        agreement = frames.agreement(pairs, steps());
        timeMs = (System.nanoTime() - start) / 1e6 / Math.max(1, results.size());
    }

    /** One frame against one. */
    static PairBatch single(NativeFrames frames, RegisterOptions options, PlacedFrame before, int frame,
            int slot, RememberedPairs known) {
        return new PairBatch(frames, options, before, frame, Arrays.asList(slot), known);
    }

    private NativeTransforms steps() {
        NativeTransforms steps = new NativeTransforms(results.size());
        for (int i = 0; i < results.size(); i++) {
            Transform.of(results.kind(i), results.matrix(i)).put(steps, i);
        }
        return steps;
    }

    /** The frame that this one was registered against; -1 if it was not. */
    int reference(int frame) {
        Integer reference = referenceOf.get(frame);
        return reference == null ? -1 : reference;
    }

    /** What was found for a frame that was registered. */
    PairMatch match(int frame) {
        int i = pairOf.get(frame);
        return new PairMatch(results, i, referenceOf.get(frame), agreement[2 * i], agreement[2 * i + 1], timeMs);
    }
}
