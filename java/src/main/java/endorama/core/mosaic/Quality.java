package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.common.Progress;
import endorama.core.engine.FieldOfView;
import endorama.core.engine.FrameSession;
import endorama.core.engine.FrameStore;
import endorama.core.files.AtomicFile;
import endorama.core.files.Csv;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.frames.StraightFrames;
import endorama.core.options.MosaicParameters;
import endorama.core.transforms.Transforms;
import endorama.jni.FramesOptions;
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
    private final Transforms transforms;
    private final int distance;
    private final int count;
    private final LoggedProgress progress;
    private int next;
    private boolean cancelled;

    private Quality(Transforms transforms, int distance, int count, Progress progress) {
        this.transforms = transforms;
        this.distance = distance;
        this.count = count;
        this.progress = new LoggedProgress(progress);
        next = distance;
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
        MosaicParameters lensed = parameters.withLensFound(transforms.lens());
        FrameSource straight = StraightFrames.of(source, lensed);
        try {
            return measureStraight(straight, transforms, distance, lensed, progress);
        } finally {
            StraightFrames.close(straight);
        }
    }

    private static Quality measureStraight(FrameSource source, Transforms transforms, int distance,
            MosaicParameters parameters, Progress progress) throws FrameReadException {
        Quality quality = new Quality(transforms, distance, source.count(), progress);
        try (FrameSession session = new FrameSession(source, parameters, source.count(), progress)) {
            FieldOfView[] field = new FieldOfView[1];
            session.persist(() -> field[0] = FieldOfView.forMatching(session.backEnd().context(), source, parameters,
                    progress));
            long area = Math.max(1, (long) source.width() * source.height());
            int chunk = (int) Math.max(1, Math.min(64, CHUNK_PIXELS / area));
            session.open(() -> quality.slots(chunk), () -> quality.slots(1), (context, slots) -> {
                FramesOptions options = field[0].options(source.type(), slots);
                options.flow = false;
                options.keepPixels = false;
                return new FrameStore(context, source, options);
            });
            quality.measure(session);
        }
        return quality;
    }

    /** For so many pairs at once. */
    private int slots(int pairs) {
        return Math.min(count, distance + pairs);
    }

    private void measure(FrameSession session) throws FrameReadException {
        while (next < count && !cancelled) {
            session.persist(() -> step(session.store()));
            progress.progress(next, count);
        }
    }

    /** As many pairs as the store has room for. */
    private void step(FrameStore store) {
        store.keepFrom(next - distance);
        int to = Math.min(count, next + Math.max(1, store.capacity() - distance));
        measure(store, next, to);
        next = to;
    }

    private void measure(FrameStore store, int from, int to) {
        List<Integer> frames = new ArrayList<Integer>();
        List<Integer> slots = new ArrayList<Integer>();
        for (int frame = from; frame < to; frame++) {
            if (progress.cancelled()) {
                cancelled = true;
                break;
            }
            if (transforms.isRegistered(frame + 1) && transforms.isRegistered(frame + 1 - distance)) {
                int reference = slot(store, frame - distance);
                int current = slot(store, frame);
                if (reference >= 0 && current >= 0) {
                    frames.add(frame);
                    slots.add(reference);
                    slots.add(current);
                }
            }
        }
        measure(store, frames, slots);
    }

    /** slots: the reference's and its own, frame after frame. */
    private void measure(FrameStore store, List<Integer> frames, List<Integer> slots) {
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

    private int slot(FrameStore store, int frame) {
        try {
            return store.read(frame);
        } catch (FrameReadException e) {
            progress.lostOnce(e.getMessage() + "; left out");
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
