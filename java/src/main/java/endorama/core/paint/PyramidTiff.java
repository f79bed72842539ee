package endorama.core.paint;

import endorama.core.files.AtomicFile;
import endorama.core.files.StoppedException;
import endorama.core.frames.PixelType;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.zip.Deflater;

/**
 * Writes a picture as tiled, pyramidal OME-TIFF: BigTIFF for more than 4 GB, Deflate, each level half the one before as the
 * mean of 2 x 2 pixels, down to one tile (sub-IFDs, OME-TIFF 6.0.0). The picture is read once, band after band from the top;
 * only one row of tiles a level is in memory.
 */
public final class PyramidTiff {
    /** Side of a tile, px; rows of a band. */
    public static final int TILE = 512;
    private static final int HEADER = 16;
    private static final int SHORT = 3;
    private static final int LONG = 4;
    private static final int LONG8 = 16;
    private static final int IFD8 = 18;

    /** Source of the pixels. */
    public interface Rows {
        /** byte[], short[] or int[] by type, width*rows at least, from a row on; called with ascending rows. */
        Object read(int firstRow, int rows) throws IOException;
    }

    /** Stops the writing by an exception. */
    private interface Watch {
        void check() throws StoppedException;
    }

    private final PixelType type;
    private final Watch watch;
    private final int samples;
    private final int bytes;
    private final List<Level> levels = new ArrayList<Level>();
    private final Deflater deflater = new Deflater(Deflater.BEST_SPEED);
    private OutputStream out;
    private long length;

    /** One level, and its rows that do not fill a row of tiles yet. */
    private final class Level {
        final int width;
        final int height;
        final int across;
        final long[] offsets;
        final long[] counts;
        final byte[] band;
        int rows;
        int tiles;

        Level(int width, int height) {
            this.width = width;
            this.height = height;
            across = (width + TILE - 1) / TILE;
            int n = across * ((height + TILE - 1) / TILE);
            offsets = new long[n];
            counts = new long[n];
            band = new byte[Math.multiplyExact(pitch(), Math.min(TILE, height))];
        }

        int pitch() {
            return Math.multiplyExact(width, samples * bytes);
        }
    }

    private PyramidTiff(PixelType type, int width, int height, Watch watch) {
        this.type = type;
        this.watch = watch;
        samples = type == PixelType.RGB32 ? 3 : 1;
        bytes = type == PixelType.GREY16 ? 2 : 1;
        levels.add(new Level(width, height));
        for (int w = width, h = height; Math.max(w, h) > TILE;) {
            w = (w + 1) / 2;
            h = (h + 1) / 2;
            levels.add(new Level(w, h));
        }
    }

    /** A panorama. */
    public static void write(File file, Panorama panorama, BooleanSupplier stopped) throws IOException {
        write(file, panorama.type(), panorama.width(), panorama.height(), panorama::rows, stopped);
    }

    /**
     * A picture.
     *
     * @param stopped asked before every tile: true ends the writing
     * @throws StoppedException if it was stopped; the file is then as it was
     * @throws IOException that names the file, which is then as it was
     */
    public static void write(File file, PixelType type, int width, int height, Rows rows, BooleanSupplier stopped)
            throws IOException {
        AtomicFile.write(file, to -> {
            if (!(to instanceof FileOutputStream)) {
                throw new IOException("a pyramid must be a file, not a pipe");
            }
            PyramidTiff tiff = new PyramidTiff(type, width, height, () -> {
                if (stopped.getAsBoolean()) {
                    throw new StoppedException(file + ": interrupted while it was written; it is as it was before");
                }
            });
            try {
                tiff.writeTo((FileOutputStream) to, file.getName(), rows);
            } finally {
                tiff.deflater.end();
            }
        });
    }

    private void writeTo(FileOutputStream file, String name, Rows rows) throws IOException {
        out = new BufferedOutputStream(file, 1 << 16);
        Level whole = levels.get(0);
        put(little(HEADER).putShort((short) 0x4949).putShort((short) 43).putShort((short) 8).putShort((short) 0).putLong(0));
        for (int y = 0; y < whole.height; y += TILE) {
            int n = Math.min(TILE, whole.height - y);
            take(rows.read(y, n), n * whole.width, whole.band);
            whole.rows = n;
            flush(0);
        }
        long[] directories = new long[levels.size()];
        for (int level = levels.size() - 1; level >= 0; level--) {
            directories[level] = directory(level, name, Arrays.copyOfRange(directories, 1, directories.length));
        }
        out.flush();
        FileChannel channel = file.getChannel();
        channel.write((ByteBuffer) little(8).putLong(directories[0]).flip(), 8);
    }

    // ------------------------------------------------------------------ pixels

