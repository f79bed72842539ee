package endorama.core.mosaic;

import endorama.core.common.Progress;
import endorama.core.engine.FieldOfView;
import endorama.core.engine.FrameSession;
import endorama.core.engine.FrameStore;
import endorama.core.frames.ForwardingFrames;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.StraightFrames;
import endorama.core.options.MosaicParameters;
import endorama.core.transforms.Rect;
import endorama.core.transforms.Transforms;
import endorama.jni.NativeCanvas;
import java.util.List;

/**
 * Frames in the places that known transforms give them, in the size of a frame or of what all of them take, each moved when
 * it is asked for.
 * Pixels that a frame does not reach, and all of a frame that cannot be read, are 0.
 */
public final class AppliedFrames extends ForwardingFrames implements AutoCloseable {
    private final Transforms transforms;
    private final List<Integer> usable;
    private final Progress progress;
    private final MosaicParameters parameters;
    private final FrameSession session;
    /** What is shown of the first frame's plane. */
    private final Rect rect;
    private FieldOfView field;
    private NativeCanvas canvas;
    /** What the canvas was made beside. */
    private FrameStore store;
    private int unreadable;

    /** usable: numbers, from 0, of the frames that have a transform. */
    AppliedFrames(FrameSource source, Transforms transforms, List<Integer> usable, MosaicParameters parameters,
            Progress progress) throws FrameReadException {
        super(source);
        this.transforms = transforms;
        this.usable = usable;
        this.progress = progress;
        this.parameters = parameters;
        rect = parameters.showsAll() ? all() : new Rect(0, 0, source.width(), source.height());
        session = new FrameSession(source, parameters, source.count(), progress);
        try {
            session.persist(() -> field = FieldOfView.find(session.backEnd().context(), source, parameters, progress));
            session.open(() -> 1, () -> 1, (context, one) -> new FrameStore(context, source,
                    ApplyTransforms.options(source, field, parameters, one)));
        } catch (FrameReadException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Around all frames. */
    private Rect all() {
        Rect frame = new Rect(0, 0, source.width(), source.height());
        Rect all = null;
        for (int one : usable) {
            Rect there = frame.transformed(transforms.get(one + 1));
            all = there == null || all == null ? there : all.union(there);
            if (all == null || all.area() > Math.min(parameters.maxCanvas(), Integer.MAX_VALUE - 8)
                    || Math.max(all.width(), all.height()) > NativeCanvas.LONGEST) {
                throw new IllegalArgumentException("extent All: with frame " + (one + 1) + " the frames take "
                        + (all == null ? "endlessly much" : all.width() + " x " + all.height() + " px") + "; max_canvas"
                        + " allows " + parameters.maxCanvas() / 1000000 + " megapixels");
            }
        }
        return all;
    }

    /** Column of these frames in which pixel (0, 0) of the first frame lies. */
    public int originX() {
        return -rect.left;
    }

    /** The same for its row. */
    public int originY() {
        return -rect.top;
    }

    @Override
    public int width() {
        return rect.width();
    }

    @Override
    public int height() {
        return rect.height();
    }

    /** Number, from 1, that frame index, 0..count-1, has in the sequence. */
    public int number(int index) {
        return usable.get(index) + 1;
    }

    /** Frames given so far that could not be read. */
    public int unreadable() {
        return unreadable;
    }

    @Override
    public int count() {
        return usable.size();
    }

    @Override
    public String label(int index) {
        return source.label(usable.get(index));
    }

    @Override
    public Object pixels(int index) {
        int frame = usable.get(index);
        Object pixels = type().array(width() * height());
        try {
            session.persist(() -> place(frame, pixels));
        } catch (FrameReadException e) {
            unreadable++;
            progress.lost(e.getMessage() + "; left black");
        }
        session.store().keepOnly();
        return pixels;
    }

    private void place(int frame, Object pixels) throws FrameReadException {
        int slot = session.store().read(frame);
        if (store != session.store()) {
            closeCanvas();
            canvas = NativeCanvas.create(session.backEnd().context(), source.type().code(), width(), height());
            store = session.store();
        }
        canvas.clear();
        canvas.paint(store.frames(), new int[] {slot}, transforms.get(frame + 1).alone(), -rect.left, -rect.top,
                NativeCanvas.UNION);
        canvas.read(0, 0, width(), height(), pixels, null);
    }

    @Override
    public void close() {
        closeCanvas();
        session.close();
        StraightFrames.close(source);
    }

    private void closeCanvas() {
        if (canvas != null) {
            canvas.close();
        }
        canvas = null;
    }
}
