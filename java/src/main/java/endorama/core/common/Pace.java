package endorama.core.common;

import java.util.Locale;

/**
 * Share of a computation that is done and the estimated time left, for people. A share, because the unit of the steps differs
 * from command to command.
 */
public final class Pace {
    private static final double SECOND = 1e9;
    /** Least time, s, and least share of the work from which a speed is estimated. */
    private static final double LEAST_TIME = 1;
    private static final double LEAST_SHARE = 0.01;

    /** The least time left that was said, s. */
    private double said = Double.POSITIVE_INFINITY;
    private long start;
    private int first;
    private int last = Integer.MAX_VALUE;

    /**
     * Records the steps done now. Speed counts from the first call: work before it, such as a survey of the sequence, is none
     * of the steps. Fewer steps than in the last call begin another computation.
     */
    public void tell(int done) {
        if (done < last) {
            first = done;
            said = Double.POSITIVE_INFINITY;
            start = System.nanoTime();
        }
        last = done;
    }

    /** "50 %, 12 s left"; without the time while it is too early to estimate. */
    public String line(int done, int total) {
        tell(done);
        return line(done, total, (System.nanoTime() - start) / SECOND);
    }

    /** A time that was said never grows: "more than 12 s left" where the work turns out to be slower. */
    String line(int done, int total, double seconds) {
        long thousandths = 1000L * done / Math.max(1, total);
        // Below a tenth, whole percents would seem to stand still.
        String line = thousandths < 100 && done > 0 ? String.format(Locale.ROOT, "%.1f %%", thousandths / 10.0)
                : thousandths / 10 + " %";
        boolean early = seconds < LEAST_TIME || done - first < LEAST_SHARE * total;
        if (early || done >= total) {
            return line;
        }
        double left = (total - done) * seconds / (done - first);
        boolean grows = left > said;
        said = Math.min(said, left);
        return line + ", " + (grows && !time(left).equals(time(said)) ? "more than " : "") + time(said) + " left";
    }

    private static String time(double seconds) {
        long s = (long) Math.ceil(seconds);
        return s < 120 ? s + " s" : s < 7200 ? s / 60 + " min " + s % 60 + " s" : s / 3600 + " h " + s / 60 % 60 + " min";
    }
}
