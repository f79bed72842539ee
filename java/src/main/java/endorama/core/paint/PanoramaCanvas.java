package endorama.core.paint;

import endorama.core.engine.PlacedFrame;
import endorama.core.frames.PixelType;
import endorama.core.transforms.Rect;
import endorama.jni.EndoramaException;
import endorama.jni.NativeCanvas;
import endorama.jni.NativeContext;
import endorama.jni.NativeFrames;
import endorama.jni.NativeTransforms;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The growing canvas: a native canvas, and where it lies. It never grows beyond its limit; what was painted stays. */
public final class PanoramaCanvas implements AutoCloseable {
    private final NativeContext context;
    private final PixelType type;
    private final int painting;
    private final PanoramaPlace keeping;
    private final Reach reach;
    private NativeCanvas canvas;
    private Rect place;
    private boolean stopping;
    /** What another canvas had painted before, and where; null if nothing. */
    private Panorama before;
    private Rect beforePlace;

    /**
     * An empty canvas.
     *
     * @param field rectangle around the field of view in a frame
     * @param keeping where copies of it are kept, which may set a smaller limit
     * @param maxPixels largest area
     */
    PanoramaCanvas(NativeContext context, PixelType type, int painting, Rect field, PanoramaPlace keeping,
            long maxPixels) {
        this.context = context;
        this.type = type;
        this.painting = painting;
        this.keeping = keeping;
        reach = new Reach(field, keeping.limit(type, maxPixels));
    }

    /** An empty canvas like another, in another context. */
    PanoramaCanvas(NativeContext context, PanoramaCanvas other) {
        this.context = context;
        type = other.type;
        painting = other.painting;
        keeping = other.keeping;
        reach = other.reach.emptied();
        stopping = other.stopping;
    }

    /** Why nothing more is painted; null while there is room. */
    String full() {
        return reach.full();
    }

    /** Out of memory is from here on a reason to paint no more; until then it is thrown, and can be tried again. */
    void stopWhereMemoryEnds() {
        stopping = true;
    }

    boolean stopsWhereMemoryEnds() {
        return stopping;
    }

    /**
     * Takes over what another canvas had painted.
     *
     * @param done snapshot of the other; null if nothing was painted
     * @return false if there is no room; this canvas is then empty
     */
    boolean takeOver(PanoramaCanvas other, Panorama done) {
        if (done == null) {
            return true;
        }
        try {
            grow(other.reach.used());
        } catch (EndoramaException e) {
            return false;
        }
        before = done;
        beforePlace = other.reach.used();
        reach.use(other.reach.used());
        reach.fill(other.reach.full());
        return true;
    }

    /** Paints frames in order, up to the first for which there is no room. */
    void paint(NativeFrames frames, List<PlacedFrame> items) {
        if (!stopping) {
            paintTogether(frames, items);
            return;
        }
        for (PlacedFrame item : items) {
            paintAlone(frames, item);
        }
    }

    /** It is known then which frame the memory does not suffice for. */
    private void paintAlone(NativeFrames frames, PlacedFrame item) {
        try {
            paintTogether(frames, Collections.singletonList(item));
        } catch (EndoramaException e) {
            if (e.status() != EndoramaException.Status.MEMORY) {
                throw e;
            }
            reach.stop(item.frame, reach.unionWith(item), e.getMessage());
        }
    }

    /** Memory is taken here: if it does not suffice, what is in use stays as it was. */
    private void paintTogether(NativeFrames frames, List<PlacedFrame> items) {
        Rect before = reach.used();
        List<PlacedFrame> fit = new ArrayList<PlacedFrame>();
        for (PlacedFrame item : items) {
            if (reach.full() != null || !reserve(item)) {
                break;
            }
            fit.add(item);
        }
        int[] slots = new int[fit.size()];
        NativeTransforms transforms = new NativeTransforms(fit.size());
        for (int i = 0; i < slots.length; i++) {
            slots[i] = fit.get(i).slot;
            fit.get(i).transform.put(transforms, i);
        }
        if (slots.length == 0) {
            return;
        }
        try {
            canvas.paint(frames, slots, transforms, -place.left, -place.top, painting);
        } catch (EndoramaException e) {
            reach.use(before);
            throw e;
        }
    }

    private boolean reserve(PlacedFrame item) {
        Rect union = reach.allowed(item);
        if (union == null) {
            return false;
        }
        grow(union);
        reach.use(union);
        return true;
    }

    /** The native canvas copies nothing and takes memory for what is painted only. */
    private void grow(Rect union) {
        if (place != null && place.contains(union)) {
            return;
        }
        Rect both = place == null ? union : place.union(union);
        Rect target = Math.max(both.width(), both.height()) <= Reach.LONGEST ? both : union;
        if (canvas == null) {
            canvas = NativeCanvas.create(context, type.code(), target.width(), target.height());
        } else {
            canvas.resize(target.width(), target.height(), place.left - target.left, place.top - target.top);
        }
        place = target;
    }

    /** A copy of what the painted frames reach; null if nothing was painted. */
    Panorama snapshot() {
        Rect used = reach.used();
        if (used == null) {
            return null;
        }
        PanoramaRows rows = keeping.create(type, used);
        try {
            int step = rows.pixels.band();
            for (int y = 0; y < used.height(); y += step) {
                copy(rows, used, y, Math.min(step, used.height() - y));
            }
        } catch (IOException e) {
            throw keeping.noRoom(used, e);
        }
        return new Panorama(used, 1, rows);
    }

    private void copy(PanoramaRows rows, Rect used, int first, int n) throws IOException {
        Object pixels = type.array(n * used.width());
        byte[] painted = new byte[n * used.width()];
        canvas.read(used.left - place.left, used.top - place.top + first, used.width(), n, pixels, painted);
        if (before != null) {
            addBefore(new Rect(used.left, used.top + first, used.right, used.top + first + n), pixels, painted);
        }
        rows.pixels.put(first, n, pixels);
        rows.painted.put(first, n, painted);
    }

    /** What was painted before shows where nothing was painted since; with ring painting, everywhere. */
    private void addBefore(Rect band, Object pixels, byte[] painted) throws IOException {
        boolean ring = painting == NativeCanvas.RING;
        int width = beforePlace.width();
        int top = Math.max(band.top, beforePlace.top);
        int n = Math.min(band.bottom, beforePlace.bottom) - top;
        if (n <= 0) {
            return;
        }
        Object earlier = before.rows(top - beforePlace.top, n);
        byte[] marks = before.paintedRows(top - beforePlace.top, n);
        for (int y = 0; y < n; y++) {
            int from = y * width;
            int to = (top - band.top + y) * band.width() + beforePlace.left - band.left;
            for (int x = 0; x < width;) {
                int run = 0;
                while (x + run < width && marks[from + x + run] != 0 && (ring || painted[to + x + run] == 0)) {
                    run++;
                }
                if (run > 0) {
                    System.arraycopy(earlier, from + x, pixels, to + x, run);
                    System.arraycopy(marks, from + x, painted, to + x, run);
                }
                x += run + 1;
            }
        }
    }

    @Override
    public void close() {
        if (canvas != null) {
            canvas.close();
        }
    }
}
