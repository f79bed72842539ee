package endorama.jni;

/** Options of the registration of pairs: {@code endo_pairs_options}, with its defaults. */
public final class RegisterOptions {
    /** Initial: no motion. */
    public static final int NONE = 0;
    /** Initial: the optical flow's estimate. */
    public static final int FLOW = 1;
    /** Initial: the shift found by threshold bitmaps, as between exposures. */
    public static final int EXPOSURES = 2;
    /** Initial: the rotation, scale and shift found from the spectra. */
    public static final int FOURIER = 3;

    /** Method: landmarks and a fit to them, as published. */
    public static final int PAPER = 0;
    /** Method: refined on the intensities of the overlap, which also decide on acceptance. */
    public static final int BEST = 1;
    /** Transform: the simplest class that explains a pair; only with {@link #BEST}. */
    public static final int AUTO = -1;

    /** {@link #NONE}, {@link #FLOW}, {@link #EXPOSURES} or {@link #FOURIER}. */
    public int initial = FLOW;
    /** Template side, px: odd, 3..255; 0: by frame width. */
    public int template;
    /** First offset of the search pattern, px: a power of two, 1..128. */
    public int cross = 4;
    /** Landmarks per dimension, 2..64. */
    public int landmarks = 8;
    /** Least coefficient of an inlier, -1..1. */
    public double cthresh = 0.85;
    /** Largest residual of an inlier, px, above 0..1000. */
    public double uthresh = 2.5;
    /** Least share of landmarks that are inliers, 0..1. */
    public double guarantee = 0.2;
    /** {@link #PAPER} or {@link #BEST}. */
    public int method = PAPER;
    /** Class of the transform: one of {@link NativeTransforms}, or {@link #AUTO}; AUTO and homographies need {@link #BEST}. */
    public int transform = NativeTransforms.AFFINE;
    /** Refine positions below a pixel. */
    public boolean subpixel = true;
    /** Measure the quality of each pair. */
    public boolean quality = true;

    int[] ints() {
        return new int[] {initial, template, cross, landmarks, transform, subpixel ? 1 : 0,
            quality ? 1 : 0, method};
    }

    double[] doubles() {
        return new double[] {cthresh, uthresh, guarantee};
    }
}
