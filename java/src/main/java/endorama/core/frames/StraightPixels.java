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
    private static final short[] WEIGHTS = weights();
    private static final byte[] CLIPPED = clipped();

    private final PixelType type;
    private final int width;
    private final int height;
    private final LensTable table;
    private final int stride;
    /** The frame with its edge: of one colour, or of three in a long. */
    private final int[] grey;
    private final long[] colours;

    StraightPixels(PixelType type, int width, int height, LensTable table) {
        this.type = type;
        this.width = width;
        this.height = height;
        this.table = table;
        stride = width + 2 * EDGE;
        int size = stride * (height + 2 * EDGE);
        boolean colour = type == PixelType.RGB32;
        grey = colour ? null : new int[size];
        colours = colour ? new long[size] : null;
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
        int[] columns = new int[width];
        int[] rows = new int[width];
        for (int y = first; y < end; y++) {
            table.row(y, columns, rows);
            if (colours != null) {
                writeColours((int[]) pixels, y * width, columns, rows);
            } else if (type == PixelType.GREY8) {
                writeGrey8((byte[]) pixels, y * width, columns, rows);
            } else {
                writeGrey16((short[]) pixels, y * width, columns, rows);
            }
        }
    }

    private void writeColours(int[] pixels, int to, int[] columns, int[] rows) {
        for (int x = 0; x < width; x++) {
            if (columns[x] == LensTable.NOWHERE) {
                pixels[to + x] = 0xff000000;
                continue;
            }
            int weight = weight(columns[x], rows[x]);
            int at = at(columns[x], rows[x]);
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

    private void writeGrey8(byte[] pixels, int to, int[] columns, int[] rows) {
        for (int x = 0; x < width; x++) {
            pixels[to + x] = columns[x] == LensTable.NOWHERE ? 0 : (byte) grey(columns[x], rows[x], 255);
        }
    }

    private void writeGrey16(short[] pixels, int to, int[] columns, int[] rows) {
        for (int x = 0; x < width; x++) {
            pixels[to + x] = columns[x] == LensTable.NOWHERE ? 0 : (short) grey(columns[x], rows[x], 65535);
        }
    }

    private int grey(int column, int row, int most) {
        int weight = weight(column, row);
        int at = at(column, row);
        int sum = 1 << BITS - 1;
        for (int j = 0; j < 4; j++) {
            sum += grey[at] * WEIGHTS[weight] + grey[at + 1] * WEIGHTS[weight + 1]
                    + grey[at + 2] * WEIGHTS[weight + 2] + grey[at + 3] * WEIGHTS[weight + 3];
            weight += 4;
            at += stride;
        }
        return Math.max(0, Math.min(most, sum >> BITS));
    }

    private static int weight(int column, int row) {
        return ((row & STEPS - 1) * STEPS + (column & STEPS - 1)) * TAPS;
    }

    /** The first of the 4 x 4 pixels around a place. */
    private int at(int column, int row) {
        return ((row >> 5) - 1 + EDGE) * stride + (column >> 5) - 1 + EDGE;
    }
}
