package endorama.core.frames;

import endorama.core.options.MosaicParameters;
import endorama.jni.EndoramaException;
import endorama.jni.NativeContext;
import endorama.jni.NativeLens;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A sequence without the distortion of its lens: every frame is resampled when it is read. Its middle keeps its size, and
 * the frame its size: what a barrel has drawn into it from beyond is cut off, what a cushion leaves over is black.
 */
public final class StraightFrames extends ForwardingFrames implements AutoCloseable {
    /** Arrays that wait to be used again. */
    private static final int SPARE = 4;

    private final NativeContext context;
    private final NativeLens lens;
    private final Deque<Object> spare = new ArrayDeque<Object>();

    private StraightFrames(FrameSource source, double percent, int threads) {
        super(source);
        context = NativeContext.create(NativeContext.CPU, threads);
        lens = NativeLens.create(context, source.width(), source.height(), percent);
    }

    /** The source itself unless the parameters name a lens; {@link #close} gives back what that takes. */
    public static FrameSource of(FrameSource source, MosaicParameters parameters) {
        return parameters.lens() == 0 ? source : new StraightFrames(source, parameters.lens(), parameters.threads());
    }

    /** Gives back what frames without the distortion of a lens take; of others nothing. */
    public static void close(FrameSource frames) {
        if (frames instanceof StraightFrames) {
            ((StraightFrames) frames).close();
        }
    }

    @Override
    public synchronized Object pixels(int index) throws FrameReadException {
        Object shown = Frames.pixels(source, index);
        Object made = spare.isEmpty() ? type().array(width() * height()) : spare.pop();
        try {
            lens.undistort(shown, type().code(), made);
        } catch (EndoramaException e) {
            throw new FrameReadException(Frames.name(source, index) + ": " + e.getMessage(), e);
        }
        source.giveBack(index, shown);
        return made;
    }

    /** A mask of the frames as the scope shows them (null: all of them), as it lies on these. */
    public byte[] mask(byte[] shown) {
        return lens.mask(shown);
    }

    @Override
    public FrameSource asShown() {
        return source;
    }

    @Override
    public FrameSource origin() {
        return source.origin();
    }

    @Override
    public void expect(int[] frames) {
        source.expect(frames);
    }

    @Override
    public synchronized void giveBack(int index, Object pixels) {
        if (spare.size() < SPARE) {
            spare.push(pixels);
        }
    }

    @Override
    public void close() {
        lens.close();
        context.close();
    }
}
