package endorama.jni;

import java.util.Arrays;

/** The results of the registration of n pairs, in flat arrays. */
public final class PairResults {
    /** Registered. */
    public static final int OK = 0;
    /** Fewer inliers than the guarantee asks for: the estimate is doubtful. */
    public static final int FEW_LANDMARKS = 1;
    /** The reference has no texture to track. */
    public static final int NO_TEXTURE = 2;
    /** No transform fits. */
    public static final int JUMP = 3;

    private static final int MEASURES = 17;
    private static final int COUNTS = 9;
    private final double[] measures;
    private final int[] counts;

    PairResults(int n) {
        measures = new double[PixelArrays.elements("pairs", (long) n * MEASURES)];
        counts = new int[PixelArrays.elements("pairs", (long) n * COUNTS)];
    }

    double[] measures() {
        return measures;
    }

    int[] counts() {
        return counts;
    }

    /** Number of pairs. */
    public int size() {
        return counts.length / COUNTS;
    }

    /** Nine numbers: current -&gt; reference; the identity where no transform fits. */
    public double[] matrix(int pair) {
        return Arrays.copyOfRange(measures, pair * MEASURES, pair * MEASURES + NativeTransforms.NUMBERS);
    }

    /** Class of the transform, one of {@link NativeTransforms}. */
    public int kind(int pair) {
        return counts[pair * COUNTS + 7];
    }

    /** Mean coefficient of the landmarks in the last fit, -1..1; NaN if none. */
    public double meanCoefficient(int pair) {
        return measures[pair * MEASURES + 9];
    }

    /** The 5 x 5 measure, -1..1; NaN if undefined. */
    public double quality(int pair) {
        return measures[pair * MEASURES + 10];
    }

    /** Standard deviation of where the transform takes a point of the frame, px; NaN where nothing was fitted. */
    public double deviation(int pair) {
        return measures[pair * MEASURES + 11];
    }

    /**
     * Perspective along x, 1/px, that a homography would add to the transform: a point c + q of the current frame (c: the
     * middle) is taken to where the transform takes c + q / (1 + g.q). Fitted together with an affine part and {@link #lens}.
     * NaN where the method is not {@link RegisterOptions#BEST}, or where too few pixels determine it.
     */
    public double perspectiveX(int pair) {
        return measures[pair * MEASURES + 12];
    }

    /** Perspective along y, 1/px; see {@link #perspectiveX}. */
    public double perspectiveY(int pair) {
        return measures[pair * MEASURES + 13];
    }

    /** Standard deviation of one perspective number, root mean square of both, 1/px; NaN where they are. */
    public double perspectiveDeviation(int pair) {
        return measures[pair * MEASURES + 14];
    }

    /**
     * Lambda of the division model: with r the distance of a pixel p from the frame's middle c over half of the longer side,
     * the undistorted point is c + (p - c) / (1 + lambda r^2); below zero for a barrel. Fitted together with an affine part and
     * the perspective. NaN where {@link #perspectiveX} is, and where nothing moves.
     */
    public double lens(int pair) {
        return measures[pair * MEASURES + 15];
    }

    /** Standard deviation of {@link #lens}; NaN where that is. */
    public double lensDeviation(int pair) {
        return measures[pair * MEASURES + 16];
    }

    /** {@link #OK}, {@link #FEW_LANDMARKS}, {@link #NO_TEXTURE} or {@link #JUMP}. */
    public int status(int pair) {
        return counts[pair * COUNTS];
    }

    /** Number of landmarks whose template lies in the field and has texture. */
    public int landmarks(int pair) {
        return counts[pair * COUNTS + 1];
    }

    /** Number of landmarks that reached cthresh. */
    public int found(int pair) {
        return counts[pair * COUNTS + 2];
    }

    /** Number of landmarks in the last fit. */
    public int used(int pair) {
        return counts[pair * COUNTS + 3];
    }

    /** Number of coefficients computed, all landmarks together. */
    public int computed(int pair) {
        return counts[pair * COUNTS + 4];
    }

    /** Number of coefficients reused, all landmarks together. */
    public int reused(int pair) {
        return counts[pair * COUNTS + 5];
    }

    /** Number of motion vectors in the optical flow's last iteration. */
    public int flowPixels(int pair) {
        return counts[pair * COUNTS + 6];
    }

    /** Number of rounds of selection and fit. */
    public int rounds(int pair) {
        return counts[pair * COUNTS + 8];
    }
}
