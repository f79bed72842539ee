package endorama.core.mosaic;

import endorama.core.engine.PlacedFrame;
import endorama.core.frames.FrameSource;
import endorama.core.options.MosaicParameters;
import endorama.core.paint.PanoramaCanvas;
import endorama.core.pairs.FrameRow;
import endorama.core.places.Places;
import endorama.core.transforms.Drift;
import endorama.jni.NativeCanvas;
import java.util.ArrayList;
import java.util.Collections;
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

    private final MosaicResources with;
    private final List<PlacedFrame> items;
    /** Canvases of the parts whose frames stay where they are. */
    private final Set<Integer> kept = new HashSet<Integer>();
    private Map<Integer, PanoramaCanvas> before;
    private boolean endsWhenFull;
    private int painted;

    PaintStage(FrameSource source, MosaicParameters parameters, MosaicResources with, List<FrameRow> rows,
            Places places) {
        this.with = with;
        items = items(rows, places, parameters, source.width(), source.height(), kept);
    }

    /** Paints all, where nothing is painted yet, in the order that {@link #putOrder} gave. */
    PaintStage(MosaicResources with, List<FrameRow> rows, Places places) {
        this.with = with;
        List<FrameRow> ordered = new ArrayList<FrameRow>(rows);
        Collections.sort(ordered, (a, b) -> Integer.compare(a.order, b.order));
        items = new ArrayList<PlacedFrame>();
        for (FrameRow row : ordered) {
            if (places.part(row.frame - 1) > 0) {
                items.add(new PlacedFrame(row.frame - 1, -1, places.place(row.frame - 1),
                        places.canvas(places.part(row.frame - 1))));
            }
        }
    }

    /** Paints these, in their order, where nothing is painted yet; it is over when there is no room for more. */
    PaintStage(MosaicResources with, List<PlacedFrame> items) {
        this.with = with;
        this.items = items;
        endsWhenFull = true;
    }

    /** Writes into the rows in which order they are painted: as along the chain, but in parts that are painted again. */
    static void putOrder(List<FrameRow> rows, Places places, MosaicParameters parameters, int width, int height) {
        int order = 0;
        for (PlacedFrame item : items(rows, places, parameters, width, height, new HashSet<Integer>())) {
            rows.get(item.frame).order = ++order;
        }
    }

    /** What is painted again. kept: receives the canvases of the other parts, in which places stay those of the chain. */
    private static List<PlacedFrame> items(List<FrameRow> rows, Places places, MosaicParameters parameters,
            int width, int height, Set<Integer> kept) {
        List<PlacedFrame> items = new ArrayList<PlacedFrame>();
        for (int part = 1; part <= places.parts(); part++) {
            boolean doubts = parameters.solveGlobally() && places.hasDoubts(part);
            if (doubts || hasMoved(rows, places, part, width, height)) {
                add(items, places, part, parameters.painting() != NativeCanvas.UNION);
            } else {
                // The picture and the transforms go with one another to the last bit.
                kept.add(places.canvas(part));
                places.keepChained(part);
            }
        }
        return items;
    }

    private static boolean hasMoved(List<FrameRow> rows, Places places, int part, int width, int height) {
        for (int frame : places.frames(part)) {
            FrameRow row = rows.get(frame);
            if (row.part != places.canvas(part)
                    || Drift.rms(row.transform, places.place(frame), width, height) > VISIBLE) {
                return true;
            }
        }
        return false;
    }

    private static void add(List<PlacedFrame> items, Places places, int part, boolean ring) {
        List<PlacedFrame> good = new ArrayList<PlacedFrame>();
        List<PlacedFrame> doubtful = new ArrayList<PlacedFrame>();
        for (int frame : places.frames(part)) {
            (places.isDoubtful(frame) ? doubtful : good).add(new PlacedFrame(frame, -1, places.place(frame),
                    places.canvas(part)));
        }
        items.addAll(ring ? good : doubtful);
        items.addAll(ring ? doubtful : good);
    }

    @Override
    boolean done() {
        return painted == items.size() || endsWhenFull && with.full() != null;
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
    List<PlacedFrame> painted() {
        return items.subList(0, painted);
    }

    @Override
    void step() {
        if (before == null) {
            with.paintDeferred();
            before = with.canvases().startOver(kept);
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
                with.canvases().keepNew(before);
            } else {
                with.canvases().takeBack(before);
            }
            before = null;
        }
        return all;
    }
}
