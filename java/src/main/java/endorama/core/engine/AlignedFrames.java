package endorama.core.engine;

import endorama.core.frames.ForwardingFrames;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.transforms.Rect;
import endorama.core.transforms.Transform;
import endorama.jni.NativeAligner;
import endorama.jni.NativeContext;
import java.util.List;

/**
 * Frames moved to their places, each when it is asked for: in the size of the reference, or the part that all of them
 * show. Whole shifts move pixels as they are, others interpolate. Pixels that a frame does not show, and all of a frame
 * that could not be read, are 0.
 */
public final class AlignedFrames extends ForwardingFrames implements AutoCloseable {
    private final List<Transform> places;
    private final int threads;
    private final Rect rect;
    private NativeContext context;
    private NativeAligner aligner;

    /**
     * The first frames of a sequence.
     *
     * @param places frame -&gt; reference, of each of them; null: it is not shown
     * @param rect what is shown of the reference, px of it
     * @param threads of the CPU; 0: every processor
     */
    public AlignedFrames(FrameSource source, List<Transform> places, Rect rect, int threads) {
        super(source);
        this.places = places;
        this.rect = rect;
        this.threads = threads;
    }

    /** Column of these frames in which pixel (0, 0) of the reference lies; not above 0. */
    public int originX() {
        return -rect.left;
    }

    /** The same for its row. */
    public int originY() {
        return -rect.top;
    }

    @Override
    public int count() {
        return places.size();
    }

    @Override
    public int width() {
        return rect.width();
    }

    @Override
    public int height() {
        return rect.height();
    }

    @Override
    public Object pixels(int index) throws FrameReadException {
        Transform place = places.get(index);
        Object moved = type().array((int) rect.area());
        if (place != null) {
            Object pixels = Frames.pixels(source, index);
            if (place.kind == Transform.Kind.TRANSLATION && place.m02 == Math.rint(place.m02)
                    && place.m12 == Math.rint(place.m12)) {
                move(pixels, (int) place.m02, (int) place.m12, moved);
            } else {
                paint(pixels, place, moved);
            }
        }
        return moved;
    }

    private void move(Object pixels, int x, int y, Object moved) {
        int left = Math.max(rect.left, x);
        int n = Math.min(rect.right, x + source.width()) - left;
        int bottom = Math.min(rect.bottom, y + source.height());
        for (int row = Math.max(rect.top, y); row < bottom && n > 0; row++) {
            System.arraycopy(pixels, (row - y) * source.width() + left - x, moved,
                    (row - rect.top) * rect.width() + left - rect.left, n);
        }
    }

    private void paint(Object pixels, Transform transform, Object moved) {
        if (aligner == null) {
            open();
        }
        aligner.draw(pixels, transform.kind.ordinal(), transform.toArray(), -rect.left, -rect.top, moved);
    }

    /** On the CPU: a device would take longer to get a frame and give it back than to paint it. */
    private void open() {
        context = NativeContext.create(NativeContext.CPU, threads);
        aligner = NativeAligner.create(context, type().code(), source.width(), source.height(), rect.width(), rect.height());
    }

    @Override
    public void close() {
        if (aligner != null) {
            aligner.close();
        }
        if (context != null) {
            context.close();
        }
    }
}
