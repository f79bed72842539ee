package endorama.core.common;

import java.util.Locale;

/** How fast a computation goes, and how long it still takes if it goes on so, for people. */
public final class Pace {
    private static final double SECOND = 1e9;
    private final long start = System.nanoTime();

    /** "450/900, 37.5 a second, 12 s left"; the first second is too short to say. */
    public String line(int done, int total) {
        return line(done, total, (System.nanoTime() - start) / SECOND);
    }

    static String line(int done, int total, double seconds) {
        String line = done + "/" + total;
        if (seconds < 1 || done < 1) {
            return line;
        }
        double pace = done / seconds;
        return line + String.format(Locale.ROOT, pace < 10 ? ", %.2g a second" : ", %.0f a second", pace)
                + (done < total ? ", " + time((total - done) / pace) + " left" : "");
    }

    private static String time(double seconds) {
        long s = (long) Math.ceil(seconds);
        return s < 120 ? s + " s" : s < 7200 ? s / 60 + " min " + s % 60 + " s" : s / 3600 + " h " + s / 60 % 60 + " min";
    }
}
