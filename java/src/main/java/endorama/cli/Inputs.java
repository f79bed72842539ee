package endorama.cli;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Masks;
import endorama.core.frames.ReadAhead;
import endorama.core.frames.VideoFrames;
import endorama.core.zarr.ZarrFrames;
import java.io.File;
import java.util.Locale;

/** Opens what --input names. */
final class Inputs {
    private Inputs() {
    }

    static FrameSource open(File file) throws FrameReadException {
        if (!file.exists()) {
            throw new FrameReadException(file + ": no such file or folder");
        }
        if (ZarrFrames.isZarr(file)) {
            return ReadAhead.of(new ZarrFrames(file));
        }
        if (file.isDirectory()) {
            return ReadAhead.of(new ImageFolder(file));
        }
        if (isTiff(file)) {
            return ReadAhead.of(OmeTiffFrames.of(new TiffStack(file)));
        }
        if (VideoFrames.isVideo(file)) {
            return new ReadAhead(video(file), 1);
        }
        throw new FrameReadException(file + ": must be a folder of images, an OME-Zarr, a TIFF stack or a video");
    }

    /** Opens a video; without ffmpeg ImageJ reads some AVI files. */
    private static FrameSource video(File file) throws FrameReadException {
        boolean avi = file.getName().toLowerCase(Locale.ROOT).endsWith(".avi");
        return avi && !VideoFrames.isReadable() ? new AviFrames(file) : new VideoFrames(file);
    }

    /** The TIFF that the frames come from; null for another kind of source. */
    static TiffStack tiff(FrameSource source) {
        return source.origin() instanceof TiffStack ? (TiffStack) source.origin() : null;
    }

    static boolean isTiff(File file) {
        String name = file.getName().toLowerCase(Locale.ROOT);
        return name.endsWith(".tif") || name.endsWith(".tiff");
    }

    /** A field of view from an image of the size of the frames: -1 where it is above 0. */
    static byte[] mask(File file, FrameSource source) throws FrameReadException {
        Image image = ImageFiles.read(file);
        if (image.width != source.width() || image.height != source.height()) {
            throw new FrameReadException(file + " is " + image.width + " x " + image.height + " pixels, the frames "
                    + source.width() + " x " + source.height());
        }
        return Masks.of(image.pixels);
    }
}
