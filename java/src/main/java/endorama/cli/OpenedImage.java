package endorama.cli;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.picture.ImageSlices;
import ij.ImagePlus;
import ij.io.Opener;
import java.io.File;

/** Images that only ImageJ's readers open, such as DICOM, PGM and FITS. All slices are in memory. */
final class OpenedImage {
    private OpenedImage() {
    }

    /** @throws FrameReadException if its pixels are neither 8-bit, 16-bit nor RGB */
    static FrameSource slices(File file, ImagePlus image) throws FrameReadException {
        if (ImageSlices.type(image) == null) {
            throw new FrameReadException(file + ": its pixels are 32-bit; they must be 8-bit, 16-bit or RGB;"
                    + " convert them first");
        }
        return new ImageSlices(image, file.toString());
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
}
