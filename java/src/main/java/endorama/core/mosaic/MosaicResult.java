package endorama.core.mosaic;

import endorama.core.common.RunResult;
import endorama.core.common.RunTimes;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.options.MosaicParameters;
import endorama.core.paint.Panorama;
import endorama.core.transforms.Transform;
import endorama.core.transforms.Transforms;
import endorama.jni.NativeMosaic;
import java.io.Closeable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The result of a run, complete or not: everything that was computed before it ended. */
public final class MosaicResult extends RunResult implements Closeable {
    /** Stretches of lost frames that {@link #lost} names. */
    private static final int RUNS = 8;

    private final Engine engine;
    private final List<Panorama> panoramas;
    private final List<FrameRow> rows;
    private final String field;
    private final byte[] mask;
    private final LightOfScope light;
    private final RunTimes times;
    private final List<String> warnings;
    private final double lens;
    private final int[] excluded;
    private final int width;
    private final int height;
    private List<String> log = Collections.emptyList();

    /** The result of an engine after its run, which it takes over; ended: the exception that ended the run early, or null. */
    MosaicResult(Engine engine, FrameSource source, MosaicParameters parameters, double seconds, RuntimeException ended) {
        super(engine.mosaic().backend(), seconds, Engine.isCancel(ended), Engine.isCancel(ended) ? null : ended);
        NativeMosaic mosaic = engine.mosaic();
        double[] lightNumbers = mosaic.lightNumbers();
        this.engine = engine;
        panoramas = Collections.unmodifiableList(engine.panoramas());
        rows = Collections.unmodifiableList(FrameRow.of(mosaic.frames()));
        field = mosaic.field();
        mask = mosaic.field(source.width() * source.height(), new double[1]);
        light = lightNumbers == null ? null : new LightOfScope(lightNumbers, mosaic.light());
        times = new RunTimes(mosaic.spent());
        warnings = new ArrayList<String>(engine.warnings());
        lens = mosaic.lens();
        excluded = source.excluded();
        width = source.width();
        height = source.height();
    }

    /** Sets the lines that were logged. */
    void log(List<String> lines) {
        log = Collections.unmodifiableList(lines);
    }

    /** Puts the warnings of an earlier stage before those of this one. */
    void warnFirst(List<String> earlier) {
        warnings.removeAll(earlier);
        warnings.addAll(0, earlier);
    }

    /** The panorama of the largest connected component; null if nothing was painted. */
    public Panorama panorama() {
        return panoramas.isEmpty() ? null : panoramas.get(0);
    }

    /** The panoramas of all connected components, the largest first. */
    public List<Panorama> panoramas() {
        return panoramas;
    }

    /** One row a frame, up to the last one reached. */
    public List<FrameRow> rows() {
        return rows;
    }

    /** The rows with those of the frames that were left out by hand, for tables. */
    public List<FrameRow> allRows() {
        return FrameRow.with(excluded, rows);
    }

    /** Frame -&gt; first registered frame, one a row; predicted where a frame could not be registered. */
    public List<Transform> transforms() {
        List<Transform> transforms = new ArrayList<Transform>();
        for (FrameRow row : rows) {
            transforms.add(row.transform);
        }
        return transforms;
    }

    /** The transforms with the metadata of their file. */
    public Transforms saved() {
        Transforms transforms = saved(rows, width, height);
        transforms.lens(lens);
        return transforms;
    }

    /** The transforms of frames of width x height px, with the metadata of their file. */
    static Transforms saved(List<FrameRow> rows, int width, int height) {
        Transforms transforms = new Transforms();
        transforms.sized(width, height);
        for (FrameRow row : rows) {
            transforms.put(row.frame, row.transform, row.registered, row.part);
            transforms.put(row.frame, new Transforms.Solution(row.chained == null ? row.transform : row.chained,
                    row.deviation, row.keyFrame, row.doubtful));
        }
        return transforms;
    }

    /** Width of the frames, px. */
    public int width() {
        return width;
    }

    /** Height of the frames, px. */
    public int height() {
        return height;
    }

    /** Description of the field of view, for people. */
    public String field() {
        return field;
    }

    /** The field of view: width*height bytes, 0 = outside; null: every pixel. Not copied. */
    public byte[] mask() {
        return mask;
    }

    /** The light of the scope that was corrected; null if none was. */
    public LightOfScope light() {
        return light;
    }

    /** Lens distortion that was corrected, percent; 0: none. */
    public double lens() {
        return lens;
    }

