package endorama.core.live;

import java.util.Locale;

/** How long frames took, in memory that does not grow: quantiles are exact to a twentieth of themselves. */
public final class Latencies {
    /** Lower end of the first class, ms; each class is this much wider than the one before. */
    private static final double LEAST = 0.01;
    private static final double GROWTH = 1.05;

    private final long[] classes = new long[400];
    private long n;
    private double last = Double.NaN;

    /** Counts a frame's time, ms. */
    public synchronized void add(double ms) {
        int k = ms <= LEAST ? 0 : (int) (Math.log(ms / LEAST) / Math.log(GROWTH));
        classes[Math.min(classes.length - 1, k)]++;
        n++;
        last = ms;
    }

    /** The time of the last frame, ms; NaN: there was none. */
    public synchronized double last() {
        return last;
    }

    /** The time that this share of the frames did not exceed, ms; NaN: there were none. */
    public synchronized double quantile(double share) {
        long left = (long) Math.ceil(share * n);
        for (int k = 0; k < classes.length && n > 0; k++) {
            left -= classes[k];
            if (left <= 0) {
                return LEAST * Math.pow(GROWTH, k + 1);
            }
        }
        return Double.NaN;
    }

    /** "18 ms half of the frames, 40 ms 99 of 100"; "" where there were no frames. */
    @Override
    public String toString() {
        return n == 0 ? "" : String.format(Locale.ROOT, "%.0f ms half of the frames, %.0f ms 99 of 100", quantile(0.5),
                quantile(0.99));
    }
}
