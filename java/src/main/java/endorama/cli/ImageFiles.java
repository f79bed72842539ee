package endorama.cli;

import endorama.core.AtomicFile;
import endorama.core.FrameReadException;
import endorama.core.Panorama;
import endorama.core.PixelType;
import ij.ImagePlus;
import ij.ImageStack;
import ij.VirtualStack;
import ij.io.FileInfo;
import ij.io.FileSaver;
import ij.io.TiffEncoder;
import ij.process.ByteProcessor;
import ij.process.ColorProcessor;
import ij.process.ImageProcessor;
import ij.process.ShortProcessor;
import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.DataBufferByte;
import java.awt.image.IndexColorModel;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import javax.imageio.ImageIO;

/** Single images in files: read by ImageIO and ImageJ, written as PNG or TIFF, whole or not at all. */
final class ImageFiles {
    static {
        ImageIO.setUseCache(false);
    }

    private ImageFiles() {
    }

    /** @throws FrameReadException that names the file and says why */
    static Image read(File file) throws FrameReadException {
        if (Inputs.isTiff(file)) {
            return new TiffStack(file).image(0);
        }
        BufferedImage image;
        try {
            image = ImageIO.read(file);
        } catch (IOException | RuntimeException | LinkageError e) {
            throw FrameReadException.because(file.toString(), e);
        }
        if (image == null) {
            throw new FrameReadException(file + " cannot be read: not an image, or damaged");
        }
        return convert(image);
    }

    private static Image convert(BufferedImage image) {
        int w = image.getWidth();
        int h = image.getHeight();
        boolean single = image.getRaster().getNumBands() == 1 && !(image.getColorModel() instanceof IndexColorModel);
        int kind = image.getRaster().getDataBuffer().getDataType();
        if (single && kind == DataBuffer.TYPE_BYTE) {
            return new Image(PixelType.GREY8, w, h, image.getRaster().getDataElements(0, 0, w, h, new byte[w * h]));
        }
        if (single && kind == DataBuffer.TYPE_USHORT) {
            return new Image(PixelType.GREY16, w, h, image.getRaster().getDataElements(0, 0, w, h, new short[w * h]));
        }
        if (image.getType() == BufferedImage.TYPE_3BYTE_BGR) {
            return new Image(PixelType.RGB32, w, h, fromBgr(image, w * h));
        }
        return new Image(PixelType.RGB32, w, h, image.getRGB(0, 0, w, h, null, 0, w));
    }

    private static int[] fromBgr(BufferedImage image, int n) {
        byte[] bgr = ((DataBufferByte) image.getRaster().getDataBuffer()).getData();
        int[] rgb = new int[n];
        for (int i = 0, j = 0; i < n; i++, j += 3) {
            rgb[i] = 0xff000000 | (bgr[j + 2] & 0xff) << 16 | (bgr[j + 1] & 0xff) << 8 | bgr[j] & 0xff;
        }
        return rgb;
    }

    /** @throws IllegalArgumentException unless the name is that of a picture that can be written */
    static void checkName(File file) {
        String name = file.getName().toLowerCase(Locale.ROOT);
        if (!name.endsWith(".png") && !Inputs.isTiff(file)) {
            throw new IllegalArgumentException(file + ": must end in .png, .tif or .tiff");
        }
    }

    static ImageProcessor processor(PixelType type, int width, int height, Object pixels) {
        switch (type) {
            case GREY8: return new ByteProcessor(width, height, (byte[]) pixels);
            case GREY16: return new ShortProcessor(width, height, (short[]) pixels, null);
            default: return new ColorProcessor(width, height, (int[]) pixels);
        }
    }

    /** A panorama; a TIFF keeps where the first frame lies as the origin of its calibration. */
    static void write(File file, Panorama panorama) throws IOException {
        ImageProcessor ip = processor(panorama.type(), panorama.width(), panorama.height(), panorama.pixels());
        if (!Inputs.isTiff(file)) {
            writePng(file, ip);
            return;
        }
        ImagePlus image = new ImagePlus(file.getName(), ip);
        image.getCalibration().xOrigin = panorama.originX();
        image.getCalibration().yOrigin = panorama.originY();
        writeTiff(file, image);
    }

    static void writePng(File file, ImageProcessor ip) throws IOException {
        final BufferedImage image = ip instanceof ShortProcessor ? ((ShortProcessor) ip).get16BitBufferedImage()
                : ip.getBufferedImage();
        AtomicFile.write(file, new AtomicFile.Content() {
            @Override
            public void writeTo(OutputStream out) throws IOException {
                if (!ImageIO.write(image, "png", out)) {
                    throw new IOException("this Java writes no PNG of this kind");
                }
            }
        });
    }

    /** An image or a stack; a virtual stack is written slice by slice. */
    static void writeTiff(File file, ImagePlus image) throws IOException {
        final FileInfo info = image.getFileInfo();
        ImageStack stack = image.getStack();
        info.nImages = stack.getSize();
        if (stack.isVirtual()) {
            info.virtualStack = (VirtualStack) stack;
        }
        info.description = new FileSaver(image).getDescriptionString();
        info.info = image.getInfoProperty();
        info.overlay = FileSaver.getOverlay(image);
        info.sliceLabels = labels(stack);
        AtomicFile.write(file, new AtomicFile.Content() {
            @Override
            public void writeTo(OutputStream out) throws IOException {
                BufferedOutputStream buffered = new BufferedOutputStream(out, 1 << 16);
                new TiffEncoder(info).write(buffered);
                buffered.flush();
            }
        });
    }

    /** Null if no image has one. */
    private static String[] labels(ImageStack stack) {
        String[] labels = new String[stack.getSize()];
        boolean some = false;
        for (int i = 0; i < labels.length; i++) {
            labels[i] = stack.getSliceLabel(i + 1);
            some |= labels[i] != null;
        }
        return some ? labels : null;
    }
}
