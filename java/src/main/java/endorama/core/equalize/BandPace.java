package endorama.core.equalize;

import endorama.core.frames.PixelType;
import endorama.jni.AheOptions;

/**
 * Chooses the rows of an equalizing call: few enough to end soon for Escape or for a newer preview, and enough to be worth the
 * start, as the columns of the window are counted anew in each band. Changes only time, no pixel.
 *
 * <p>Work is counted in pixels of a window of 63: the cost of a pixel grows with the window for exact 16-bit equalization, and
 * is constant for everything else.
 */
final class BandPace {
    private static final double AIM = 0.06;
    private static final double LEAST = 1 << 12;
    private static final double MOST = 1 << 26;
    /** Work of the first call, before any measurement: at most some 50 ms with plain C on one processor. */
    private static final double FIRST = 1 << 20;
    private static final double FIRST_DEEP = 1 << 17;
    private static final double FIRST_DEVICE = 1 << 25;
    private static final double WINDOW = 63;
    /** A band has at least 1/PART of the rows of the window, where columns are counted, so that filling them costs little. */
    private static final int PART = 4;

    private double work = FIRST;
    private double cost = 1;
    private int leastRows = 1;
    private long fixed;

    /** Discards the measurements for another back end ("cpu" or "cuda") or other pixels. */
    void reset(String backEnd, PixelType type) {
        work = backEnd.equals("cuda") ? FIRST_DEVICE : type == PixelType.GREY16 ? FIRST_DEEP : FIRST;
    }

    /** Sets type and options of the next image. */
    void set(PixelType type, AheOptions options) {
        boolean columns = type != PixelType.GREY16 || options.limit != 0;
        cost = columns ? 1 : Math.max(1, options.window / WINDOW);
        leastRows = columns ? options.window / PART + 1 : 1;
    }

    /** Fixes the pixels of a band, whatever time a band takes and whatever window is asked for; tests call it. */
    void fix(long pixelsABand) {
        fixed = pixelsABand;
    }

    /** Rows of the next call out of those left: further bands get about the same height. */
    int rows(int width, int left) {
        double wanted = fixed > 0 ? fixed / width : Math.max(work / (cost * width), leastRows);
        int most = (int) Math.max(1, Math.min(left, wanted));
        int bands = (left + most - 1) / most;
        return (left + bands - 1) / bands;
    }

    /** Records the time of a call. */
    void took(long pixels, long nanoseconds) {
        double done = pixels * cost;
        double seconds = Math.max(1e-6, nanoseconds / 1e9);
        if (done < work / 2 && seconds < AIM) {
            return; // the rest of an image, or a small one, says little of large ones
        }
        work = Math.max(LEAST, Math.min(MOST, Math.min(done * AIM / seconds, 16 * done)));
    }
}
