package endorama.core.exposures;

import endorama.core.engine.FrameStore;
import endorama.core.frames.FrameReadException;
import endorama.jni.ExposureOptions;
import endorama.jni.ExposureResults;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The shifts of one chunk: most are computed in one call, the others when somebody asks. */
final class ExposurePairs {
    /** The shift from a frame to its reference. */
    static final class Shift {
        private final ExposureResults results;
        private final int i;

        private Shift(ExposureResults results, int i) {
            this.results = results;
            this.i = i;
        }

        boolean ok() {
            return results.status(i) == ExposureResults.OK;
        }

        boolean hasContent() {
            return results.status(i) != ExposureResults.NO_CONTENT;
        }

        double dx() {
            return results.dx(i);
        }

        double dy() {
            return results.dy(i);
        }

        /** For the filter of a video's path. */
        double[] measurement() {
            return new double[] {dx(), dy(), results.certainty(i), results.deviationX(i), results.deviationY(i)};
        }

        /** Copies what describes the shift but not where it leads. */
        void describe(ExposureRow row) {
            row.peak = results.peak(i);
            row.certainty = results.certainty(i);
            row.mismatch = results.mismatch(i);
            row.usable = results.usable(i);
            row.status = ok() ? ExposureRow.Status.OK : hasContent() ? ExposureRow.Status.LOW_CERTAINTY
                    : ExposureRow.Status.NO_CONTENT;
        }
    }

    private final FrameStore store;
    private final ExposureOptions options;
    private final Map<Long, Shift> known = new HashMap<Long, Shift>();

    ExposurePairs(FrameStore store, ExposureOptions options) {
        this.store = store;
        this.options = options;
    }

    /** Computes, in one call, the shifts that will be asked for; reference, frame, reference, frame ... */
    void compute(List<Integer> pairs) throws FrameReadException {
        int[] slots = new int[pairs.size()];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = store.read(pairs.get(i));
        }
        ExposureResults results = store.frames().alignExposures(slots, options);
        for (int i = 0; i < results.size(); i++) {
            known.put(key(pairs.get(2 * i), pairs.get(2 * i + 1)), new Shift(results, i));
        }
    }

    Shift get(int reference, int frame) throws FrameReadException {
        if (!known.containsKey(key(reference, frame))) {
            List<Integer> pair = new ArrayList<Integer>();
            pair.add(reference);
            pair.add(frame);
            compute(pair);
        }
        return known.get(key(reference, frame));
    }

    private static long key(int reference, int frame) {
        return (long) reference << 32 | frame;
    }
}
