package endorama.cli;

import endorama.core.frames.PixelType;
import endorama.jni.NativeColours;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reads the pixels of a {@link TiffDirectory#isPlain plain} image, whose strips are known to lie in the file. */
final class TiffRows {
    /** Bytes that are read at once: until they are pixels they stay in the processor's cache. */
    private static final int PIECE = 1 << 16;

    private final RandomAccessFile in;
    private final TiffDirectory d;
    private final PixelType type;
    private final Object pixels;
    private final byte[] bytes;
    /** By pixel values, for images with a palette. */
    private final int[] palette;

    private TiffRows(RandomAccessFile in, TiffDirectory d, SpareArrays spare) {
        this.in = in;
        this.d = d;
        type = type(d);
        pixels = spare.take(type, d.width * d.height);
        bytes = new byte[Math.max(PIECE, d.pixelBytes())];
        palette = d.photometric == TiffDirectory.PALETTE ? palette(d) : null;
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
        try (RandomAccessFile in = new RandomAccessFile(file, "r")) {
            TiffRows rows = new TiffRows(in, d, spare);
            if (index > 0) {
                rows.read(d.offsets[0] + index * size, 0, d.width * d.height);
            } else {
                rows.readStrips();
            }
            return new Image(rows.type, d.width, d.height, rows.pixels);
        }
    }

    private void readStrips() throws IOException {
        long strip = Math.max(1, Math.min(d.height, d.rowsPerStrip)) * d.width;
        int area = d.width * d.height;
        int done = 0;
        for (int i = 0; done < area; i++) {
            int n = (int) Math.min(strip, area - done);
            read(d.offsets[i], done, n);
            done += n;
        }
    }

    /** Reads n pixels from a place in the file. */
    private void read(long offset, int first, int n) throws IOException {
        int size = d.pixelBytes();
        if (offset > in.length() - (long) n * size) {
            throw new IOException("the file ends before its last pixel; it may be truncated");
        }
        in.seek(offset);
        int most = bytes.length / size;
        int done = 0;
        while (done < n) {
            int count = Math.min(most, n - done);
            in.readFully(bytes, 0, count * size);
            convert(first + done, count);
            done += count;
        }
    }

    /** Makes pixels of the bytes that were read. */
    private void convert(int first, int n) {
        switch (type) {
            case GREY8: grey8((byte[]) pixels, first, n); break;
            case GREY16: grey16((short[]) pixels, first, n); break;
            default:
                if (palette != null) {
                    coloured((int[]) pixels, first, n);
                } else {
                    NativeColours.fromBytes(bytes, d.samples, (int[]) pixels, first, n);
                }
        }
    }

    private void grey8(byte[] grey, int first, int n) {
        byte invert = (byte) (d.photometric == TiffDirectory.WHITE_IS_ZERO ? 0xff : 0);
        if (invert == 0 && d.samples == 1) {
            System.arraycopy(bytes, 0, grey, first, n);
            return;
        }
        for (int i = 0; i < n; i++) {
            grey[first + i] = (byte) (bytes[i * d.samples] ^ invert);
        }
    }

    /** Shifts signed values by 32768, as ImageJ does. */
    private void grey16(short[] grey, int first, int n) {
        int flip = d.format == TiffDirectory.SIGNED ? 0x8000 : 0;
        flip ^= d.photometric == TiffDirectory.WHITE_IS_ZERO ? 0xffff : 0;
        ByteBuffer from = ByteBuffer.wrap(bytes).order(d.littleEndian ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        for (int i = 0; i < n; i++) {
            grey[first + i] = (short) (from.getShort(2 * i * d.samples) ^ flip);
        }
    }

    private static int[] palette(TiffDirectory d) {
        int[] palette = new int[256];
        for (int i = 0; i < 256; i++) {
            palette[i] = 0xff000000 | d.colours[i] >> 8 << 16 | d.colours[256 + i] >> 8 << 8 | d.colours[512 + i] >> 8;
        }
        return palette;
    }

    private void coloured(int[] rgb, int first, int n) {
        for (int i = 0; i < n; i++) {
            rgb[first + i] = palette[bytes[i] & 0xff];
        }
    }
}
