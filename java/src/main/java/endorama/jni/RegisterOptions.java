package endorama.jni;

/** How pairs are registered: {@code endo_pairs_options}, with its defaults. */
public final class RegisterOptions {
    /** Searches start at the same place. */
    public static final int NONE = 0;
    /** Searches start at the optical flow's estimate. */
    public static final int FLOW = 1;
    /** Searches start at the shift that is found as between differently exposed frames. */
    public static final int EXPOSURES = 2;
    /** Searches start at the rotation, scale and shift that the spectra tell. */
    public static final int FOURIER = 3;

    /** Landmarks and a fit to them, as published. */
    public static final int PAPER = 0;
    /** Refined on the intensities of the overlap, and judged by them. */
    public static final int BEST = 1;
    /** In place of a class, with {@link #BEST}: the simplest that explains a pair. */
    public static final int AUTO = -1;

    /** {@link #NONE}, {@link #FLOW}, {@link #EXPOSURES} or {@link #FOURIER}. */
    public int initial = FLOW;
    /** Template side, px: odd, 3..255; 0: by frame width. */
    public int template;
    /** First offset of the search pattern, px: a power of two, 1..128. */
    public int cross = 4;
    /** Landmarks per dimension, 2..64. */
    public int landmarks = 8;
    /** Least coefficient of a landmark that counts, -1..1. */
    public double cthresh = 0.85;
    /** Largest residual of a landmark that counts, px, above 0..1000. */
    public double uthresh = 2.5;
    /** Part of the landmarks that must count, 0..1. */
    public double guarantee = 0.2;
    /** {@link #PAPER} or {@link #BEST}. */
    public int method = PAPER;
    /** Class of the transform: one of {@link NativeTransforms}, or {@link #AUTO}; that and homographies for {@link #BEST}. */
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
