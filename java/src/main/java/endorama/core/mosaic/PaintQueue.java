package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.engine.FrameStore;
import endorama.core.engine.PlacedFrame;
import endorama.core.frames.FrameSource;
import endorama.jni.NativeFrames;
import java.util.ArrayList;
import java.util.List;

/**
 * Frames that are registered and not yet painted. Where a panorama is painted anew in the end, and nobody looks at what is
 * painted along the chain, their painting waits until somebody does.
 */
final class PaintQueue {
    /**
     * Pixels whose painting may wait: after a cancel somebody waits for it. Of many frames over each other most pixels are
     * painted once, so it takes little more than to copy them; a device takes more.
     */
    private static final long DEFERRED_PIXELS = 1000000000;
    private static final long DEVICE_PIXELS = 4000000000L;

    private final FrameSource source;
    private final MosaicResources with;
    private final LoggedProgress progress;
    private final List<PlacedFrame> waiting = new ArrayList<PlacedFrame>();
    /** The same, where painting can wait until somebody wants the picture, or a frame has to go. */
    private final List<PlacedFrame> deferred = new ArrayList<PlacedFrame>();
    private boolean defers;

    PaintQueue(FrameSource source, MosaicResources with, LoggedProgress progress) {
        this.source = source;
        this.with = with;
        this.progress = progress;
    }

    /** Nobody looks at what is painted along the chain. */
    void defer() {
        defers = true;
    }

    /** In order. */
    List<PlacedFrame> waiting() {
        return waiting;
    }

    /** There is nothing but these to paint, all of which was lost. */
    void beginAnew(List<PlacedFrame> items) {
        deferred.clear();
        waiting.clear();
        waiting.addAll(items);
    }

    void clear() {
        waiting.clear();
    }

    /** Some wait for somebody to look. */
    boolean hasDeferred() {
        return !deferred.isEmpty();
    }

    /**
     * Paints what waits, as many frames at once as the store holds; up to there if the run is cancelled. After a failure
     * they are read again.
     *
     * @param held frames that stay in the store
     */
    void paint(int... held) {
        if (!with.canvases().isBlending()) {
            if (canDefer()) {
                deferred.addAll(waiting);
                waiting.clear();
                with.store().keepOnly(held);
                with.askStoreFor(NativeFrames.MATCHING);
                return;
            }
            paintDeferred(held);
        }
        do {
            paintFirst(waiting, held);
        } while (!waiting.isEmpty() && !progress.cancelled());
    }

    /** Paints what could wait until now; held: frames that stay in use. */
    void paintDeferred(int... held) {
        defers = false;
        while (!deferred.isEmpty()) {
            paintFirst(deferred, held);
        }
    }

    /** What waits can be painted soon when somebody asks for it. */
    private boolean canDefer() {
        boolean stays = with.keepsAll();
        for (PlacedFrame item : waiting) {
            defers &= stays || source.isAtHand(item.frame);
        }
        long area = (long) source.width() * source.height();
        long most = with.onDevice() ? DEVICE_PIXELS : DEFERRED_PIXELS;
        defers &= area * (deferred.size() + waiting.size()) <= most;
        return defers;
    }

    /** As many as the store holds at once. */
    private void paintFirst(List<PlacedFrame> list, int... held) {
        FrameStore store = with.store();
        with.askStoreFor(with.canvases().uses());
        List<PlacedFrame> items = new ArrayList<PlacedFrame>();
        int n = 0;
        while (n < list.size() && (n == 0 || store.holds(list.get(n).frame) || store.hasRoom())) {
            with.add(list.get(n++), items);
        }
        with.paint(items);
        list.subList(0, n).clear();
        store.keepOnly(held);
    }
}
