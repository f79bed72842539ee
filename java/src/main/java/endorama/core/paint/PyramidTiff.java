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
 * Writes a picture as tiled, pyramidal OME-TIFF: BigTIFF for more than 4 GB, Deflate, levels of means as sub-IFDs (OME-TIFF
 * 6.0.0). The picture is read once, band after band from the top; only one row of tiles a level is in memory.
 */
public final class PyramidTiff {
    /** Side of a tile, px. */
    static final int TILE = Pyramid.TILE;
    private static final int HEADER = 16;
    private static final int SHORT = 3;
    private static final int LONG = 4;
    private static final int LONG8 = 16;
    private static final int IFD8 = 18;

    /** Stops the writing by an exception. */
    private interface Watch {
        void check() throws StoppedException;
    }

    private final Watch watch;
    private final Pyramid pyramid;
    private final int samples;
    private final int bytes;
    private final List<Level> levels = new ArrayList<Level>();
    private final Deflater deflater = new Deflater(Deflater.BEST_SPEED);
    private OutputStream out;
    private long length;

    /** The places of the tiles of one level. */
    private static final class Level {
        final int width;
        final int height;
        final int across;
        final long[] offsets;
        final long[] counts;
        int tiles;

        Level(int width, int height) {
            this.width = width;
            this.height = height;
            across = (width + TILE - 1) / TILE;
            int n = across * ((height + TILE - 1) / TILE);
            offsets = new long[n];
            counts = new long[n];
        }
    }

    private PyramidTiff(PixelType type, int width, int height, Watch watch) {
        this.watch = watch;
        pyramid = new Pyramid(type, width, height, true, this::writeTiles);
        samples = pyramid.samples();
        bytes = pyramid.bytes();
        for (int i = 0; i < pyramid.levels(); i++) {
            levels.add(new Level(pyramid.width(i), pyramid.height(i)));
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
    public static void write(File file, PixelType type, int width, int height, Pyramid.Rows rows, BooleanSupplier stopped)
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

    private void writeTo(FileOutputStream file, String name, Pyramid.Rows rows) throws IOException {
        out = new BufferedOutputStream(file, 1 << 16);
        put(little(HEADER).putShort((short) 0x4949).putShort((short) 43).putShort((short) 8).putShort((short) 0).putLong(0));
        pyramid.read(rows);
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

    /** Writes the band of a level as a row of tiles. */
    private void writeTiles(int number, byte[] band, int rows) throws IOException {
        Level level = levels.get(number);
        int pitch = level.width * samples * bytes;
        int side = TILE * samples * bytes;
        for (int x = 0; x < level.across; x++) {
            watch.check();
            byte[] tile = new byte[side * TILE];
            int n = Math.min(side, pitch - x * side);
            for (int y = 0; y < rows; y++) {
                System.arraycopy(band, y * pitch + x * side, tile, y * side, n);
            }
            level.offsets[level.tiles] = length;
            deflate(tile);
            level.counts[level.tiles] = length - level.offsets[level.tiles];
            level.tiles++;
        }
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
