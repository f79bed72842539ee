package endorama.core;

import endorama.jni.EndoramaException;
import endorama.jni.NativeCanvas;
import endorama.jni.NativeContext;
import endorama.jni.NativeFrames;
import endorama.jni.NativeTransforms;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The growing canvas: a native canvas, and where it lies. It never grows beyond its limit; what was painted stays. */
final class PanoramaCanvas implements AutoCloseable {
    /** A frame to paint: its number from 0, its slot, frame -&gt; first frame, and the part that it belongs to. */
    static final class Item {
        final int frame;
        final int slot;
        final Transform transform;
        final int part;

        Item(int frame, int slot, Transform transform) {
            this(frame, slot, transform, 0);
        }

        Item(int frame, int slot, Transform transform, int part) {
            this.frame = frame;
            this.slot = slot;
            this.transform = transform;
            this.part = part;
        }
    }

    private final NativeContext context;
    private final PixelType type;
    private final int painting;
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
     * @param maxPixels largest area; Java's arrays and heap may set a smaller one
     */
    PanoramaCanvas(NativeContext context, PixelType type, int painting, Rect field, long maxPixels) {
        this.context = context;
        this.type = type;
        this.painting = painting;
        reach = new Reach(type, field, maxPixels);
    }

    /** An empty canvas like another, in another context. */
    PanoramaCanvas(NativeContext context, PanoramaCanvas other) {
        this.context = context;
        type = other.type;
        painting = other.painting;
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
    void paint(NativeFrames frames, List<Item> items) {
        if (!stopping) {
            paintTogether(frames, items);
            return;
        }
        for (Item item : items) {
            paintAlone(frames, item);
        }
    }

    /** It is known then which frame the memory does not suffice for. */
    private void paintAlone(NativeFrames frames, Item item) {
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
    private void paintTogether(NativeFrames frames, List<Item> items) {
        Rect before = reach.used();
        List<Item> fit = new ArrayList<Item>();
        for (Item item : items) {
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

    private boolean reserve(Item item) {
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
        Object pixels = type.array((int) used.area());
        byte[] painted = new byte[(int) used.area()];
        canvas.read(used.left - place.left, used.top - place.top, used.width(), used.height(), pixels, painted);
        if (before != null) {
            addBefore(used, pixels, painted);
        }
        return new Panorama(type, used, pixels, painted);
    }

    /** What was painted before shows where nothing was painted since; with ring painting, everywhere. */
    private void addBefore(Rect used, Object pixels, byte[] painted) {
        byte[] marks = before.painted();
        boolean ring = painting == NativeCanvas.RING;
        int width = beforePlace.width();
        for (int y = 0; y < beforePlace.height(); y++) {
            int from = y * width;
            int to = (beforePlace.top - used.top + y) * used.width() + beforePlace.left - used.left;
            for (int x = 0; x < width;) {
                int run = 0;
                while (x + run < width && marks[from + x + run] != 0 && (ring || painted[to + x + run] == 0)) {
                    run++;
                }
                if (run > 0) {
                    System.arraycopy(before.pixels(), from + x, pixels, to + x, run);
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
