package endorama.plugin;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.picture.ImageSlices;
import ij.VirtualStack;
import ij.process.ImageProcessor;
import java.io.UncheckedIOException;

/** Frames as a virtual stack of ImageJ, each read when its slice is requested. */
final class FrameStack extends VirtualStack {
    private final FrameSource frames;

    FrameStack(FrameSource frames) {
        super(frames.width(), frames.height());
        this.frames = frames;
        setBitDepth(frames.type() == endorama.core.frames.PixelType.RGB32 ? 24 : 8 * frames.type().bytes());
    }

    @Override
    public ImageProcessor getProcessor(int n) {
        Object pixels;
        try {
            pixels = frames.pixels(n - 1);
        } catch (FrameReadException e) {
            throw new UncheckedIOException(e);
        }
        // A copy, because drawing into a slice must not change the cached frame.
        return ImageSlices.processor(pixels, frames.width(), frames.height()).duplicate();
    }

    @Override
    public int getSize() {
        return frames.count();
    }

    @Override
    public String getSliceLabel(int n) {
        String label = frames.label(n - 1);
        if (label != null && !label.isEmpty()) {
            return label;
        }
        return frames.number(n - 1) == n ? null : "frame " + frames.number(n - 1);
    }
}
