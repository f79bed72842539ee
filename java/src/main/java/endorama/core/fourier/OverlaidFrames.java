package endorama.core.fourier;

import endorama.core.engine.AlignedFrames;
import endorama.core.frames.ForwardingFrames;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.frames.PixelType;
import endorama.core.frames.StretchedFrames;

/**
 * Each aligned frame in green over its reference in magenta, in the coordinates of the reference: grey where they agree. Of a
 * frame that is not registered only the reference is shown. 16 bit is reduced to 8.
 */
public final class OverlaidFrames extends ForwardingFrames implements AutoCloseable {
    private final FourierResult result;
    private final AlignedFrames aligned;
    /** The other image; null: references are frames of the sequence. */
    private final FrameSource onto;

    /** The frames that the result has rows for. */
    public OverlaidFrames(FrameSource source, FourierResult result, FourierParameters parameters) {
        this(result.aligned(StretchedFrames.of(source), parameters.threads()), result, parameters.onto());
    }

    private OverlaidFrames(AlignedFrames aligned, FourierResult result, FrameSource onto) {
        super(aligned);
        this.result = result;
        this.aligned = aligned;
        this.onto = onto == null ? null : StretchedFrames.of(onto);
    }

    @Override
    public PixelType type() {
        return PixelType.RGB32;
    }

    @Override
    public Object pixels(int index) throws FrameReadException {
        byte[] frame = grey(aligned.pixels(index));
        int reference = Frames.index(aligned, result.rows().get(index).reference);
        byte[] under = reference == index ? frame : reference >= 0 ? grey(aligned.pixels(reference))
                : onto != null ? grey(Frames.pixels(onto, 0)) : new byte[frame.length];
        int[] colours = new int[frame.length];
        for (int i = 0; i < colours.length; i++) {
            colours[i] = 0xff000000 | (under[i] & 0xff) * 0x010001 | (frame[i] & 0xff) << 8;
        }
        return colours;
    }

    /** Luma of colours. */
    private static byte[] grey(Object pixels) {
        if (pixels instanceof byte[]) {
            return (byte[]) pixels;
        }
        int[] colours = (int[]) pixels;
        byte[] grey = new byte[colours.length];
        for (int i = 0; i < grey.length; i++) {
            int c = colours[i];
            grey[i] = (byte) ((77 * (c >> 16 & 0xff) + 150 * (c >> 8 & 0xff) + 29 * (c & 0xff) + 128) >> 8);
        }
        return grey;
    }

    @Override
    public void close() {
        aligned.close();
    }
}
