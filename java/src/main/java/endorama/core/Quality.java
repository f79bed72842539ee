package endorama.core;

import endorama.jni.FramesOptions;
import endorama.jni.NativeContext;
import endorama.jni.NativeTransforms;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** How well transforms fit a sequence: the 5 x 5 measure of frames that are some distance apart. */
public final class Quality {
    /** Names of the columns of the table. */
    public static final List<String> COLUMNS = Collections.unmodifiableList(
            Arrays.asList("frame", "reference", "quality"));
    private static final int CHUNK_PIXELS = 8000000;

    /** One pair. */
    public static final class Row {
        /** Numbers of the frames, from 1. */
        public final int frame, reference;
        /** -1..1; NaN where undefined. */
        public final double quality;

        Row(int frame, int reference, double quality) {
            this.frame = frame;
            this.reference = reference;
            this.quality = quality;
        }
    }

    private final List<Row> rows = new ArrayList<Row>();
    private final int count;
    private int next;
    private boolean cancelled;

    private Quality(int count) {
        this.count = count;
    }

    /**
     * Measures every frame against the one that is distance frames before it, where both have a transform.
     *
     * @param distance at least 1
     * @throws FrameReadException if no frame can be read
     */
    public static Quality measure(FrameSource source, Transforms transforms, int distance,
            MosaicParameters parameters, Progress progress) throws FrameReadException {
        Frames.checkSequence(source);
        Quality quality = new Quality(source.count());
        long area = Math.max(1, (long) source.width() * source.height());
        int most = (int) Math.max(1, Math.min(64, CHUNK_PIXELS / area));
        quality.next = distance;
        try (BackEnd backEnd = BackEnd.open(source, parameters, source.count(), progress)) {
            Persistence.run(backEnd, most, progress, chunk -> {
                FramesOptions options = FieldOfView.forMatching(backEnd.context(), source, parameters, progress)
                        .options(source.type(), Math.min(source.count(), chunk + distance));
                options.flow = false;
                options.keepPixels = false;
                try (FrameStore store = new FrameStore(backEnd.context(), source, options)) {
                    quality.measure(store, transforms, chunk, distance, progress);
                }
            });
        }
        return quality;
    }

    /** From where it is to the end. */
    private void measure(FrameStore store, Transforms transforms, int chunk, int distance, Progress progress) {
        while (next < count && !cancelled) {
            store.keepFrom(next - distance);
            int to = Math.min(count, next + chunk);
            measure(store, transforms, next, to, distance, progress);
            next = to;
            progress.progress(to, count);
        }
    }

    private void measure(FrameStore store, Transforms transforms, int from, int to, int distance,
            Progress progress) {
        List<Integer> frames = new ArrayList<Integer>();
        List<Integer> slots = new ArrayList<Integer>();
        for (int frame = from; frame < to; frame++) {
            if (progress.cancelled()) {
                cancelled = true;
                break;
            }
            if (transforms.isRegistered(frame + 1) && transforms.isRegistered(frame + 1 - distance)) {
                int reference = slot(store, frame - distance, progress);
                int current = slot(store, frame, progress);
                if (reference >= 0 && current >= 0) {
                    frames.add(frame);
                    slots.add(reference);
                    slots.add(current);
                }
            }
        }
        int[] pairs = new int[slots.size()];
        NativeTransforms steps = new NativeTransforms(frames.size());
        for (int i = 0; i < pairs.length; i++) {
            pairs[i] = slots.get(i);
        }
        for (int i = 0; i < frames.size(); i++) {
            int frame = frames.get(i) + 1;
            transforms.get(frame - distance).inverse().multiply(transforms.get(frame)).put(steps, i);
        }
        double[] values = store.frames().quality(pairs, steps);
        for (int i = 0; i < values.length; i++) {
            rows.add(new Row(frames.get(i) + 1, frames.get(i) + 1 - distance, values[i]));
        }
    }

    private static int slot(FrameStore store, int frame, Progress progress) {
        try {
            return store.read(frame);
        } catch (FrameReadException e) {
            progress.lost(e.getMessage() + "; left out");
            return -1;
        }
    }

    /** One row a pair. */
    public List<Row> rows() {
        return Collections.unmodifiableList(rows);
    }

    /** Mean of what is defined; NaN if nothing is. */
    public double mean() {
        double sum = 0;
        int n = 0;
        for (Row row : rows) {
            if (!Double.isNaN(row.quality)) {
                sum += row.quality;
                n++;
            }
        }
        return n == 0 ? Double.NaN : sum / n;
    }

    /** Stopped before its end. */
    public boolean cancelled() {
        return cancelled;
    }

    /** The cells of a row, in the order of the columns. */
    public static List<Object> cells(Row row) {
        return Arrays.<Object>asList(row.frame, row.reference, row.quality);
    }

    /** Writes the table as CSV. */
    public void write(File file) throws IOException {
        StringBuilder text = new StringBuilder();
        Csv.line(text, COLUMNS);
        for (Row row : rows) {
            Csv.line(text, cells(row));
        }
        AtomicFile.write(file, text.toString());
    }
}