    private static ByteBuffer little(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void put(ByteBuffer buffer) throws IOException {
        out.write(buffer.array(), 0, buffer.position());
        length += buffer.position();
    }

    /** Converts samples to the bytes of the file. */
    private void take(Object pixels, int n, byte[] to) {
        switch (type) {
            case GREY8:
                System.arraycopy(pixels, 0, to, 0, n);
                break;
            case GREY16:
                ByteBuffer.wrap(to).order(ByteOrder.LITTLE_ENDIAN).asShortBuffer().put((short[]) pixels, 0, n);
                break;
            default:
                for (int i = 0, rgb; i < n; i++) {
                    rgb = ((int[]) pixels)[i];
                    to[3 * i] = (byte) (rgb >> 16);
                    to[3 * i + 1] = (byte) (rgb >> 8);
                    to[3 * i + 2] = (byte) rgb;
                }
        }
    }

    /** Writes the band of a level as a row of tiles, and gives half of it to the next level. */
    private void flush(int number) throws IOException {
        Level level = levels.get(number);
        int side = TILE * samples * bytes;
        for (int x = 0; x < level.across; x++) {
            watch.check();
            byte[] tile = new byte[side * TILE];
            int n = Math.min(side, level.pitch() - x * side);
            for (int y = 0; y < level.rows; y++) {
                System.arraycopy(level.band, y * level.pitch() + x * side, tile, y * side, n);
            }
            level.offsets[level.tiles] = length;
            deflate(tile);
            level.counts[level.tiles] = length - level.offsets[level.tiles];
            level.tiles++;
        }
        if (number + 1 < levels.size()) {
            halve(level, levels.get(number + 1));
            Level next = levels.get(number + 1);
            if (next.rows == Math.min(TILE, next.height - next.tiles / next.across * TILE)) {
                flush(number + 1);
            }
        }
        level.rows = 0;
    }

    private void deflate(byte[] tile) throws IOException {
        byte[] packed = new byte[1 << 16];
        deflater.reset();
        deflater.setInput(tile);
        deflater.finish();
        while (!deflater.finished()) {
            int n = deflater.deflate(packed);
            out.write(packed, 0, n);
            length += n;
        }
    }

    /** Halves the rows of a level; the last column and row of an odd side count twice. */
    private void halve(Level from, Level to) {
        for (int y = 0; y < from.rows; y += 2) {
            int above = y * from.pitch();
            int below = Math.min(y + 1, from.rows - 1) * from.pitch();
            for (int x = 0; x < to.width; x++) {
                int left = 2 * x * samples;
                int right = Math.min(2 * x + 1, from.width - 1) * samples;
                for (int c = 0; c < samples; c++) {
                    int sum = sample(from.band, above, left + c) + sample(from.band, above, right + c)
                            + sample(from.band, below, left + c) + sample(from.band, below, right + c);
                    put(to.band, to.rows * to.pitch(), x * samples + c, (sum + 2) / 4);
                }
            }
            to.rows++;
        }
    }

    private int sample(byte[] band, int row, int i) {
        return bytes == 1 ? band[row + i] & 255 : band[row + 2 * i] & 255 | (band[row + 2 * i + 1] & 255) << 8;
    }

    private void put(byte[] band, int row, int i, int value) {
        band[row + bytes * i] = (byte) value;
        if (bytes == 2) {
            band[row + 2 * i + 1] = (byte) (value >> 8);
        }
    }

    // ------------------------------------------------------------- directories

    /** Writes a directory after its data, and returns its offset. smaller: offsets of the lower levels. */
    private long directory(int number, String name, long[] smaller) throws IOException {
        Level level = levels.get(number);
        boolean whole = number == 0;
        byte[] description = (description(name, level) + '\0').getBytes(StandardCharsets.UTF_8);
        long text = length;
        if (whole) {
            put((ByteBuffer) little(description.length).put(description));
        }
        long offsets = table(level.offsets);
        long counts = table(level.counts);
        long others = whole ? table(smaller) : 0;
        boolean pyramid = whole && smaller.length > 0;
        long start = length;
        ByteBuffer b = little(512);
        b.putLong(13 + (whole ? 1 : 0) + (pyramid ? 1 : 0));
        entry(b, 254, LONG, 1, whole ? 0 : 1);
        entry(b, 256, LONG, 1, level.width);
        entry(b, 257, LONG, 1, level.height);
        entry(b, 258, SHORT, samples, samples == 1 ? 8 * bytes : 8L | 8L << 16 | 8L << 32);
        entry(b, 259, SHORT, 1, 8);
        entry(b, 262, SHORT, 1, samples == 1 ? 1 : 2);
        if (whole) {
            entry(b, 270, 2, description.length, text);
        }
        entry(b, 277, SHORT, 1, samples);
        entry(b, 284, SHORT, 1, 1);
        entry(b, 322, LONG, 1, TILE);
        entry(b, 323, LONG, 1, TILE);
        entry(b, 324, LONG8, level.offsets.length, offsets);
        entry(b, 325, LONG8, level.counts.length, counts);
        if (pyramid) {
            entry(b, 330, IFD8, smaller.length, others);
        }
        entry(b, 339, SHORT, samples, samples == 1 ? 1 : 1L | 1L << 16 | 1L << 32);
        put(b.putLong(0));
        return start;
    }

    private static void entry(ByteBuffer b, int tag, int kind, long count, long value) {
        b.putShort((short) tag).putShort((short) kind).putLong(count).putLong(value);
    }

    /** Writes the values of an entry, and returns their offset, or a single value itself. */
    private long table(long[] values) throws IOException {
        if (values.length == 1) {
            return values[0];
        }
        long start = length;
        ByteBuffer b = little(8 * values.length);
        for (long value : values) {
            b.putLong(value);
        }
        put(b);
        return start;
    }

    private String description(String name, Level whole) {
        String safe = name.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?><OME xmlns=\"http://www.openmicroscopy.org/Schemas/OME/2016-06\""
                + " Creator=\"Endorama\"><Image ID=\"Image:0\" Name=\"" + safe + "\"><Pixels ID=\"Pixels:0\""
                + " DimensionOrder=\"XYCZT\" Type=\"" + (bytes == 2 ? "uint16" : "uint8") + "\" SizeX=\"" + whole.width
                + "\" SizeY=\"" + whole.height + "\" SizeC=\"" + samples + "\" SizeZ=\"1\" SizeT=\"1\""
                + " Interleaved=\"true\" BigEndian=\"false\"><Channel ID=\"Channel:0:0\" SamplesPerPixel=\"" + samples
                + "\"/><TiffData IFD=\"0\" PlaneCount=\"1\"/></Pixels></Image></OME>";
    }
}
