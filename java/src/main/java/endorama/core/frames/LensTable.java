package endorama.core.frames;

import endorama.core.options.MosaicParameters;

/**
 * Where the frames of a sequence show the pixels of frames without distortion, in 32nds of a pixel. Integers but for the
 * factors by the distance from the middle, which are computed once: the same on every machine.
 */
public final class LensTable {
    /** Steps of a pixel. */
    static final int STEPS = 32;
    /** The column of a pixel that no frame shows. */
    static final int NOWHERE = Integer.MIN_VALUE;
    private static final int ENTRIES = 4096;
    private static final int FACTOR_BITS = 24;
    /** Places are in half pixels about the middle; so many bits less make 32nds of a pixel of them. */
    private static final int PLACE_BITS = FACTOR_BITS - 4;

    private final int width;
    private final int height;
    /** Squares of distances, quarters of px^2, are so many bits finer than the entries. */
    private final int shift;
    private final long[] factors;
    /** Entries before that of the first place that no frame shows. */
    private final int known;

    LensTable(Lens lens, int width, int height) {
        this.width = width;
        this.height = height;
        long most = (long) width * width + (long) height * height;
        int bits = 0;
        while (most >> bits >= ENTRIES) {
            bits++;
        }
        shift = bits;
        factors = new long[(int) (most >> bits) + 2];
        int n = 0;
        while (n < factors.length && !Double.isNaN(factor(lens, n))) {
            factors[n] = Math.round(factor(lens, n) * (1 << FACTOR_BITS));
            n++;
        }
        known = n;
    }

    /** Of frames of that size in px, by the distortion of {@link MosaicParameters#lens}; null without one. */
    public static LensTable of(double percent, int width, int height) {
        return percent == 0 ? null : new LensTable(new Lens(width, height, percent), width, height);
    }

    private double factor(Lens lens, int entry) {
        return lens.shown(((long) entry << shift) / 4.0);
    }

    /**
     * The places of a row's pixels, in 32nds of a pixel from the centre of the first one.
     *
     * @param columns receives where they lie across, {@link #NOWHERE} where the frame does not show them
     * @param rows receives where they lie down
     */
    void row(int y, int[] columns, int[] rows) {
        long down = 2L * y - (height - 1);
        for (int x = 0; x < width; x++) {
            long across = 2L * x - (width - 1);
            long square = across * across + down * down;
            int entry = (int) (square >> shift);
            if (entry + 1 >= known) {
                columns[x] = NOWHERE;
                continue;
            }
            long part = square & (1L << shift) - 1;
            long factor = factors[entry] + ((factors[entry + 1] - factors[entry]) * part >> shift);
            int column = place(across * factor, width);
            int row = place(down * factor, height);
            columns[x] = isInside(column, width) && isInside(row, height) ? column : NOWHERE;
            rows[x] = row;
        }
    }

    private static int place(long aboutTheMiddle, int side) {
        return (int) (STEPS / 2 * (side - 1) + (aboutTheMiddle + (1L << PLACE_BITS - 1) >> PLACE_BITS));
    }

    private static boolean isInside(int place, int side) {
        return place >= -STEPS / 2 && place < STEPS * side - STEPS / 2;
    }

    /** 0 for each of width*height pixels that frames do not show, else what they have nearest to it in a mask of theirs. */
    public byte[] mask(byte[] ofFrames) {
        byte[] mask = new byte[width * height];
        int[] columns = new int[width];
        int[] rows = new int[width];
        for (int y = 0; y < height; y++) {
            row(y, columns, rows);
            for (int x = 0; x < width; x++) {
                if (columns[x] != NOWHERE) {
                    int from = nearest(rows[x]) * width + nearest(columns[x]);
                    mask[y * width + x] = ofFrames == null ? -1 : ofFrames[from];
                }
            }
        }
        return mask;
    }

    private static int nearest(int place) {
        return place + STEPS / 2 >> 5;
    }
}
