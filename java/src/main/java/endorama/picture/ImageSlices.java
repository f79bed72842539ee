package endorama.picture;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelType;
import ij.ImagePlus;
import ij.ImageStack;
import ij.process.ByteProcessor;
import ij.process.ColorProcessor;
import ij.process.ImageProcessor;
import ij.process.ShortProcessor;

/** The slices of an image as frames, each read on demand; colours of a palette become RGB. */
public final class ImageSlices implements FrameSource {
    private final ImagePlus image;
    /** Kept because an image that is closed meanwhile loses its stack. */
    private final ImageStack stack;
    private final String name;
    private final PixelType type;

    /**
     * The slices of an image that has a {@link #type}.
     *
     * @param name in messages
     */
    public ImageSlices(ImagePlus image, String name) {
        this.image = image;
        this.stack = image.getStack();
        this.name = name;
        this.type = type(image);
    }

    /** The type of the image's pixels as frames; null for 32-bit ones. */
    public static PixelType type(ImagePlus image) {
        switch (image.getType()) {
            case ImagePlus.GRAY8: return PixelType.GREY8;
            case ImagePlus.GRAY16: return PixelType.GREY16;
            case ImagePlus.COLOR_256:
            case ImagePlus.COLOR_RGB: return PixelType.RGB32;
            default: return null;
        }
    }

    /** pixels: byte[], short[] or int[] (RGB); not copied. */
    public static ImageProcessor processor(Object pixels, int width, int height) {
        if (pixels instanceof byte[]) {
            return new ByteProcessor(width, height, (byte[]) pixels);
        }
        if (pixels instanceof short[]) {
            return new ShortProcessor(width, height, (short[]) pixels, null);
        }
        return new ColorProcessor(width, height, (int[]) pixels);
    }

    @Override
    public int count() {
        return stack.getSize();
    }

    @Override
    public int width() {
        return image.getWidth();
    }

    @Override
    public int height() {
        return image.getHeight();
    }

    @Override
    public PixelType type() {
        return type;
    }

    @Override
    public String label(int index) {
        String label = stack.getShortSliceLabel(index + 1);
        return label == null ? "" : label;
    }

    /** Slices in memory are at hand, unless a palette has to be converted. */
    @Override
    public boolean isAtHand(int index) {
        return !stack.isVirtual() && image.getType() != ImagePlus.COLOR_256;
    }

    /** Synchronized, because ImageJ's stacks are not known to be thread-safe. */
    @Override
    public synchronized Object pixels(int index) throws FrameReadException {
        String frame = "frame " + (index + 1) + " of " + name;
        ImageProcessor slice = slice(index, frame);
        if (slice.getWidth() != width() || slice.getHeight() != height()) {
            throw new FrameReadException(frame + " is " + slice.getWidth() + " x " + slice.getHeight()
                    + " pixels, the first frame " + width() + " x " + height());
        }
        // Palette indices mean nothing as numbers.
        Object pixels = image.getType() == ImagePlus.COLOR_256 ? slice.convertToRGB().getPixels() : slice.getPixels();
        if (type.length(pixels) < 0) {
            throw new FrameReadException(frame + " is " + slice.getBitDepth() + "-bit, the first frame "
                    + 8 * type.bytes() + "-bit");
        }
        return pixels;
    }

    private ImageProcessor slice(int index, String frame) throws FrameReadException {
        try {
            ImageProcessor slice = stack.getProcessor(index + 1);
            if (slice != null && slice.getPixels() != null) {
                return slice;
            }
        } catch (RuntimeException | LinkageError e) {
            throw FrameReadException.because(frame, e);
        }
        throw new FrameReadException(frame + " cannot be read");
    }
}
