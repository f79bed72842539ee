package endorama.core;

import endorama.jni.NativeBlend;
import endorama.jni.NativeFrames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The last stage, where panoramas are blended: the light is solved for, and every frame is read and added twice. Until it
 * is done, what was painted along the chain is kept.
 */
final class BlendStage extends Stage {
    private static final int BATCH = 8;
    /** A frame whose place has this standard deviation, px, has half the weight of one that is exact. */
    private static final double UNSURE = 2;
    /** The weight of frames of whose place no pair says it well: they show where no other one does. */
    private static final int DOUBTFUL = 4;

    private final MosaicResources with;
    private final LoggedProgress progress;
    private final List<FrameRow> rows;
    private final List<PanoramaCanvas.Item> items = new ArrayList<PanoramaCanvas.Item>();
    private final int[] weights;
    /** In both passes. */
    private int added;
    /** A step that did not come to its end: what it added is not known. */
    private boolean broken;

    BlendStage(MosaicResources with, List<FrameRow> rows, Places places, LoggedProgress progress) {
        this.with = with;
        this.rows = rows;
        this.progress = progress;
        weights = new int[rows.size()];
        Arrays.fill(weights, DOUBTFUL);
        for (int part = 1; part <= places.parts(); part++) {
            for (int frame : places.frames(part)) {
                items.add(new PanoramaCanvas.Item(frame, -1, places.place(frame), places.canvas(part)));
                if (!places.isDoubtful(frame)) {
                    weights[frame] = weight(places.deviation(frame));
                }
            }
        }
    }

    private static int weight(double deviation) {
        double off = Double.isNaN(deviation) ? 0 : deviation / UNSURE;
        return (int) Math.max(DOUBTFUL, Math.round(NativeBlend.FULL_WEIGHT / (1 + off * off)));
    }

    @Override
    boolean done() {
        return added == 2 * items.size();
    }

    @Override
    double share() {
        return items.isEmpty() ? 1 : (double) added / (2 * items.size());
    }

    @Override
    String where() {
        return with.light() != null && !with.light().isSolved() ? "solving for the light" : "blending";
    }

    /** For the canvases that were painted along the chain. */
    @Override
    List<PanoramaCanvas.Item> painted() {
        return ChainStage.painted(rows);
    }

    @Override
    void moveTo(NativeFrames store, int[] slots, String computing) {
        broken = true;
    }

    @Override
    void step() {
        if (with.light() != null && !with.light().isSolved()) {
            with.light().solve(items, progress);
            return;
        }
        if (broken) {
            with.dropBlends();
            added = 0;
        }
        broken = true;
        if (added == 0) {
            with.paintWaiting();
            with.startBlends(items, weights);
        }
        add();
        broken = false;
    }

    private void add() {
        int n = items.size();
        int from = added % n;
        List<PanoramaCanvas.Item> next = items.subList(from, Math.min(n, from + BATCH));
        if (added == n) {
            with.endSurvey();
        }
        with.waiting().clear();
        with.waiting().addAll(next);
        with.paintWaiting();
        added += next.size() - with.waiting().size();
    }

    /** Keeps what was blended if that is all, which it says; else what was there before. */
    boolean finish() {
        with.waiting().clear();
        if (!done()) {
            with.dropBlends();
        }
        return done();
    }
}
