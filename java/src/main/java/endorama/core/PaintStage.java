package endorama.core;

import endorama.jni.NativeCanvas;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The last stage: panoramas whose frames have moved are painted again, each frame in the place that was solved for, the
 * doubtful ones under the good ones. Until it is done the chained ones are kept.
 */
final class PaintStage extends Stage {
    /** Places that moved by less than this, px, are not worth it. */
    private static final double VISIBLE = 0.05;
    private static final int BATCH = 8;

    private final FrameSource source;
    private final MosaicResources with;
    private final List<FrameRow> rows;
    private final Places places;
    private final boolean ring;
    private final List<PanoramaCanvas.Item> items = new ArrayList<PanoramaCanvas.Item>();
    /** Canvases of the parts whose frames stay where they are. */
    private final Set<Integer> kept = new HashSet<Integer>();
    private Map<Integer, PanoramaCanvas> before;
    private int painted;

    PaintStage(FrameSource source, MosaicParameters parameters, MosaicResources with, List<FrameRow> rows,
            Places places) {
        this.source = source;
        this.with = with;
        this.rows = rows;
        this.places = places;
        ring = parameters.painting() != NativeCanvas.UNION;
        for (int part = 1; part <= places.parts(); part++) {
            boolean doubts = parameters.solveGlobally() && places.hasDoubts(part);
            if (doubts || hasMoved(part)) {
                add(part);
            } else {
                // The picture and the transforms go with one another to the last bit.
                kept.add(places.canvas(part));
                places.keepChained(part);
            }
        }
    }

    private boolean hasMoved(int part) {
        for (int frame : places.frames(part)) {
            FrameRow row = rows.get(frame);
            if (row.part != places.canvas(part) || Drift.rms(row.transform, places.place(frame), source.width(),
                    source.height()) > VISIBLE) {
                return true;
            }
        }
        return false;
    }

    private void add(int part) {
        List<PanoramaCanvas.Item> good = new ArrayList<PanoramaCanvas.Item>();
        List<PanoramaCanvas.Item> doubtful = new ArrayList<PanoramaCanvas.Item>();
        for (int frame : places.frames(part)) {
            (places.isDoubtful(frame) ? doubtful : good).add(new PanoramaCanvas.Item(frame, -1, places.place(frame),
                    places.canvas(part)));
        }
        items.addAll(ring ? good : doubtful);
        items.addAll(ring ? doubtful : good);
    }

    @Override
    boolean done() {
        return painted == items.size();
    }

    @Override
    double share() {
        return items.isEmpty() ? 1 : (double) painted / items.size();
    }

    @Override
    String where() {
        return "painting";
    }

    @Override
    List<PanoramaCanvas.Item> painted() {
        return items.subList(0, painted);
    }

    @Override
    void step() {
        if (before == null) {
            before = with.startOver(kept);
        }
        with.waiting().clear();
        int end = Math.min(items.size(), painted + BATCH);
        with.waiting().addAll(items.subList(painted, end));
        with.paintWaiting();
        painted = end;
    }

    /** Keeps what was painted if that is all, which it says, else what was there before. */
    boolean finish() {
        boolean all = done();
        if (before != null) {
            with.waiting().clear();
            if (all) {
                with.keepNew(before);
            } else {
                with.takeBack(before);
            }
            before = null;
        }
        return all;
    }
}
