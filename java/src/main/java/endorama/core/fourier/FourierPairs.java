package endorama.core.fourier;

import endorama.core.engine.FrameStore;
import endorama.core.frames.FrameReadException;
import endorama.core.transforms.Rect;
import endorama.core.transforms.Transform;
import endorama.jni.FourierOptions;
import endorama.jni.FourierResults;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The pairs of one chunk: most are registered in one call, the others when somebody asks. */
final class FourierPairs {
    /** How a frame lies in its reference. */
    final class Match {
        private final FourierResults results;
        private final int i;
        private final Transform transform;

        private Match(FourierResults results, int i, Rect reference, Rect current) {
            this.results = results;
            this.i = i;
            this.transform = Transform.translation(reference.left, reference.top)
                    .multiply(Transform.of(Transform.Kind.values()[results.kind(i)], results.matrix(i)))
                    .multiply(Transform.translation(-current.left, -current.top));
        }

        boolean ok() {
            return results.status(i) == FourierResults.OK;
        }

        /** Frame -&gt; reference, of whole images. */
        Transform transform() {
            return transform;
        }

        /** Copies what describes the pair but not where it leads. */
        void describe(FourierRow row) {
            double x = (width - 1) / 2.0;
            double y = (height - 1) / 2.0;
            row.angle = results.angle(i);
            row.scale = results.scale(i);
            row.dx = transform.applyX(x, y) - x;
            row.dy = transform.applyY(x, y) - y;
            row.peak = results.peak(i);
            row.ratio = results.ratio(i);
            row.overlap = results.overlap(i);
            row.ncc = results.ncc(i);
            row.status = ok() ? FourierRow.Status.OK : results.status(i) == FourierResults.NO_CONTENT
                    ? FourierRow.Status.NO_CONTENT : FourierRow.Status.LOW_CERTAINTY;
        }
    }

    private final FrameStore store;
    private final ComparedFrames frames;
    private final int width;
    private final int height;
    private final FourierOptions options;
    private final Map<Long, Match> known = new HashMap<Long, Match>();

    /** width, height: of a whole frame. */
    FourierPairs(FrameStore store, ComparedFrames frames, int width, int height, FourierOptions options) {
        this.store = store;
        this.frames = frames;
        this.width = width;
        this.height = height;
        this.options = options;
    }

    /** Registers, in one call, the pairs that will be asked for; reference, frame, reference, frame ... */
    void compute(List<Integer> pairs) throws FrameReadException {
        int n = pairs.size() / 2;
        int[] asked = new int[6 * n];
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < 2; k++) {
                int frame = pairs.get(2 * i + k);
                asked[6 * i + k] = store.read(frame);
                asked[6 * i + 2 + 2 * k] = frames.part(frame).width();
                asked[6 * i + 3 + 2 * k] = frames.part(frame).height();
            }
        }
        FourierResults results = store.frames().registerFourier(asked, options);
        for (int i = 0; i < n; i++) {
            int reference = pairs.get(2 * i);
            int frame = pairs.get(2 * i + 1);
            known.put(key(reference, frame), new Match(results, i, frames.part(reference), frames.part(frame)));
        }
    }

    Match get(int reference, int frame) throws FrameReadException {
        if (!known.containsKey(key(reference, frame))) {
            compute(Arrays.asList(reference, frame));
        }
        return known.get(key(reference, frame));
    }

    private static long key(int reference, int frame) {
        return (long) reference << 32 | frame;
    }
}
