package endorama.cli;

import endorama.core.FrameReadException;
import endorama.core.FrameSource;
import endorama.core.PixelType;
import ij.ImagePlus;
import ij.gui.Overlay;
import ij.io.FileInfo;
import ij.io.FileOpener;
import ij.io.Opener;
import ij.io.RoiDecoder;
import ij.plugin.FileInfoVirtualStack;
import ij.process.ImageProcessor;
import java.io.File;

/** The images of a TIFF file, read when asked for. */
final class TiffStack implements FrameSource {
    private final File file;
    private final FileInfo[] images;
    private final PixelType type;

    TiffStack(File file) throws FrameReadException {
        this.file = file;
        FileInfo[] found;
        try {
            found = Opener.getTiffFileInfo(file.getPath());
        } catch (RuntimeException e) {
            throw new FrameReadException(file + " cannot be read as TIFF: " + e, e);
        }
        if (found == null || found.length == 0) {
            throw new FrameReadException(file + " cannot be read as TIFF: " + (file.isFile() ? "not one, or damaged"
                    : "no such file"));
        }
        images = found.length == 1 && found[0].nImages > 1 ? contiguous(found[0]) : found;
        type = type(file, images[0]);
    }

    /** ImageJ's own stacks: one directory, and the images one after the other. */
    private static FileInfo[] contiguous(FileInfo first) {
        FileInfo[] images = new FileInfo[first.nImages];
        long size = (long) first.width * first.height * first.getBytesPerPixel();
        for (int i = 0; i < images.length; i++) {
            images[i] = (FileInfo) first.clone();
            images[i].nImages = 1;
            // FileOpener would read the number of images out of it again, and open the rest of the stack.
            images[i].description = null;
            images[i].stripOffsets = null;
            images[i].longOffset = first.getOffset() + i * (size + first.getGap());
            images[i].offset = 0;
        }
        return images;
    }

    private static PixelType type(File file, FileInfo info) throws FrameReadException {
        switch (info.fileType) {
            case FileInfo.GRAY8: return PixelType.GREY8;
            case FileInfo.GRAY16_SIGNED:
            case FileInfo.GRAY16_UNSIGNED:
            case FileInfo.GRAY12_UNSIGNED: return PixelType.GREY16;
            case FileInfo.COLOR8:
            case FileInfo.RGB:
            case FileInfo.RGB_PLANAR:
            case FileInfo.ARGB:
            case FileInfo.BARG:
            case FileInfo.CMYK: return PixelType.RGB32;
            default:
                throw new FrameReadException(file + ": frames must be 8-bit, 16-bit or RGB, these are " + kind(info)
                        + "; convert them first");
        }
    }

    private static String kind(FileInfo info) {
        return info.fileType == FileInfo.GRAY32_FLOAT ? "32-bit float" : "of ImageJ's file type " + info.fileType;
    }

    @Override
    public int count() {
        return images.length;
    }

    @Override
    public int width() {
        return images[0].width;
    }

    @Override
    public int height() {
        return images[0].height;
    }

    @Override
    public PixelType type() {
        return type;
    }

    @Override
    public String label(int index) {
        String[] labels = images[0].sliceLabels;
        return labels != null && index < labels.length && labels[index] != null ? labels[index] : "";
    }

    @Override
    public Object pixels(int index) throws FrameReadException {
        Image image = image(index);
        if (image.width != width() || image.height != height() || image.type != type) {
            throw new FrameReadException("frame " + (index + 1) + " of " + file + " is " + image.width + " x "
                    + image.height + " " + image.type + ", the first frame " + width() + " x " + height() + " " + type);
        }
        return image.pixels;
    }

    /** Gives an image the calibration, dimensions, overlay and colours of the file. */
    void giveLook(ImagePlus image) {
        ImagePlus look = count() == 1 ? new FileOpener((FileInfo) images[0].clone()).openImage()
                : FileInfoVirtualStack.openVirtual(file.getPath());
        if (look == null) {
            return;
        }
        image.setCalibration(look.getCalibration());
        image.setOverlay(overlay());
        image.setProperty("Info", look.getInfoProperty());
        if (look.getStackSize() == count()) {
            image.setDimensions(look.getNChannels(), look.getNSlices(), look.getNFrames());
            image.setOpenAsHyperStack(look.isHyperStack());
        }
        if (type == PixelType.GREY8) {
            image.getProcessor().setColorModel(look.getProcessor().getColorModel());
            image.setDisplayRange(look.getDisplayRangeMin(), look.getDisplayRangeMax());
        }
    }

    private Overlay overlay() {
        Overlay overlay = new Overlay();
        for (byte[] roi : images[0].overlay == null ? new byte[0][] : images[0].overlay) {
            overlay.add(RoiDecoder.openFromByteArray(roi));
        }
        return overlay.size() == 0 ? null : overlay;
    }

    /** One image of the file. */
    Image image(int index) throws FrameReadException {
        FileInfo info = images[index];
        String name = "frame " + (index + 1) + " of " + file;
        PixelType is = type(file, info);
        long bytes = (long) info.width * info.height * info.getBytesPerPixel();
        if (info.compression <= FileInfo.COMPRESSION_NONE && info.stripOffsets == null
                && info.getOffset() + bytes > file.length()) {
            throw new FrameReadException(name + " cannot be read: the file ends before it; it may be truncated");
        }
        ImageProcessor ip;
        try {
            ImagePlus image = new FileOpener((FileInfo) info.clone()).openImage();
            ip = image == null ? null : image.getProcessor();
        } catch (RuntimeException | LinkageError e) {
            throw FrameReadException.because(name, e);
        }
        if (ip == null) {
            throw new FrameReadException(name + " cannot be read: damaged, or compressed in an unknown way");
        }
        Object pixels = is == PixelType.RGB32 ? ip.convertToRGB().getPixels() : ip.getPixels();
        if (is.length(pixels) < 0) {
            throw new FrameReadException(name + " cannot be read: " + kind(info) + " is not supported");
        }
        return new Image(is, ip.getWidth(), ip.getHeight(), pixels);
    }
}
