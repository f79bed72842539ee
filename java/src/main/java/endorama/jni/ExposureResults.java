package endorama.jni;

/** The shifts between n pairs of differently exposed frames, in flat arrays. */
public final class ExposureResults {
    /** Aligned. */
    public static final int OK = 0;
    /** A shift was found, but another one is nearly as good, or the bitmaps disagree. */
    public static final int LOW_CERTAINTY = 1;
    /** Nothing to align: a frame is (almost) all black, white or flat. */
    public static final int NO_CONTENT = 2;

    private static final int MEASURES = 8;
    private final double[] measures;
    private final int[] status;

    ExposureResults(int n) {
        measures = new double[PixelArrays.elements("pairs", (long) n * MEASURES)];
        status = new int[n];
    }

    double[] measures() {
        return measures;
    }

    int[] statuses() {
        return status;
    }

    /** Number of pairs. */
    public int size() {
        return status.length;
    }

    /** {@link #OK}, {@link #LOW_CERTAINTY} or {@link #NO_CONTENT}. */
    public int status(int pair) {
        return status[pair];
    }

    /** Pixel x of the current frame lies at x + dx in the reference. */
    public double dx(int pair) {
        return measures[pair * MEASURES];
    }

    /** The same for y. */
    public double dy(int pair) {
        return measures[pair * MEASURES + 1];
    }

    /** Coefficient at the shift, the mean of both directions, -1..1; NaN without content. */
    public double peak(int pair) {
        return measures[pair * MEASURES + 2];
    }

    /** 0 (none) .. 1. */
    public double certainty(int pair) {
        return measures[pair * MEASURES + 3];
    }

    /** Standard deviation of dx, px; NaN without content. */
    public double deviationX(int pair) {
        return measures[pair * MEASURES + 4];
    }

    /** The same of dy. */
    public double deviationY(int pair) {
        return measures[pair * MEASURES + 5];
    }

    /** Share of the usable pixels on which the bitmaps differ at the shift, 0..1; NaN if none is usable. */
    public double mismatch(int pair) {
        return measures[pair * MEASURES + 6];
    }

    /** Share of the overlap outside both exclusion bands, 0..1. */
    public double usable(int pair) {
        return measures[pair * MEASURES + 7];
    }
}
