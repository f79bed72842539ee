package endorama.core;

/**
 * How many rows an equalizing call takes, so that it ends soon enough for Escape or for a newer preview, and yet is
 * worth its start: the columns of the window are counted anew in each band. Only time depends on it, no pixel.
 */
final class BandPace {
    private static final double AIM = 0.08;
    private static final long LEAST = 1 << 16;
    private static final long MOST = 1 << 26;
    /** Where nothing is measured yet: at most some 50 ms with plain C on one processor. */
    private static final long FIRST = 1 << 20;
    private static final long FIRST_DEEP = 1 << 17;
    private static final long FIRST_DEVICE = 1 << 25;
    /** A band is this part of the window high unless that takes too long: filling the columns costs little. */
    private static final int PART = 4;

    private long pixels = FIRST;
    private long fixed;

    /** Another back end, "cpu" or "cuda", or another type: what was measured is void. */
    void reset(String backEnd, PixelType type) {
        pixels = backEnd.equals("cuda") ? FIRST_DEVICE : type == PixelType.GREY16 ? FIRST_DEEP : FIRST;
    }

    /** For tests: bands of so many pixels, whatever they take and whatever the window. */
    void fix(long pixelsABand) {
        fixed = pixelsABand;
    }

    /** Rows for the next call of those that are left: bands that follow are of about the same height. */
    int rows(int width, int left, int window) {
        long worthwhile = Math.min((window / PART + 1L) * width, 2 * pixels);
        long wanted = fixed > 0 ? fixed : Math.max(pixels, worthwhile);
        int most = (int) Math.min(left, Math.max(1, wanted / width));
        int bands = (left + most - 1) / most;
        return (left + bands - 1) / bands;
    }

    /** What a call took. */
    void took(long done, long nanoseconds) {
        double seconds = Math.max(1e-6, nanoseconds / 1e9);
        if (done < pixels / 2 && seconds < AIM) {
            return; // the rest of an image, or a small one: says little of large ones
        }
        pixels = (long) Math.max(LEAST, Math.min(MOST, Math.min(done * AIM / seconds, 16.0 * done)));
    }
}
