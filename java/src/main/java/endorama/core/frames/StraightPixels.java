package endorama.core.frames;

/**
 * Resamples frames by a {@link LensTable}: cubic (Catmull and Rom), in integers. Beyond the border a frame goes on as it
 * ends there. Work is cut into bands of rows that different threads may do: first all of {@link #read}, then all of
 * {@link #write}.
 */
final class StraightPixels {
    private static final int STEPS = LensTable.STEPS;
    private static final int TAPS = 16;
    private static final int BITS = 11;
    /** Pixels that a frame is continued by on each side. */
    private static final int EDGE = 2;
    /** Of a colour in a long. */
    private static final int LANE = 21;
    /** Added to each colour, so that none is negative. */
    private static final long BIAS = 1L << LANE - 1;
    /** And what rounds it. */
    private static final long BIASES = (BIAS + (1 << BITS - 1)) * (1L + (1L << LANE) + (1L << 2 * LANE));
    /** Pixels of a frame whose places are kept, at most: six bytes each. */
    private static final int MOST_KEPT = 1 << 22;
    private static final short[] WEIGHTS = weights();
    private static final byte[] CLIPPED = clipped();

    /** What pixels of rows are made of. */
    private static final class Places {
        /** The first of the 4 x 4 pixels around each place; negative: no frame shows it. */
        final int[] first;
        /** The first of their weights, over 16. */
        final short[] weights;
        /** Rows that were found. */
        final boolean[] known;

        Places(int width, int rows) {
            first = new int[width * rows];
            weights = new short[width * rows];
            known = new boolean[rows];
        }
    }

    private final PixelType type;
    private final int width;
    private final int height;
    private final LensTable table;
    private final int stride;
    /** The frame with its edge: of one colour, or of three in a long. */
    private final int[] grey;
    private final long[] colours;
    /** Of all rows; null: there are too many. */
    private final Places kept;

    StraightPixels(PixelType type, int width, int height, LensTable table) {
        this(type, width, height, table, MOST_KEPT);
    }

    /** mostKept: pixels of a frame, beyond which the places of its rows are found anew for every frame. */
    StraightPixels(PixelType type, int width, int height, LensTable table, int mostKept) {
        this.type = type;
        this.width = width;
        this.height = height;
        this.table = table;
        stride = width + 2 * EDGE;
        int size = stride * (height + 2 * EDGE);
        boolean colour = type == PixelType.RGB32;
        grey = colour ? null : new int[size];
        colours = colour ? new long[size] : null;
        kept = (long) width * height <= mostKept ? new Places(width, height) : null;
    }

    // ---------------------------------------------------------------- weights

    private static double cubic(double t) {
        double a = Math.abs(t);
        return a < 1 ? (1.5 * a - 2.5) * a * a + 1 : a < 2 ? ((-0.5 * a + 2.5) * a - 4) * a + 2 : 0;
    }

    /** For each step down and across 16 weights, row by row, that add up to 2^11. */
    private static short[] weights() {
        short[] all = new short[STEPS * STEPS * TAPS];
        for (int step = 0; step < STEPS * STEPS; step++) {
            int left = 1 << BITS;
            for (int tap = 0; tap < TAPS; tap++) {
                double down = cubic(tap / 4 - 1 - (double) (step / STEPS) / STEPS);
                double across = cubic(tap % 4 - 1 - (double) (step % STEPS) / STEPS);
                all[step * TAPS + tap] = (short) Math.round(down * across * (1 << BITS));
                left -= all[step * TAPS + tap];
            }
            all[step * TAPS + nearest(step)] += left;
        }
        return all;
    }

    /** The tap that has most weight bears what rounding leaves. */
    private static int nearest(int step) {
        return (step / STEPS < STEPS / 2 ? 4 : 8) + (step % STEPS < STEPS / 2 ? 1 : 2);
    }

    /** Of a colour with its bias: 0..255. */
    private static byte[] clipped() {
        byte[] clipped = new byte[1 << LANE - BITS];
        int zero = (int) (BIAS >> BITS);
        for (int i = 0; i < clipped.length; i++) {
            clipped[i] = (byte) Math.max(0, Math.min(255, i - zero));
        }
        return clipped;
    }

    // ---------------------------------------------------------------- reading

    /** Takes rows first to before end of a frame, and beside the first and the last row the edge. */
    void read(Object pixels, int first, int end) {
        int from = first == 0 ? -EDGE : first;
        int to = end == height ? height + EDGE : end;
        for (int y = from; y < to; y++) {
            int row = Math.max(0, Math.min(height - 1, y)) * width;
            int at = (y + EDGE) * stride;
            if (colours != null) {
                readColours((int[]) pixels, row, at);
            } else {
                readGrey(pixels, row, at);
            }
        }
    }

