package endorama.core;

import endorama.jni.NativeCanvas;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The last stage: the panoramas are painted again, each frame in the place that was solved for, the doubtful ones under
 * the good ones. Until it is done the chained ones are kept.
 */
final class PaintStage extends Stage {
    /** Places that moved by less than this, px, are not worth it. */
    private static final double VISIBLE = 0.05;
    private static final int BATCH = 8;

    private final MosaicResources with;
    private final List<PanoramaCanvas.Item> items = new ArrayList<PanoramaCanvas.Item>();
    private final boolean needed;
    private Map<Integer, PanoramaCanvas> before;
    private int painted;

    PaintStage(FrameSource source, MosaicParameters parameters, MosaicResources with, List<FrameRow> rows,
            Places places) {
        this.with = with;
        boolean moved = false;
        boolean doubts = false;
        List<PanoramaCanvas.Item> doubtful = new ArrayList<PanoramaCanvas.Item>();
        for (FrameRow row : rows) {
            int frame = row.frame - 1;
            int part = places.part(frame);
            if (part == 0) {
                continue;
            }
            moved |= row.part != places.canvas(part) || Drift.rms(row.transform, places.place(frame), source.width(),
                    source.height()) > VISIBLE;
            boolean doubt = places.isDoubtful(frame);
            doubts |= doubt;
            (doubt ? doubtful : items).add(new PanoramaCanvas.Item(frame, -1, places.place(frame), places.canvas(part)));
        }
        items.addAll(parameters.painting() == NativeCanvas.UNION ? 0 : items.size(), doubtful);
        needed = moved || doubts && parameters.solveGlobally();
    }

    @Override
    boolean done() {
        return !needed || painted == items.size();
    }

    @Override
    double share() {
        return !needed ? 1 : (double) painted / Math.max(1, items.size());
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
            before = with.startOver();
        }
        with.waiting().clear();
        int end = Math.min(items.size(), painted + BATCH);
        with.waiting().addAll(items.subList(painted, end));
        with.paintWaiting();
        painted = end;
    }

    /** Places have moved visibly, or good frames lie under doubtful ones. */
    boolean isNeeded() {
        return needed;
    }

    /** Keeps what was painted if that is all, which it says, else what was there before. */
    boolean finish() {
        boolean all = done();
        if (before != null) {
            with.waiting().clear();
            if (all) {
                MosaicResources.closeAll(before);
            } else {
                with.takeBack(before);
            }
            before = null;
        }
        return all;
    }
}
