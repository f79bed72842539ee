package endorama.cli;

import endorama.core.frames.PixelType;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reads the pixels of a {@link TiffDirectory#isPlain plain} image, whose strips are known to lie in the file. */
final class TiffRows {
    private TiffRows() {
    }

    static PixelType type(TiffDirectory d) {
        boolean grey = d.photometric == TiffDirectory.WHITE_IS_ZERO || d.photometric == TiffDirectory.BLACK_IS_ZERO;
        return !grey ? PixelType.RGB32 : d.bits == 16 ? PixelType.GREY16 : PixelType.GREY8;
    }

    /**
     * Reads the pixels of one image.
     *
     * @param index of the images that lie one after the other behind the directory; 0 is the directory's own
     * @param spare arrays to use before others are made
     * @throws IOException if the file ends before
     */
    static Image read(File file, TiffDirectory d, int index, SpareArrays spare) throws IOException {
        long size = (long) d.width * d.height * d.pixelBytes();
        if (size > Integer.MAX_VALUE - 8) {
            throw new IOException(d.width + " x " + d.height + " pixels are more than an array of Java holds");
        }
        byte[] bytes = (byte[]) spare.take(PixelType.GREY8, (int) size);
        try (RandomAccessFile in = new RandomAccessFile(file, "r")) {
            if (index > 0) {
                read(in, d.offsets[0] + index * size, bytes, 0, bytes.length);
            } else {
                readStrips(in, d, bytes);
            }
        }
        Object pixels = pixels(d, bytes, spare);
        if (pixels != bytes) {
            spare.add(bytes);
        }
        return new Image(type(d), d.width, d.height, pixels);
    }

    private static void readStrips(RandomAccessFile in, TiffDirectory d, byte[] bytes) throws IOException {
        long strip = Math.max(1, Math.min(d.height, d.rowsPerStrip)) * d.width * d.pixelBytes();
        int done = 0;
        for (int i = 0; done < bytes.length; i++) {
            int n = (int) Math.min(strip, bytes.length - done);
            read(in, d.offsets[i], bytes, done, n);
            done += n;
        }
    }

    private static void read(RandomAccessFile in, long offset, byte[] bytes, int at, int n) throws IOException {
        if (offset > in.length() - n) {
            throw new IOException("the file ends before its last pixel; it may be truncated");
        }
        in.seek(offset);
        in.readFully(bytes, at, n);
    }

    private static Object pixels(TiffDirectory d, byte[] bytes, SpareArrays spare) {
        switch (type(d)) {
            case GREY8: return grey8(d, bytes, spare);
            case GREY16: return grey16(d, bytes, spare);
            default: return d.photometric == TiffDirectory.PALETTE ? coloured(d, bytes, spare) : rgb(d, bytes, spare);
        }
    }

    private static byte[] grey8(TiffDirectory d, byte[] bytes, SpareArrays spare) {
        int invert = d.photometric == TiffDirectory.WHITE_IS_ZERO ? 0xff : 0;
        if (invert == 0 && d.samples == 1) {
            return bytes;
        }
        byte[] grey = (byte[]) spare.take(PixelType.GREY8, d.width * d.height);
        for (int i = 0; i < grey.length; i++) {
            grey[i] = (byte) (bytes[i * d.samples] ^ invert);
        }
        return grey;
    }

    /** Shifts signed values by 32768, as ImageJ does. */
    private static short[] grey16(TiffDirectory d, byte[] bytes, SpareArrays spare) {
        int flip = d.format == TiffDirectory.SIGNED ? 0x8000 : 0;
        flip ^= d.photometric == TiffDirectory.WHITE_IS_ZERO ? 0xffff : 0;
        ByteBuffer from = ByteBuffer.wrap(bytes).order(d.littleEndian ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        short[] grey = (short[]) spare.take(PixelType.GREY16, d.width * d.height);
        for (int i = 0; i < grey.length; i++) {
            grey[i] = (short) (from.getShort(2 * i * d.samples) ^ flip);
        }
        return grey;
    }

    private static int[] rgb(TiffDirectory d, byte[] bytes, SpareArrays spare) {
        int[] rgb = (int[]) spare.take(PixelType.RGB32, d.width * d.height);
        for (int i = 0, j = 0; i < rgb.length; i++, j += d.samples) {
            rgb[i] = 0xff000000 | (bytes[j] & 0xff) << 16 | (bytes[j + 1] & 0xff) << 8 | bytes[j + 2] & 0xff;
        }
        return rgb;
    }

    private static int[] coloured(TiffDirectory d, byte[] bytes, SpareArrays spare) {
        int[] palette = new int[256];
        for (int i = 0; i < 256; i++) {
            palette[i] = 0xff000000 | d.colours[i] >> 8 << 16 | d.colours[256 + i] >> 8 << 8 | d.colours[512 + i] >> 8;
        }
        int[] rgb = (int[]) spare.take(PixelType.RGB32, bytes.length);
        for (int i = 0; i < rgb.length; i++) {
            rgb[i] = palette[bytes[i] & 0xff];
        }
        return rgb;
    }
}
