package endorama.core.mosaic;

import endorama.core.common.RunResult;
import endorama.core.common.RunTimes;
import endorama.core.engine.FieldOfView;
import endorama.core.frames.Frames;
import endorama.core.paint.LightOfScope;
import endorama.core.paint.Panorama;
import endorama.core.pairs.FrameRow;
import endorama.core.transforms.Transform;
import endorama.core.transforms.Transforms;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What a run made, complete or not: everything that was computed before it ended is here. */
public final class MosaicResult extends RunResult implements Closeable {
    /** Stretches of lost frames that {@link #lost} names. */
    private static final int RUNS = 8;

    private final List<Panorama> panoramas;
    private final List<FrameRow> rows;
    private final FieldOfView field;
    private final LightOfScope light;
    private final List<String> log;
    private final RunTimes times;
    private final List<String> warnings;
    private final String full;
    private final double lens;
    private final int width;
    private final int height;

    /** Of a session that has come to its end, and whose resources are still open. */
    MosaicResult(MosaicSession session, double seconds, boolean cancelled, RuntimeException failure) {
        super(session.resources().backEnd().description(), seconds, cancelled, failure);
        panoramas = Collections.unmodifiableList(new ArrayList<Panorama>(session.panoramas()));
        rows = Collections.unmodifiableList(session.rows());
        field = session.resources().field();
        light = LightOfScope.of(session.resources().light());
        log = Collections.unmodifiableList(session.log());
        times = session.times();
        warnings = Collections.unmodifiableList(session.warnings());
        full = session.resources().full();
        lens = session.lens();
        width = session.source().width();
        height = session.source().height();
    }

    /** The picture of the largest part; null if nothing was painted. */
    public Panorama panorama() {
        return panoramas.isEmpty() ? null : panoramas.get(0);
    }

    /** One of every part of the sequence that could not be tied to another, the largest first. */
    public List<Panorama> panoramas() {
        return panoramas;
    }

    /** One row a frame, up to where the run came. */
    public List<FrameRow> rows() {
        return rows;
    }

    /** Frame -&gt; first registered frame, one a row; predicted where a frame could not be registered. */
    public List<Transform> transforms() {
        List<Transform> transforms = new ArrayList<Transform>();
        for (FrameRow row : rows) {
            transforms.add(row.transform);
        }
        return transforms;
    }

    /** The same with what a transforms file needs to know. */
    public Transforms saved() {
        Transforms transforms = saved(rows, width, height);
        transforms.lens(lens);
        return transforms;
    }

    /** Of frames of width x height px. */
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

    /** Of the frames, px. */
    public int width() {
        return width;
    }

    /** Of the frames, px. */
    public int height() {
        return height;
    }

    /** Which pixels of a frame counted. */
    public FieldOfView field() {
        return field;
    }

    /** What was taken out as the light of the scope; null if it stayed as it was. */
    public LightOfScope light() {
        return light;
    }

    /** Distortion of the lens that was taken out of the frames, percent; 0: none. */
    public double lens() {
        return lens;
    }

    /** Lines for people, as they were logged. */
    public List<String> log() {
        return log;
    }

    /** Where that time went. */
    public RunTimes times() {
        return times;
    }

    /** Frames whose transform is an estimate, the first one included. */
    public int registered() {
        int n = 0;
        for (FrameRow row : rows) {
            n += row.registered ? 1 : 0;
        }
        return n;
    }

    /** Registered frames of whose place no pair says it well; they are painted only where no other one is. */
    public int doubtful() {
        int n = 0;
        for (FrameRow row : rows) {
            n += row.registered && row.doubtful ? 1 : 0;
        }
        return n;
    }

    /** How many frames are in a panorama; they are numbered from 1. */
    public int framesOf(int part) {
        int n = 0;
        for (FrameRow row : rows) {
            n += row.registered && row.part == part ? 1 : 0;
        }
        return n;
    }

    /** How it went, in words: "57 ok, 2 doubtful, 1 not registered; 2 parts". */
    public String summary() {
        return registered() - doubtful() + " ok, " + doubtful() + " doubtful, " + (rows.size() - registered())
                + " not registered" + (panoramas.size() > 1 ? "; " + panoramas.size() + " parts" : "");
    }

    /** Every frame is in the panorama. */
    public boolean complete() {
        return registered() == rows.size() && panoramas.size() < 2 && full == null && !cancelled() && failure() == null;
    }

    /** Which frames are not in the panorama, and why: "3 of 60 frames: frame 4 (outlier), frames 7-8 (no texture)"; null
     * if all are. */
    public String lost() {
        int lost = rows.size() - registered();
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
                runs.add(Frames.range(i, end - 1) + " (" + rows.get(i).status + ")");
            }
            i = end;
        }
        String more = runs.size() > RUNS ? " and others" : "";
        return lost + " of " + rows.size() + " frames: " + String.join(", ", runs.subList(0, Math.min(RUNS, runs.size())))
                + more + (full == null ? "" : "; " + full);
    }

    /** Which frames are doubtful, and what that means: "7 of 60 frames: frames 33-39; no pair ..."; null if none is. */
    public String doubted() {
        String frames = Frames.ranges(rows.size(), i -> rows.get(i).registered && rows.get(i).doubtful);
        return frames.isEmpty() ? null : doubtful() + " of " + rows.size() + " frames: " + frames
                + "; no pair says well where they lie, so they are painted only where no other frame is";
    }

    /** What is wrong with the chain as a whole, whose scale or shear passes what is usual; null if nothing is. */
    public String warning() {
        return warnings.isEmpty() ? null : String.join("; ", warnings);
    }

    /** The same one by one, in the order in which it is to be mended. */
    public List<String> warnings() {
        return warnings;
    }

    /** Mean of the pairs' quality; NaN if there is none. */
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

    /** Coefficients computed, all pairs together. */
    public long computed() {
        long n = 0;
        for (FrameRow row : rows) {
            n += row.computed;
        }
        return n;
    }

    /** Coefficients reused, all pairs together. */
    public long reused() {
        long n = 0;
        for (FrameRow row : rows) {
            n += row.reused;
        }
        return n;
    }

    /** Gives back what the panoramas take on the disk; those in memory are left alone. */
    @Override
    public void close() throws IOException {
        for (Panorama panorama : panoramas) {
            if (panorama != null) {
                panorama.close();
            }
        }
    }
}
