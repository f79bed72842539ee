package endorama.core;

import java.util.ArrayList;
import java.util.List;

/** In place of registering, where the places are known: every frame is read once, so that the light sees it. */
final class LookStage extends Stage {
    private static final int BATCH = 8;

    private final FrameSource source;
    private final MosaicResources with;
    private final LoggedProgress progress;
    private int next;

    LookStage(FrameSource source, MosaicResources with, LoggedProgress progress) {
        this.source = source;
        this.with = with;
        this.progress = progress;
    }

    @Override
    boolean done() {
        return with.light() == null || next == source.count();
    }

    @Override
    double share() {
        return (double) next / source.count();
    }

    @Override
    String where() {
        return Frames.range(Math.min(next, source.count() - 1), Math.min(next, source.count() - 1));
    }

    @Override
    List<PanoramaCanvas.Item> painted() {
        return new ArrayList<PanoramaCanvas.Item>();
    }

    @Override
    void step() {
        int end = Math.min(source.count(), next + Math.min(BATCH, with.largestChunk()));
        for (; next < end; next++) {
            try {
                with.store().read(next);
            } catch (FrameReadException e) {
                progress.log(e.getMessage() + "; skipped");
            }
        }
        with.store().keepOnly(-1);
    }
}