    /** The lines that were logged. */
    public List<String> log() {
        return log;
    }

    /** The times of the stages. */
    public RunTimes times() {
        return times;
    }

    /** Number of frames whose transform is an estimate, the first one included. */
    public int registered() {
        int n = 0;
        for (FrameRow row : rows) {
            n += row.registered ? 1 : 0;
        }
        return n;
    }

    /** Number of registered frames that nothing sure ties to the others; they are painted only where no other frame is. */
    public int doubtful() {
        int n = 0;
        for (FrameRow row : rows) {
            n += row.isUncertain() ? 1 : 0;
        }
        return n;
    }

    /** Number of frames in a panorama; panoramas are numbered from 1. */
    public int framesOf(int component) {
        int n = 0;
        for (FrameRow row : rows) {
            n += row.registered && row.part == component ? 1 : 0;
        }
        return n;
    }

    /** Summary: "57 ok, 2 doubtful, 1 not registered, 3 excluded; 2 panoramas". */
    public String summary() {
        return registered() - doubtful() + " ok, " + doubtful() + " doubtful, " + (rows.size() - registered())
                + " not registered" + (excluded.length > 0 ? ", " + excluded.length + " excluded" : "")
                + (panoramas.size() > 1 ? "; " + panoramas.size() + " panoramas" : "");
    }

    /** Every frame is in the panorama. */
    public boolean complete() {
        return registered() == rows.size() && panoramas.size() < 2 && engine.full() == null && !cancelled() && failure() == null;
    }

    /** Frames that are not in the panorama, with reasons: "3 of 60 frames: frame 4 (outlier), ..."; null if all are. */
    public String lost() {
        int lost = rows.size() - registered();
        String full = engine.full();
        if (lost == 0) {
            return full;
        }
        List<String> runs = new ArrayList<String>();
        for (int i = 0; i < rows.size();) {
            int end = i + 1;
            while (end < rows.size() && rows.get(end).registered == rows.get(i).registered
                    && rows.get(end).status == rows.get(i).status) {
                end++;
            }
            if (!rows.get(i).registered) {
                runs.add(Frames.range(rows.get(i).frame, rows.get(end - 1).frame) + " (" + rows.get(i).status + ")");
            }
            i = end;
        }
        String more = runs.size() > RUNS ? " and others" : "";
        return lost + " of " + rows.size() + " frames: " + String.join(", ", runs.subList(0, Math.min(RUNS, runs.size())))
                + more + (full == null ? "" : "; " + full);
    }

    /** The doubtful frames, with an explanation: "7 of 60 frames: frames 33-39; no pair that ..."; null if none is. */
    public String doubted() {
        String frames = Frames.ranges(rows.size(), i -> rows.get(i).frame, i -> rows.get(i).isUncertain());
        return frames.isEmpty() ? null : doubtful() + " of " + rows.size() + " frames: " + frames
                + "; position uncertain: few matching points tie them to the other frames; painted only where no other frame"
                + " is";
    }

    /** Whether the panorama can be used, why not, and what to do next. */
    public Verdict verdict() {
        return Verdict.of(rows, warnings, engine.full(), cancelled(), failure() != null);
    }

    /** Events of the run, in order. */
    public List<NativeMosaic.Event> events() {
        return Collections.unmodifiableList(engine.events());
    }

    /** All warnings about the result as a whole, such as an unusual scale or shear; null if there is none. */
    public String warning() {
        return warnings.isEmpty() ? null : String.join("; ", warnings);
    }

    /** The warnings about the result as a whole, in the order in which to solve them. */
    public List<String> warnings() {
        return Collections.unmodifiableList(warnings);
    }

    /** Mean quality of the pairs; NaN if there is none. */
    public double meanQuality() {
        double sum = 0;
        int n = 0;
        for (FrameRow row : rows) {
            if (row.registered && !Double.isNaN(row.quality)) {
                sum += row.quality;
                n++;
            }
        }
        return n == 0 ? Double.NaN : sum / n;
    }

    /** Number of coefficients computed, all pairs together. */
    public long computed() {
        long n = 0;
        for (FrameRow row : rows) {
            n += row.computed;
        }
        return n;
    }

    /** Number of coefficients reused, all pairs together. */
    public long reused() {
        long n = 0;
        for (FrameRow row : rows) {
            n += row.reused;
        }
        return n;
    }

    /** Frees the panoramas, which cannot be read afterwards. */
    @Override
    public void close() {
        engine.close();
    }
}
