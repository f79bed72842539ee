package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.engine.PlacedFrame;
import endorama.core.paint.BlendBand;
import endorama.core.paint.Blending;
import endorama.core.paint.Weighing;
import endorama.core.pairs.FrameRow;
import endorama.core.places.Places;
import endorama.jni.EndoramaException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The last stage, where panoramas are blended: the light is solved for, and every frame is read and added twice. Until it
 * is done, what was painted along the chain is kept.
 */
final class BlendStage extends Stage {
    private static final int BATCH = 8;

    private final MosaicResources with;
    private final LoggedProgress progress;
    private final List<PlacedFrame> items;
    private final Weighing weighing;
    private final List<PlacedFrame> painted;
    /** Null: not begun. */
    private Blending blending;

    /**
     * Of frames, part after part, in the order in which they find room.
     *
     * @param painted what is on the canvases that are kept until then
     */
    BlendStage(MosaicResources with, List<PlacedFrame> items, Weighing weighing,
            List<PlacedFrame> painted, LoggedProgress progress) {
        this.with = with;
        this.items = items;
        this.weighing = weighing;
        this.painted = painted;
        this.progress = progress;
    }

    /** Of a mosaic, in the places that were solved for. */
    static BlendStage of(MosaicResources with, List<FrameRow> rows, Places places, LoggedProgress progress) {
        List<PlacedFrame> items = new ArrayList<PlacedFrame>();
        Weighing weighing = new Weighing(rows.size());
        for (int part = 1; part <= places.parts(); part++) {
            for (int frame : places.frames(part)) {
                items.add(new PlacedFrame(frame, -1, places.place(frame), places.canvas(part)));
                weighing.set(frame, places.deviation(frame), places.isDoubtful(frame));
            }
        }
        return new BlendStage(with, items, weighing, ChainStage.painted(rows), progress);
    }

    @Override
    boolean done() {
        return blending == null ? items.isEmpty() : blending.done();
    }

    @Override
    double share() {
        return blending == null ? 0 : blending.share();
    }

    private boolean lightIsUnknown() {
        return with.light() != null && !with.light().isSolved();
    }

    @Override
    String where() {
        return lightIsUnknown() ? "solving for the light" : "blending";
    }

    /** For the canvases that were painted along the chain. */
    @Override
    List<PlacedFrame> painted() {
        return painted;
    }

    @Override
    void step() {
        if (blending == null) {
            with.awaitOnlookers();
        }
        if (lightIsUnknown()) {
            with.light().solve(items, progress);
            return;
        }
        if (blending == null || blending.band() == null) {
            with.paintWaiting();
        }
        if (blending == null) {
            sharpen();
            blending = with.canvases().startBlending(items, with.light(), weighing);
            if (blending.full() != null) {
                progress.logOnce(blending.full());
            }
        }
        try {
            if (!blending.done()) {
                goOn();
            }
        } catch (EndoramaException e) {
            with.waiting().clear();
            blending.drop();
            if (with.keepsFrames() || !halved(e)) {
                throw e;
            }
        }
    }

    /** Frames are compared, and weighed, with those of their own part: another one shows another scene. */
    private void sharpen() {
        Map<Integer, TreeSet<Integer>> parts = new TreeMap<Integer, TreeSet<Integer>>();
        for (PlacedFrame item : items) {
            parts.computeIfAbsent(item.part, part -> new TreeSet<Integer>()).add(item.frame);
        }
        for (TreeSet<Integer> set : parts.values()) {
            List<Integer> frames = new ArrayList<Integer>(set);
            weighing.sharpen(frames, with.sharpness());
            weighing.raise(frames);
        }
    }

    /** Less at once is what helps against want of memory first. */
    private boolean halved(EndoramaException e) {
        int rows = e.status() == EndoramaException.Status.MEMORY ? blending.halve() : 0;
        if (rows > 0) {
            progress.log("out of memory while blending (" + e.getMessage() + "); going on with " + rows
                    + " rows of the panorama at once");
        }
        return rows > 0;
    }

    private void goOn() {
        if (blending.band() == null) {
            blending.begin(with.backEnd().context());
        }
        BlendBand band = blending.band();
        List<PlacedFrame> next = band.next(BATCH);
        if (next.isEmpty()) {
            if (band.endPass()) {
                blending.take(with.backEnd().context());
            }
            return;
        }
        with.waiting().addAll(next);
        with.paintWaiting();
        band.passed(next.size() - with.waiting().size());
        with.waiting().clear();
    }

    /** Keeps what was blended if that is all, which it says; else what was there before. */
    boolean finish() {
        with.waiting().clear();
        if (!done()) {
            with.canvases().dropBlending();
        }
        return done();
    }
}
