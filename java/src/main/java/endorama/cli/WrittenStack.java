package endorama.cli;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelType;
import endorama.picture.ImageSlices;
import ij.VirtualStack;
import ij.process.ImageProcessor;
import java.io.UncheckedIOException;

/** Frames as a stack to be written: one is in memory. Reading them throws {@link UncheckedIOException}. */
final class WrittenStack extends VirtualStack {
    /** Thrown when the progress asks to stop. */
    static final class Stopped extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private final FrameSource frames;
    private final Progress progress;
    /** The last slice, kept because ImageJ asks for the first one several times. */
    private ImageProcessor last;
    private int lastNumber;

    WrittenStack(FrameSource frames, Progress progress) {
        super(frames.width(), frames.height(), frames.count());
        this.frames = frames;
        this.progress = progress;
        setBitDepth(frames.type() == PixelType.RGB32 ? 24 : 8 * frames.type().bytes());
    }

    /** Number of the last slice requested. */
    int done() {
        return lastNumber;
    }

    @Override
    public ImageProcessor getProcessor(int n) {
        if (n == lastNumber) {
            return last;
        }
        if (progress.cancelled()) {
            throw new Stopped();
        }
        try {
            last = ImageSlices.processor(frames.pixels(n - 1), frames.width(), frames.height());
            lastNumber = n;
            progress.progress(n, frames.count());
            return last;
        } catch (FrameReadException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String getSliceLabel(int n) {
        String label = frames.label(n - 1);
        return label.isEmpty() ? null : label;
    }
}
