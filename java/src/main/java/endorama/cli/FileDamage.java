package endorama.cli;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.CRC32;

/** Detects damaged images, where decoders silently fill up missing data, by check sums, blocks and sizes that do not add up. */
final class FileDamage {
    /** Formats with checks, known by their first bytes. */
    enum Format { TIFF, PNG, GIF, BMP, OTHER }

    private static final String TRUNCATED = "the file ends before its last pixel; it may be truncated";
    private static final int BUFFER = 1 << 16;

    private FileDamage() {
    }

    /** @throws IOException if it is no regular file, or cannot be opened */
    static Format format(File file) throws IOException {
        if (!file.isFile()) {
            throw new IOException(file.exists() ? "not a regular file" : "no such file");
        }
        byte[] head = new byte[4];
        try (FileInputStream in = new FileInputStream(file)) {
            if (in.read(head) < 4) {
                throw new IOException("not an image, or damaged: it has " + file.length() + " bytes");
            }
        }
        int magic = (head[0] & 0xff) << 24 | (head[1] & 0xff) << 16 | (head[2] & 0xff) << 8 | head[3] & 0xff;
        switch (magic) {
            case 0x49492a00:
            case 0x4d4d002a:
            case 0x49492b00:
            case 0x4d4d002b: return Format.TIFF;
            case 0x89504e47: return Format.PNG;
            case 0x47494638: return Format.GIF;
            default: return magic >>> 16 == 0x424d ? Format.BMP : Format.OTHER;
        }
    }

    private static DataInputStream open(File file) throws IOException {
        return new DataInputStream(new BufferedInputStream(new FileInputStream(file), BUFFER));
    }

    /** Skips bytes, and fails at the end of the file, where streams of files skip on. */
    private static void skip(DataInputStream in, int n) throws IOException {
        in.readFully(new byte[n]);
    }

    // -------------------------------------------------------------------- PNG

    /** Every chunk that the pixels depend on has the check sum that it says, up to the end chunk. */
    static void checkPng(File file) throws IOException {
        try (DataInputStream in = open(file)) {
            skip(in, 8);
            byte[] buffer = new byte[BUFFER];
            while (chunk(in, buffer) != 0x49454e44) {
                continue;
            }
        } catch (EOFException e) {
            throw new IOException(TRUNCATED, e);
        }
    }

    /** Reads one chunk and returns its type. */
    private static int chunk(DataInputStream in, byte[] buffer) throws IOException {
        long left = in.readInt() & 0xffffffffL;
        int type = in.readInt();
        CRC32 crc = new CRC32();
        for (int shift = 24; shift >= 0; shift -= 8) {
            crc.update(type >>> shift);
        }
        while (left > 0) {
            int n = (int) Math.min(left, buffer.length);
            in.readFully(buffer, 0, n);
            crc.update(buffer, 0, n);
            left -= n;
        }
        boolean needed = (type & 0x20000000) == 0;
        if (in.readInt() != (int) crc.getValue() && needed) {
            throw new IOException("damaged: a check sum of the file is wrong");
        }
        return type;
    }

    // -------------------------------------------------------------------- GIF

    /** Checks that the blocks of the first image end with the terminator, and hold as many pixels as the image has. */
    static void checkGif(File file) throws IOException {
        try (DataInputStream in = open(file)) {
            skip(in, 10);
            skipPalette(in, in.readUnsignedByte());
            skip(in, 2);
            while (true) {
                int kind = in.readUnsignedByte();
                if (kind == 0x2c) {
                    checkGifImage(in);
                    return;
                }
                if (kind != 0x21) {
                    throw new IOException("damaged: it holds no image, or a block that no GIF has");
                }
                in.readUnsignedByte();
                blocks(in);
            }
        } catch (EOFException e) {
            throw new IOException(TRUNCATED, e);
        }
    }

    private static void checkGifImage(DataInputStream in) throws IOException {
        skip(in, 4);
        long wanted = little(in, 2) * little(in, 2);
        skipPalette(in, in.readUnsignedByte());
        int bits = in.readUnsignedByte();
        if (bits < 1 || bits > 11 || gifPixels(blocks(in), bits) < wanted) {
            throw new IOException("damaged: it holds fewer pixels than it says");
        }
    }

    private static void skipPalette(DataInputStream in, int flags) throws IOException {
        skip(in, (flags & 0x80) != 0 ? 3 << (flags & 7) + 1 : 0);
    }

    /** The data of the blocks up to an empty one. */
    private static byte[] blocks(DataInputStream in) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int n = in.readUnsignedByte(); n > 0; n = in.readUnsignedByte()) {
            byte[] block = new byte[n];
            in.readFully(block);
            all.write(block, 0, n);
        }
        return all.toByteArray();
    }

    /** Number of pixels that LZW data stand for, without decoding them. */
    private static long gifPixels(byte[] data, int bits) {
        int clear = 1 << bits;
        int[] lengths = new int[4096];
        Arrays.fill(lengths, 0, clear, 1);
        int next = clear + 2;
        int width = bits + 1;
        int before = 0;
        long pixels = 0;
        for (long at = 0; at + width <= 8L * data.length;) {
            int code = code(data, at, width);
            at += width;
            if (code == clear) {
                next = clear + 2;
                width = bits + 1;
                before = 0;
                continue;
            }
            if (code == clear + 1 || code > next || code == next && before == 0) {
                break;
            }
            if (before > 0 && next < lengths.length) {
                lengths[next++] = before + 1;
            }
            before = lengths[code];
            pixels += before;
            width += next == 1 << width && width < 12 ? 1 : 0;
        }
        return pixels;
    }

    /** The code at a bit position, lowest bit first. */
    private static int code(byte[] data, long at, int width) {
        int value = 0;
        for (int i = 0; i < width; i++) {
            value |= (data[(int) (at + i >>> 3)] >>> (at + i & 7) & 1) << i;
        }
        return value;
    }

    // -------------------------------------------------------------------- BMP

    /** Checks that the rows of an uncompressed image end before the file does. */
    static void checkBmp(File file) throws IOException {
        try (DataInputStream in = open(file)) {
            skip(in, 10);
            long offset = little(in, 4);
            long head = little(in, 4);
            int side = head == 12 ? 2 : 4;
            long width = little(in, side);
            long height = Math.abs((long) (int) little(in, side));
            little(in, 2);
            long bits = little(in, 2);
            long compression = head == 12 ? 0 : little(in, 4);
            boolean rows = compression == 0 || compression == 3;
            if (width > Integer.MAX_VALUE || rows && offset + (width * bits + 31) / 32 * 4 * height > file.length()) {
                throw new IOException(TRUNCATED);
            }
        } catch (EOFException e) {
            throw new IOException(TRUNCATED, e);
        }
    }

    private static long little(DataInputStream in, int bytes) throws IOException {
        long value = 0;
        for (int i = 0; i < bytes; i++) {
            value |= (long) in.readUnsignedByte() << 8 * i;
        }
        return value;
    }
}
