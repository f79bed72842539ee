package endorama.core.equalize;

import endorama.core.frames.PixelType;
import endorama.jni.AheOptions;

/**
 * How many rows an equalizing call takes, so that it ends soon enough for Escape or for a newer preview, and yet is
 * worth its start: the columns of the window are counted anew in each band. Only time depends on it, no pixel.
 *
 * <p>Work is counted in pixels of a window of 63: exact 16-bit equalization costs a pixel in proportion to its window,
 * everything else the same at any window.
 */
final class BandPace {
    private static final double AIM = 0.06;
    private static final double LEAST = 1 << 12;
    private static final double MOST = 1 << 26;
    /** Where nothing is measured yet: at most some 50 ms with plain C on one processor. */
    private static final double FIRST = 1 << 20;
    private static final double FIRST_DEEP = 1 << 17;
    private static final double FIRST_DEVICE = 1 << 25;
    private static final double WINDOW = 63;
    /** Where columns are counted, a band is at least this part of the window high: filling them costs little. */
    private static final int PART = 4;

    private double work = FIRST;
    private double cost = 1;
    private int leastRows = 1;
    private long fixed;

    /** Another back end, "cpu" or "cuda", or other pixels: what was measured is void. */
    void reset(String backEnd, PixelType type) {
        work = backEnd.equals("cuda") ? FIRST_DEVICE : type == PixelType.GREY16 ? FIRST_DEEP : FIRST;
    }

    /** What comes next. */
    void set(PixelType type, AheOptions options) {
        boolean columns = type != PixelType.GREY16 || options.limit != 0;
        cost = columns ? 1 : Math.max(1, options.window / WINDOW);
        leastRows = columns ? options.window / PART + 1 : 1;
    }

    /** For tests: bands of so many pixels, whatever they take and whatever the window. */
    void fix(long pixelsABand) {
        fixed = pixelsABand;
    }

    /** Rows for the next call of those that are left: bands that follow are of about the same height. */
    int rows(int width, int left) {
        double wanted = fixed > 0 ? fixed / width : Math.max(work / (cost * width), leastRows);
        int most = (int) Math.max(1, Math.min(left, wanted));
        int bands = (left + most - 1) / most;
        return (left + bands - 1) / bands;
    }

    /** What a call took. */
    void took(long pixels, long nanoseconds) {
        double done = pixels * cost;
        double seconds = Math.max(1e-6, nanoseconds / 1e9);
        if (done < work / 2 && seconds < AIM) {
            return; // the rest of an image, or a small one: says little of large ones
        }
        work = Math.max(LEAST, Math.min(MOST, Math.min(done * AIM / seconds, 16 * done)));
    }
}
