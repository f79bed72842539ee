package endorama.cli;

import endorama.core.FrameReadException;
import endorama.core.FrameSource;
import endorama.core.PixelType;
import ij.ImagePlus;
import ij.io.Opener;
import ij.process.ImageProcessor;
import java.io.File;

/** The slices of a file that only ImageJ's own readers know: DICOM, PGM, FITS and their like. In memory. */
final class OpenedImage implements FrameSource {
    private final File file;
    private final ImagePlus image;
    private final PixelType type;

    /** @throws FrameReadException if its pixels are neither 8-bit, 16-bit nor RGB */
    OpenedImage(File file, ImagePlus image) throws FrameReadException {
        this.file = file;
        this.image = image;
        switch (image.getType()) {
            case ImagePlus.GRAY8: type = PixelType.GREY8; break;
            case ImagePlus.GRAY16: type = PixelType.GREY16; break;
            case ImagePlus.COLOR_256:
            case ImagePlus.COLOR_RGB: type = PixelType.RGB32; break;
            default: throw new FrameReadException(file + ": its pixels are 32-bit; they must be 8-bit, 16-bit or RGB;"
                    + " convert them first");
        }
    }

    /** @throws FrameReadException if ImageJ cannot open it */
    static ImagePlus open(File file) throws FrameReadException {
        ImagePlus image;
        try {
            Opener opener = new Opener();
            opener.setSilentMode(true);
            image = opener.getFileType(file.getPath()) == Opener.UNKNOWN ? null : opener.openImage(file.getPath());
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
            throw FrameReadException.because(file.toString(), e);
        }
        if (image == null) {
            throw new FrameReadException(file + ": is no NIfTI file, and no image that ImageJ opens");
        }
        return image;
    }

    @Override
    public int count() {
        return image.getStackSize();
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
        String label = image.getStack().getShortSliceLabel(index + 1);
        return label == null ? "" : label;
    }

    @Override
    public Object pixels(int index) {
        ImageProcessor slice = image.getStack().getProcessor(index + 1);
        return image.getType() == ImagePlus.COLOR_256 ? slice.convertToRGB().getPixels() : slice.getPixels();
    }
}
