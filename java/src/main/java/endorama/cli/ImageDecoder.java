package endorama.cli;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelType;
import java.awt.Dimension;
import java.awt.image.BufferedImage;
import java.awt.image.ColorModel;
import java.awt.image.DataBuffer;
import java.awt.image.DataBufferByte;
import java.awt.image.IndexColorModel;
import java.awt.image.Raster;
import java.io.Closeable;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.util.Iterator;
import java.util.Locale;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;

/**
 * An image file that ImageIO decodes. An image decoded with a warning about missing or corrupt data is refused: the readers of
 * JPEG and GIF would fill up with grey or black.
 *
 * <p>Grey values are those stored, whatever gamma the file names; transparency is left out; palettes, CMYK and 16-bit colours
 * become 8-bit RGB. An orientation for viewers (EXIF) is not applied.
 */
final class ImageDecoder implements Closeable {
    /** Told the size of an image before it is decoded. */
    interface SizeCheck {
        void check(int width, int height) throws FrameReadException;
    }

    static final SizeCheck ANY_SIZE = (width, height) -> { };

    private final ImageInputStream in;
    private final ImageReader reader;
    private String damage;

    private ImageDecoder(ImageInputStream in, ImageReader reader) {
        this.in = in;
        this.reader = reader;
        reader.setInput(in);
        reader.addIIOReadWarningListener((source, warning) -> warned(warning));
    }

    /** @throws IOException if it is of no known format */
    static ImageDecoder open(File file) throws IOException {
        ImageInputStream in = ImageIO.createImageInputStream(file);
        ImageDecoder opened = null;
        try {
            Iterator<ImageReader> readers = in == null ? null : ImageIO.getImageReaders(in);
            if (readers == null || !readers.hasNext()) {
                throw new IOException("not an image, or damaged");
            }
            opened = new ImageDecoder(in, readers.next());
            return opened;
        } finally {
            if (opened == null && in != null) {
                in.close();
            }
        }
    }

    /** Takes note of a warning: these words of the libraries mean that pixels are made up. */
    private void warned(String warning) {
        String lower = warning == null ? "" : warning.toLowerCase(Locale.ROOT);
        if (lower.contains("corrupt") || lower.contains("premature") || lower.contains("truncated")
                || lower.contains("missing") || lower.contains("end of") || lower.contains("eof")) {
            damage = damage == null ? warning : damage;
        }
    }

    Dimension size(int index) throws IOException {
        return new Dimension(reader.getWidth(index), reader.getHeight(index));
    }

    /** Decodes one image, from 0, if its size suits. */
    Image image(int index, SizeCheck size) throws IOException {
        size.check(reader.getWidth(index), reader.getHeight(index));
        damage = null;
        BufferedImage image;
        try {
            image = reader.read(index);
        } catch (EOFException e) {
            throw new IOException("damaged or truncated: its data end before its last pixel", e);
        }
        if (damage != null) {
            throw new IOException("damaged or truncated: " + damage);
        }
        return convert(image);
    }

    @Override
    public void close() throws IOException {
        reader.dispose();
        in.close();
    }

    static Image convert(BufferedImage image) throws IOException {
        int w = image.getWidth();
        int h = image.getHeight();
        ColorModel colours = image.getColorModel();
        int bands = image.getRaster().getNumBands();
        boolean grey = !(colours instanceof IndexColorModel) && bands == (colours.hasAlpha() ? 2 : 1);
        int kind = image.getRaster().getDataBuffer().getDataType();
        if (grey && kind == DataBuffer.TYPE_BYTE) {
            return new Image(PixelType.GREY8, w, h, grey(image.getRaster()));
        }
        if (grey && kind == DataBuffer.TYPE_USHORT) {
            return new Image(PixelType.GREY16, w, h, grey(image.getRaster()));
        }
        if (kind == DataBuffer.TYPE_FLOAT || kind == DataBuffer.TYPE_DOUBLE || grey) {
            throw new IOException("its pixels are neither 8-bit, 16-bit nor RGB; convert them first");
        }
        if (image.getType() == BufferedImage.TYPE_3BYTE_BGR) {
            return new Image(PixelType.RGB32, w, h, fromBgr(image, w * h));
        }
        int[] rgb = image.getRGB(0, 0, w, h, null, 0, w);
        for (int i = 0; i < rgb.length; i++) {
            rgb[i] |= 0xff000000;
        }
        return new Image(PixelType.RGB32, w, h, rgb);
    }

    /** The samples of the first band, byte[] or short[]; a second one is the transparency. */
    private static Object grey(Raster raster) {
        int w = raster.getWidth();
        int h = raster.getHeight();
        return raster.createChild(0, 0, w, h, 0, 0, new int[] {0}).getDataElements(0, 0, w, h, null);
    }

    private static int[] fromBgr(BufferedImage image, int n) {
        byte[] bgr = ((DataBufferByte) image.getRaster().getDataBuffer()).getData();
        int[] rgb = new int[n];
        for (int i = 0, j = 0; i < n; i++, j += 3) {
            rgb[i] = 0xff000000 | (bgr[j + 2] & 0xff) << 16 | (bgr[j + 1] & 0xff) << 8 | bgr[j] & 0xff;
        }
        return rgb;
    }
}
