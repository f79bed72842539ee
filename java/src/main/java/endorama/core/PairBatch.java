package endorama.core;

import endorama.core.FrameRow.Status;
import endorama.jni.NativeFrames;
import endorama.jni.PairResults;
import endorama.jni.RegisterOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Frames registered in one native call, each against the readable one before it. */
final class PairBatch {
    private final Map<Integer, Integer> pairOf = new HashMap<Integer, Integer>();
    private final Map<Integer, Integer> referenceOf = new HashMap<Integer, Integer>();
    private final PairResults results;
    private final double timeMs;

    /**
     * Registers frames from..; the first readable one against last, which may be null.
     *
     * @param slots of the frames; -1 where a frame could not be read
     */
    PairBatch(NativeFrames frames, RegisterOptions options, PanoramaCanvas.Item last, int from,
            List<Integer> slots) {
        List<Integer> pairs = new ArrayList<Integer>();
        int reference = last == null ? -1 : last.frame;
        int referenceSlot = last == null ? -1 : last.slot;
        for (int i = 0; i < slots.size(); i++) {
            if (slots.get(i) < 0) {
                continue;
            }
            if (reference >= 0) {
                pairOf.put(from + i, pairs.size() / 2);
                referenceOf.put(from + i, reference);
                pairs.addAll(Arrays.asList(referenceSlot, slots.get(i)));
            }
            reference = from + i;
            referenceSlot = slots.get(i);
        }
        long start = System.nanoTime();
        results = frames.register(ints(pairs), options);
        timeMs = (System.nanoTime() - start) / 1e6 / Math.max(1, results.size());
    }

    /** One frame against one. */
    static PairBatch single(NativeFrames frames, RegisterOptions options, PanoramaCanvas.Item last, int frame,
            int slot) {
        return new PairBatch(frames, options, last, frame, Arrays.asList(slot));
    }

    private static int[] ints(List<Integer> list) {
        int[] array = new int[list.size()];
        for (int i = 0; i < array.length; i++) {
            array[i] = list.get(i);
        }
        return array;
    }

    /** The frame that this one was registered against; -1 if it was not. */
    int reference(int frame) {
        Integer reference = referenceOf.get(frame);
        return reference == null ? -1 : reference;
    }

    /** Copies what was found into a row, and returns frame -&gt; reference. */
    Transform fill(FrameRow row, int frame) {
        int i = pairOf.get(frame);
        row.landmarks = results.landmarks(i);
        row.found = results.found(i);
        row.used = results.used(i);
        row.coefficient = results.meanCoefficient(i);
        row.quality = results.quality(i);
        row.computed = results.computed(i);
        row.reused = results.reused(i);
        row.status = Status.values()[results.status(i)];
        row.timeMs = timeMs;
        return Transform.of(results.kind(i), results.matrix(i));
    }
}
