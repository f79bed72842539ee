package endorama.core.common;

import java.util.Locale;

/**
 * How far a computation is, and how long it still takes if it goes on so, for people. What it counts differs from command to
 * command, so that it is told as a share.
 */
public final class Pace {
    private static final double SECOND = 1e9;
    /** s, and of the work: less is too little to tell how fast it goes. */
    private static final double LEAST_TIME = 1;
    private static final double LEAST_SHARE = 0.01;

    private long start;
    private int first;
    private int last = Integer.MAX_VALUE;

    /**
     * What is done now. The first time is where the pace is counted from: what came before, as a look at the sequence as a
     * whole, is none of the steps. Less than the last time is the first of another computation.
     */
    public void tell(int done) {
        if (done < last) {
            first = done;
            start = System.nanoTime();
        }
        last = done;
    }

    /** "50 %, 12 s left"; without the time where it is too early to say. */
    public String line(int done, int total) {
        tell(done);
        return line(first, done, total, (System.nanoTime() - start) / SECOND);
    }

    /** first: what was done when the seconds began. */
    static String line(int first, int done, int total, double seconds) {
        long thousandths = 1000L * done / Math.max(1, total);
        // Below a tenth it would stand still for long.
        String line = thousandths < 100 && done > 0 ? String.format(Locale.ROOT, "%.1f %%", thousandths / 10.0)
                : thousandths / 10 + " %";
        boolean early = seconds < LEAST_TIME || done - first < LEAST_SHARE * total;
        return early || done >= total ? line : line + ", " + time((total - done) * seconds / (done - first)) + " left";
    }

    private static String time(double seconds) {
        long s = (long) Math.ceil(seconds);
        return s < 120 ? s + " s" : s < 7200 ? s / 60 + " min " + s % 60 + " s" : s / 3600 + " h " + s / 60 % 60 + " min";
    }
}
