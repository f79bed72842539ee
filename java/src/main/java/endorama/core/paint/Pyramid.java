package endorama.core.paint;

import endorama.core.frames.PixelType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A picture and smaller ones of it, each half the one before, down to one tile. The picture is read once, band after band from
 * the top, and only one band a level is in memory.
 */
public final class Pyramid {
    /** Side of a tile, px; rows of a band. */
    public static final int TILE = 512;
    /** Most pixels to read in one call. */
    private static final int PART = 1 << 22;

    /** Source of the pixels. */
    public interface Rows {
        /** byte[], short[] or int[] by type, width*rows at least, from a row on; called with ascending rows. */
        Object read(int firstRow, int rows) throws IOException;
    }

    /** Takes the bands of all levels, each level's from the top. */
    public interface Sink {
        /**
         * Takes a band: up to {@link #TILE} rows of width pixels of {@link #samples}, 16 bit with the low byte first.
         *
         * @param band is used again afterwards
         */
        void take(int level, byte[] band, int rows) throws IOException;
    }

    private final PixelType type;
    private final boolean means;
    private final Sink sink;
    private final int samples;
    private final int bytes;
    private final List<Level> levels = new ArrayList<Level>();

    /** One level, and its rows that do not fill a band yet. */
    private final class Level {
        final int width;
        final int height;
        final byte[] band;
        int rows;
        int taken;

        Level(int width, int height) {
            this.width = width;
            this.height = height;
            band = new byte[Math.multiplyExact(pitch(), Math.min(TILE, height))];
        }

        int pitch() {
            return Math.multiplyExact(width, samples * bytes);
        }
    }

    /**
     * A pyramid of a picture.
     *
     * @param means a pixel of a smaller picture is the mean of 2 x 2; false: the first of them, for values that have no mean
     */
    public Pyramid(PixelType type, int width, int height, boolean means, Sink sink) {
        this.type = type;
        this.means = means;
        this.sink = sink;
        samples = type == PixelType.RGB32 ? 3 : 1;
        bytes = type == PixelType.GREY16 ? 2 : 1;
        levels.add(new Level(width, height));
        for (int w = width, h = height; Math.max(w, h) > TILE;) {
            w = (w + 1) / 2;
            h = (h + 1) / 2;
            levels.add(new Level(w, h));
        }
    }

    /** Number of levels, the picture itself among them. */
    public int levels() {
        return levels.size();
    }

    /** Width of a level, px. */
    public int width(int level) {
        return levels.get(level).width;
    }

    /** Height of a level, px. */
    public int height(int level) {
        return levels.get(level).height;
    }

    /** Samples of a pixel, one after the other: 3 for red, green and blue. */
    public int samples() {
        return samples;
    }

    /** Bytes of a sample. */
    public int bytes() {
        return bytes;
    }

    /** Reads the picture, and hands out all levels. */
    public void read(Rows rows) throws IOException {
        Level whole = levels.get(0);
        int part = Math.max(1, PART / whole.width);
        for (int y = 0; y < whole.height; y += TILE) {
            int n = Math.min(TILE, whole.height - y);
            for (int from = 0; from < n; from += part) {
                int some = Math.min(part, n - from);
                convert(rows.read(y + from, some), some * whole.width, whole.band, from * whole.pitch());
            }
            whole.rows = n;
            flush(0);
        }
    }

    /** Converts samples to bytes. */
    private void convert(Object pixels, int n, byte[] to, int at) {
        switch (type) {
            case GREY8:
                System.arraycopy(pixels, 0, to, at, n);
                break;
            case GREY16:
                ByteBuffer.wrap(to, at, 2 * n).order(ByteOrder.LITTLE_ENDIAN).asShortBuffer().put((short[]) pixels, 0, n);
                break;
            default:
                for (int i = 0, rgb; i < n; i++) {
                    rgb = ((int[]) pixels)[i];
                    to[at + 3 * i] = (byte) (rgb >> 16);
                    to[at + 3 * i + 1] = (byte) (rgb >> 8);
                    to[at + 3 * i + 2] = (byte) rgb;
                }
        }
    }

    /** Hands out the band of a level, and gives half of it to the next level. */
    private void flush(int number) throws IOException {
        Level level = levels.get(number);
        sink.take(number, level.band, level.rows);
        level.taken += level.rows;
        if (number + 1 < levels.size()) {
            Level next = levels.get(number + 1);
            halve(level, next);
            if (next.rows == Math.min(TILE, next.height - next.taken)) {
                flush(number + 1);
            }
        }
        level.rows = 0;
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
                    int first = sample(from.band, above, left + c);
                    int sum = first + sample(from.band, above, right + c)
                            + sample(from.band, below, left + c) + sample(from.band, below, right + c);
                    put(to.band, to.rows * to.pitch(), x * samples + c, means ? (sum + 2) / 4 : first);
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
}
