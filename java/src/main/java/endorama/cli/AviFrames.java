package endorama.cli;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelType;
import ij.ImageStack;
import ij.plugin.AVI_Reader;
import ij.process.ByteProcessor;
import ij.process.ColorProcessor;
import ij.process.ImageProcessor;
import java.io.File;

/** The frames of an AVI file that ImageJ reads by itself: without compression, or with that of JPEG or PNG. */
final class AviFrames implements FrameSource {
    private final File file;
    private final ImageStack stack;
    private final PixelType type;

    AviFrames(File file) throws FrameReadException {
        this.file = file;
        AVI_Reader reader = new AVI_Reader();
        ImageStack frames;
        try {
            frames = reader.makeStack(file.getPath(), 1, 0, true, false, false);
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
            throw FrameReadException.because(file.toString(), e);
        }
        if (frames == null || frames.getSize() == 0) {
            throw new FrameReadException(file + " cannot be read without ffmpeg (Debian, Ubuntu: apt-get install ffmpeg);"
                    + " ImageJ says of it: " + reader.getErrorText());
        }
        stack = frames;
        type = type(processor(0));
    }

    private PixelType type(ImageProcessor ip) throws FrameReadException {
        if (ip instanceof ColorProcessor || ip instanceof ByteProcessor) {
            return ip instanceof ByteProcessor ? PixelType.GREY8 : PixelType.RGB32;
        }
        throw new FrameReadException(file + ": frames must be 8-bit or RGB");
    }

    private ImageProcessor processor(int index) throws FrameReadException {
        try {
            ImageProcessor ip = stack.getProcessor(index + 1);
            if (ip != null) {
                return ip;
            }
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
            throw FrameReadException.because("frame " + (index + 1) + " of " + file, e);
        }
        throw new FrameReadException("frame " + (index + 1) + " of " + file + " cannot be read");
    }

    @Override
    public int count() {
        return stack.getSize();
    }

    @Override
    public int width() {
        return stack.getWidth();
    }

    @Override
    public int height() {
        return stack.getHeight();
    }

    @Override
    public PixelType type() {
        return type;
    }

    @Override
    public synchronized Object pixels(int index) throws FrameReadException {
        return processor(index).getPixels();
    }
}
