package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.engine.PlacedFrame;
import endorama.core.frames.FrameReadException;
import java.util.Collections;
import java.util.List;

/** Shows frames to what judges light and sharpness, in a run that reads them for nothing else before it paints. */
final class LookStage extends Stage {
    private final MosaicResources with;
    private final LoggedProgress progress;
    private final List<Integer> frames;
    private int seen;

    /** frames: numbers from 0; those that cannot be read are taken out of the list. */
    LookStage(MosaicResources with, List<Integer> frames, LoggedProgress progress) {
        this.with = with;
        this.frames = frames;
        this.progress = progress;
    }

    @Override
    boolean done() {
        return with.light() == null && with.sharpness() == null || seen == frames.size();
    }

    @Override
    double share() {
        return done() ? 1 : (double) seen / frames.size();
    }

    @Override
    String where() {
        return done() ? "reading" : "frame " + (frames.get(seen) + 1);
    }

    @Override
    List<PlacedFrame> painted() {
        return Collections.emptyList();
    }

    @Override
    void step() {
        try {
            with.store().read(frames.get(seen));
            seen++;
        } catch (FrameReadException e) {
            progress.lostOnce(e.getMessage() + "; skipped");
            frames.remove(seen);
        }
        with.store().keepOnly();
    }
}
