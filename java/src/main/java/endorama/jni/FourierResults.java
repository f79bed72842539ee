package endorama.jni;

import java.util.Arrays;

/** What registration by spectra found about n pairs, in flat arrays. */
public final class FourierResults {
    /** Registered. */
    public static final int OK = 0;
    /** The best that was found, but what both show does not agree well enough. */
    public static final int LOW_CERTAINTY = 1;
    /** Nothing to align: an image is flat, black or too small. */
    public static final int NO_CONTENT = 2;

    private static final int MEASURES = 17;
    private static final int CODES = 2;
    private final double[] measures;
    private final int[] codes;

    FourierResults(int n) {
        measures = new double[PixelArrays.elements("pairs", (long) n * MEASURES)];
        codes = new int[CODES * n];
    }

    double[] measures() {
        return measures;
    }

    int[] codes() {
        return codes;
    }

    /** Number of pairs. */
    public int size() {
        return codes.length / CODES;
    }

    /** {@link #OK}, {@link #LOW_CERTAINTY} or {@link #NO_CONTENT}. */
    public int status(int pair) {
        return codes[pair * CODES + 1];
    }

    /** Class of the transform: one of {@link NativeTransforms}. */
    public int kind(int pair) {
        return codes[pair * CODES];
    }

    /** Current -&gt; reference: nine numbers, row by row, in a new array. */
    public double[] matrix(int pair) {
        return Arrays.copyOfRange(measures, pair * MEASURES, pair * MEASURES + 9);
    }

    /** Degrees, above -180 up to 180; positive: x turns towards y, clockwise on the screen. */
    public double angle(int pair) {
        return measures[pair * MEASURES + 9];
    }

    /** Pixels of the reference that one of the current image covers. */
    public double scale(int pair) {
        return measures[pair * MEASURES + 10];
    }

    /** Where the centre of the current image lies in the reference, less its own coordinates, px. */
    public double dx(int pair) {
        return measures[pair * MEASURES + 11];
    }

    /** The same for y. */
    public double dy(int pair) {
        return measures[pair * MEASURES + 12];
    }

    /** Height of the peak of rotation and scale (of a translation: of the shift's), 0..1. */
    public double peak(int pair) {
        return measures[pair * MEASURES + 13];
    }

    /** That of the best other peak to it, 0..1: 1 is ambiguous. */
    public double ratio(int pair) {
        return measures[pair * MEASURES + 14];
    }

    /** Share of the smaller image's footprint that both show, 0..1. */
    public double overlap(int pair) {
        return measures[pair * MEASURES + 15];
    }

    /** Correlation of the overlap after alignment, -1..1; NaN where undefined. */
    public double ncc(int pair) {
        return measures[pair * MEASURES + 16];
    }
}
