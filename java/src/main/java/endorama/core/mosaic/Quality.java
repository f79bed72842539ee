package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.common.Progress;
import endorama.core.files.Table;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.options.MosaicParameters;
import endorama.core.transforms.Transforms;
import endorama.jni.NativeMosaic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** How well transforms fit a sequence: the 5 x 5 measure of pairs of frames at a distance. */
public final class Quality {
    /** The table of pairs. */
    public static final Table<Row> TABLE = new Table<Row>(
            row -> Arrays.<Object>asList(row.frame, row.reference, row.quality), "frame", "reference", "quality");

    /** One pair. */
    public static final class Row {
        /** Numbers of the frames, from 1. */
        public final int frame, reference;
        /** The 5 x 5 measure, -1..1; NaN where undefined. */
        public final double quality;

        Row(int frame, int reference, double quality) {
            this.frame = frame;
            this.reference = reference;
            this.quality = quality;
        }
    }

    private final List<Row> rows = new ArrayList<Row>();
    private boolean cancelled;

    private Quality() {
    }

    /**
     * Measures every frame against the one distance frames before it, where both have a transform.
     *
     * @param distance at least 1
     * @throws FrameReadException if no frame can be read
     */
    public static Quality measure(FrameSource source, Transforms transforms, int distance,
            MosaicParameters parameters, Progress progress) throws FrameReadException {
        Frames.checkSequence(source);
        Engine engine = new Engine(source, parameters.withLensFound(transforms.lens()), new LoggedProgress(progress),
                MosaicListener.NONE);
        try {
            NativeMosaic.Records frames = FrameRow.records(frames(source, transforms));
            boolean cancelled = engine.run(mosaic -> mosaic.quality(engine.sequence(), frames, distance)) != null;
            return of(source, engine.mosaic().qualities(), cancelled);
        } finally {
            engine.close();
        }
    }

    /** Rows of all frames with a transform, as if they were in one component. */
    private static List<FrameRow> frames(FrameSource source, Transforms transforms) {
        List<FrameRow> frames = new ArrayList<FrameRow>();
        for (int i = 0; i < source.count(); i++) {
            int frame = source.number(i);
            FrameRow row = new FrameRow(frame);
            if (transforms.isRegistered(frame)) {
                row.register(transforms.get(frame));
            }
            frames.add(row);
        }
        return frames;
    }

    private static Quality of(FrameSource source, NativeMosaic.Qualities found, boolean cancelled) {
        Quality quality = new Quality();
        quality.cancelled = cancelled;
        for (int i = 0; i < found.values.length; i++) {
            quality.rows.add(new Row(source.number(found.frames[i]), source.number(found.references[i]), found.values[i]));
        }
        return quality;
    }

    /** One row a pair. */
    public List<Row> rows() {
        return Collections.unmodifiableList(rows);
    }

    /** Mean of the defined measures; NaN if there are none. */
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

    /** The measurement was stopped before its end. */
    public boolean cancelled() {
        return cancelled;
    }
}
