package endorama.cli;

import endorama.core.frames.FrameReadException;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the directories of a TIFF file (TIFF 6.0 and BigTIFF) without trusting them: offsets must lie in the file, and a cyclic
 * chain ends. Where the chain breaks, one directory with a problem stands for all that would have followed.
 */
final class TiffDirectories {
    /** Bytes of a value of each field type; 0: unknown type. */
    private static final int[] SIZES = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};
    /** An upper limit of entries in a sane directory. */
    private static final int MOST_ENTRIES = 4096;

    /** Characters in which OME-XML shows itself; a comment may stand before it. */
    private static final int OME_HEAD = 2000;

    private static final Pattern IMAGES = Pattern.compile("\nimages=([0-9]{1,9})\n");

    private final RandomAccessFile file;
    private final long length;
    private ByteOrder order;
    private boolean big;

    private TiffDirectories(RandomAccessFile file) throws IOException {
        this.file = file;
        this.length = file.length();
    }

    /**
     * The directories of a file; at least one.
     *
     * @throws FrameReadException if it is no TIFF file or its first directory cannot be found
     */
    static List<TiffDirectory> read(File file) throws FrameReadException {
        if (!file.isFile()) {
            throw new FrameReadException(file + " cannot be read as TIFF: "
                    + (file.exists() ? "not a regular file" : "no such file"));
        }
        try (RandomAccessFile opened = new RandomAccessFile(file, "r")) {
            return new TiffDirectories(opened).chain();
        } catch (IOException e) {
            throw new FrameReadException(file + " cannot be read as TIFF: " + (e instanceof EOFException
                    ? "the file ends too early" : e.getMessage()), e);
        }
    }

    private List<TiffDirectory> chain() throws IOException {
        List<TiffDirectory> found = new ArrayList<TiffDirectory>();
        Set<Long> visited = new HashSet<Long>();
        long next = first();
        while (next != 0) {
            TiffDirectory directory = new TiffDirectory();
            directory.number = found.size();
            directory.littleEndian = order == ByteOrder.LITTLE_ENDIAN;
            found.add(directory);
            if (!visited.add(next)) {
                directory.problem = "damaged: its directories lead back to an earlier one";
                break;
            }
            try {
                next = directory(directory, next);
                // ImageJ lists the images of a stack once more at the end of the file.
                next = directory.images > 1 ? 0 : next;
            } catch (EOFException e) {
                directory.problem = "the file ends before it; it may be truncated";
                break;
            }
        }
        if (found.isEmpty()) {
            throw new IOException("it holds no image");
        }
        return found;
    }

    private long first() throws IOException {
        ByteBuffer head = block(0, 8);
        int mark = head.getShort(0);
        order = mark == 0x4949 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        head.order(order);
        int version = head.getShort(2);
        big = version == 43;
        if (mark != 0x4949 && mark != 0x4d4d || !big && version != 42) {
            throw new IOException("not one, or damaged");
        }
        return big ? block(8, 8).getLong(0) : head.getInt(4) & 0xffffffffL;
    }

    /** A block of the file; EOFException if it does not lie in the file. */
    private ByteBuffer block(long offset, long bytes) throws IOException {
        if (offset < 0 || bytes < 0 || offset > length - bytes || bytes > Integer.MAX_VALUE - 8) {
            throw new EOFException();
        }
        byte[] read = new byte[(int) bytes];
        file.seek(offset);
        file.readFully(read);
        return ByteBuffer.wrap(read).order(order == null ? ByteOrder.BIG_ENDIAN : order);
    }

    /** Fills one directory in, and returns the offset of the next one; 0 after the last. */
    private long directory(TiffDirectory directory, long offset) throws IOException {
        int head = big ? 8 : 2;
        int size = big ? 20 : 12;
        ByteBuffer number = block(offset, head);
        long entries = big ? number.getLong(0) : number.getShort(0) & 0xffff;
        if (entries < 1 || entries > MOST_ENTRIES) {
            directory.problem = "damaged: a directory of " + entries + " entries";
            return 0;
        }
        ByteBuffer table = block(offset + head, entries * size);
        for (int i = 0; i < entries && directory.problem == null; i++) {
            entry(directory, table, i * size);
        }
        check(directory);
        ByteBuffer next = block(offset + head + entries * size, big ? 8 : 4);
        return big ? next.getLong(0) : next.getInt(0) & 0xffffffffL;
    }

    private void entry(TiffDirectory directory, ByteBuffer table, int at) throws IOException {
        int tag = table.getShort(at) & 0xffff;
        int type = table.getShort(at + 2) & 0xffff;
        long count = big ? table.getLong(at + 4) : table.getInt(at + 4) & 0xffffffffL;
        int size = type < SIZES.length ? SIZES[type] : 0;
        if (size == 0 || count == 0) {
            return;
        }
        int inline = big ? 8 : 4;
        int place = at + (big ? 12 : 8);
        boolean here = count <= inline / size;
        long far = big ? table.getLong(place) : table.getInt(place) & 0xffffffffL;
        if (!here && (count < 0 || count > length / size || far < 0 || far > length - count * size)) {
            directory.problem = "damaged or truncated: tag " + tag + " of its directory lies beyond the end of the file";
            return;
        }
        if (tag == 270 && !here && type == 2) {
            ByteBuffer text = block(far, count);
            directory.images = images(new String(text.array(), StandardCharsets.ISO_8859_1));
            directory.ome = ome(new String(text.array(), StandardCharsets.UTF_8));
        } else if (isNeeded(tag)) {
            ByteBuffer from = here ? table : block(far, count * size);
            set(directory, tag, values(from, here ? place : 0, size, (int) count));
        }
    }

    private static String ome(String description) {
        String head = description.substring(0, Math.min(OME_HEAD, description.length()));
        return head.contains("<OME") || head.contains(":OME") ? description : "";
    }

    /** Number of images that ImageJ's description states; never more than the file has bytes. */
    private int images(String description) {
        Matcher number = IMAGES.matcher(description);
        return description.startsWith("ImageJ=") && number.find()
                ? (int) Math.max(1, Math.min(Long.parseLong(number.group(1)), length)) : 1;
    }

    private static boolean isNeeded(int tag) {
        return tag == 254 || tag >= 256 && tag <= 262 || tag == 273 || tag >= 277 && tag <= 279 || tag == 284 || tag == 320
                || tag == 324 || tag == 325 || tag == 339;
    }

    private static long[] values(ByteBuffer from, int place, int size, int count) {
        long[] values = new long[count];
        for (int i = 0; i < count; i++) {
            int at = place + i * size;
            values[i] = size == 1 ? from.get(at) & 0xff : size == 2 ? from.getShort(at) & 0xffff
                    : size == 4 ? from.getInt(at) & 0xffffffffL : from.getLong(at);
        }
        return values;
    }

    private static void set(TiffDirectory d, int tag, long[] values) {
        int value = (int) Math.max(-1, Math.min(Integer.MAX_VALUE, values[0]));
        switch (tag) {
            case 254: d.reduced = (value & 1) != 0; break;
            case 256: d.width = value; break;
            case 257: d.height = value; break;
            case 258: setBits(d, values); break;
            case 259: d.compression = value; break;
            case 262: d.photometric = value; break;
            case 273:
            case 324: d.offsets = values; d.tiled = tag == 324; break;
            case 277: d.samples = value; break;
            case 278: d.rowsPerStrip = values[0]; break;
            case 279:
            case 325: d.counts = values; break;
            case 284: d.planar = value == 2; break;
            case 320: setColours(d, values); break;
            case 339: d.format = value; break;
            default:
        }
    }

    private static void setBits(TiffDirectory d, long[] values) {
        d.bits = (int) Math.min(64, values[0]);
        for (long value : values) {
            d.unequalBits |= value != values[0];
        }
    }

    private static void setColours(TiffDirectory d, long[] values) {
        d.colours = new int[values.length];
        for (int i = 0; i < values.length; i++) {
            d.colours[i] = (int) values[i];
        }
    }

    /** Marks values that would make a reader allocate absurd memory, or take other bytes for pixels. */
    private void check(TiffDirectory d) {
        if (d.problem != null) {
            return;
        }
        if (d.width < 1 || d.height < 1 || d.samples < 1 || d.bits < 1) {
            d.problem = "damaged: " + d.width + " x " + d.height + " pixels of " + d.samples + " samples of " + d.bits
                    + " bits";
        } else if (d.offsets.length == 0) {
            d.problem = "damaged: it says nowhere where its pixels lie";
        } else if (d.counts.length != 0 && d.counts.length != d.offsets.length) {
            d.problem = "damaged: " + d.offsets.length + " strips and " + d.counts.length + " sizes of them";
        } else if (d.isPlain()) {
            checkRows(d);
        } else {
            checkEnds(d);
        }
    }

    /** Checks that the strips hold as many bytes as the image has, and end before the file does. */
    private void checkRows(TiffDirectory d) {
        long row = (long) d.width * d.pixelBytes();
        long rowsPerStrip = Math.max(1, Math.min(d.height, d.rowsPerStrip));
        for (int i = 0; i < d.offsets.length; i++) {
            long rows = Math.max(0, Math.min(rowsPerStrip, d.height - i * rowsPerStrip));
            if (d.counts.length > 0 && d.counts[i] < rows * row) {
                d.problem = "damaged: strip " + (i + 1) + " has " + d.counts[i] + " bytes for " + rows + " rows of "
                        + row;
                return;
            }
            if (d.offsets[i] < 0 || d.offsets[i] > length - rows * row) {
                d.problem = "the file ends before its last pixel; it may be truncated";
                return;
            }
        }
        if (d.offsets.length * rowsPerStrip < d.height) {
            d.problem = "damaged: " + d.offsets.length + " strips of " + rowsPerStrip + " rows for " + d.height + " rows";
        }
    }

    private void checkEnds(TiffDirectory d) {
        for (int i = 0; i < d.counts.length; i++) {
            if (d.offsets[i] < 0 || d.counts[i] < 0 || d.offsets[i] > length - d.counts[i]) {
                d.problem = "the file ends before its last pixel; it may be truncated";
                return;
            }
        }
    }
}
