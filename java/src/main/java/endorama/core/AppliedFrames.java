package endorama.core;

import endorama.jni.NativeCanvas;
import java.util.List;

/**
 * Frames in the places that known transforms give them, in the size of a frame, each moved when it is asked for.
 * Pixels that a frame does not reach, and all of a frame that cannot be read, are 0.
 */
public final class AppliedFrames extends ForwardingFrames implements AutoCloseable {
    private final Transforms transforms;
    private final List<Integer> usable;
    private final Progress progress;
    private final MosaicParameters parameters;
    private final BackEnd backEnd;
    private FrameStore store;
    private NativeCanvas canvas;
    /** What the store was opened with. */
    private String opened;
    private int unreadable;

    /** usable: numbers, from 0, of the frames that have a transform. */
    AppliedFrames(FrameSource source, Transforms transforms, List<Integer> usable, MosaicParameters parameters,
            Progress progress) throws FrameReadException {
        super(source);
        this.transforms = transforms;
        this.usable = usable;
        this.progress = progress;
        this.parameters = parameters;
        backEnd = BackEnd.open(source, parameters, source.count(), progress);
        try {
            Persistence.run(backEnd, 1, progress, one -> open());
        } catch (FrameReadException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private void open() throws FrameReadException {
        closeStore();
        FieldOfView field = FieldOfView.find(backEnd.context(), source, parameters, progress);
        store = new FrameStore(backEnd.context(), source, ApplyTransforms.options(source, field, parameters, 1));
        canvas = NativeCanvas.create(backEnd.context(), source.type().code(), source.width(), source.height());
        opened = backEnd.description();
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
            Persistence.run(backEnd, 1, progress, one -> place(frame, pixels));
        } catch (FrameReadException e) {
            unreadable++;
            progress.lost(e.getMessage() + "; left black");
        }
        store.keepOnly(-1);
        return pixels;
    }

    private void place(int frame, Object pixels) throws FrameReadException {
        if (!opened.equals(backEnd.description())) {
            open();
        }
        int slot = store.read(frame);
        canvas.clear();
        canvas.paint(store.frames(), new int[] {slot}, transforms.get(frame + 1).alone(), 0, 0, NativeCanvas.UNION);
        canvas.read(0, 0, width(), height(), pixels, null);
    }

    @Override
    public void close() {
        closeStore();
        backEnd.close();
    }

    private void closeStore() {
        if (canvas != null) {
            canvas.close();
        }
        if (store != null) {
            store.close();
        }
        canvas = null;
        store = null;
    }
}