    private void readColours(int[] pixels, int row, int at) {
        for (int x = 0; x < width; x++) {
            long rgb = pixels[row + x];
            colours[at + EDGE + x] = (rgb & 0xff0000) << 2 * LANE - 16 | (rgb & 0xff00) << LANE - 8 | rgb & 0xff;
        }
        for (int i = 0; i < EDGE; i++) {
            colours[at + i] = colours[at + EDGE];
            colours[at + stride - 1 - i] = colours[at + stride - 1 - EDGE];
        }
    }

    private void readGrey(Object pixels, int row, int at) {
        for (int x = 0; x < width; x++) {
            grey[at + EDGE + x] = type == PixelType.GREY8 ? ((byte[]) pixels)[row + x] & 0xff
                    : ((short[]) pixels)[row + x] & 0xffff;
        }
        for (int i = 0; i < EDGE; i++) {
            grey[at + i] = grey[at + EDGE];
            grey[at + stride - 1 - i] = grey[at + stride - 1 - EDGE];
        }
    }

    // ---------------------------------------------------------------- writing

    /** Makes rows first to before end of the frame without distortion; what the frame does not show is black. */
    void write(Object pixels, int first, int end) {
        Places own = kept == null ? new Places(width, 1) : null;
        for (int y = first; y < end; y++) {
            if (kept != null && !kept.known[y]) {
                find(y, kept, y * width);
                kept.known[y] = true;
            } else if (kept == null) {
                find(y, own, 0);
            }
            write(pixels, y * width, kept == null ? own : kept, kept == null ? 0 : y * width);
        }
    }

    /** The places of a row, from at on. */
    private void find(int y, Places places, int at) {
        int[] columns = new int[width];
        int[] rows = new int[width];
        table.row(y, columns, rows);
        for (int x = 0; x < width; x++) {
            boolean isShown = columns[x] != LensTable.NOWHERE;
            places.first[at + x] = isShown ? first(columns[x], rows[x]) : -1;
            places.weights[at + x] = (short) (isShown ? weights(columns[x], rows[x]) : 0);
        }
    }

    private static int weights(int column, int row) {
        return (row & STEPS - 1) * STEPS + (column & STEPS - 1);
    }

    /** The first of the 4 x 4 pixels around a place. */
    private int first(int column, int row) {
        return ((row >> 5) - 1 + EDGE) * stride + (column >> 5) - 1 + EDGE;
    }

    /** A row, from to on, whose places are those from at on. */
    private void write(Object pixels, int to, Places places, int at) {
        if (colours != null) {
            writeColours((int[]) pixels, to, places, at);
        } else if (type == PixelType.GREY8) {
            writeGrey8((byte[]) pixels, to, places, at);
        } else {
            writeGrey16((short[]) pixels, to, places, at);
        }
    }

    private void writeColours(int[] pixels, int to, Places places, int from) {
        for (int x = 0; x < width; x++) {
            int at = places.first[from + x];
            int weight = places.weights[from + x] * TAPS;
            if (at < 0) {
                pixels[to + x] = 0xff000000;
                continue;
            }
            long sum = BIASES;
            for (int j = 0; j < 4; j++) {
                sum += colours[at] * WEIGHTS[weight] + colours[at + 1] * WEIGHTS[weight + 1]
                        + colours[at + 2] * WEIGHTS[weight + 2] + colours[at + 3] * WEIGHTS[weight + 3];
                weight += 4;
                at += stride;
            }
            pixels[to + x] = 0xff000000 | colour(sum, 2) << 16 | colour(sum, 1) << 8 | colour(sum, 0);
        }
    }

    private static int colour(long sum, int lane) {
        return CLIPPED[(int) (sum >>> lane * LANE + BITS) & (1 << LANE - BITS) - 1] & 0xff;
    }

    private void writeGrey8(byte[] pixels, int to, Places places, int from) {
        for (int x = 0; x < width; x++) {
            pixels[to + x] = (byte) grey(places.first[from + x], places.weights[from + x], 255);
        }
    }

    private void writeGrey16(short[] pixels, int to, Places places, int from) {
        for (int x = 0; x < width; x++) {
            pixels[to + x] = (short) grey(places.first[from + x], places.weights[from + x], 65535);
        }
    }

    private int grey(int first, int weights, int most) {
        if (first < 0) {
            return 0;
        }
        int at = first;
        int weight = weights * TAPS;
        int sum = 1 << BITS - 1;
        for (int j = 0; j < 4; j++) {
            sum += grey[at] * WEIGHTS[weight] + grey[at + 1] * WEIGHTS[weight + 1]
                    + grey[at + 2] * WEIGHTS[weight + 2] + grey[at + 3] * WEIGHTS[weight + 3];
            weight += 4;
            at += stride;
        }
        return Math.max(0, Math.min(most, sum >> BITS));
    }
}
