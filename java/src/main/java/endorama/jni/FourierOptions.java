package endorama.jni;

/** How pairs are registered by their spectra: {@code endo_fourier_options}, with its defaults. */
public final class FourierOptions {
    /** Windows before a spectrum: none, {@link #HANN}, {@link #TUKEY}. */
    public static final int NONE = 0;
    /** Fades from the middle of the image on. */
    public static final int HANN = 1;
    /** Fades in an eighth of the image at each border. */
    public static final int TUKEY = 2;
    /** What a spectrum is taken of: grey values ({@link #NONE}), {@link #SOBEL}, {@link #HIGH_PASS}. */
    public static final int SOBEL = 1;
    /** Grey values less the mean around. */
    public static final int HIGH_PASS = 2;

    /** Class of the transform: TRANSLATION, RIGID or SIMILARITY of {@link NativeTransforms}. */
    public int model = NativeTransforms.SIMILARITY;
    /** Largest change of scale each way, 1..8. */
    public double maxScale = 4;
    /** Largest rotation each way, degrees, 0..180. */
    public double maxAngle = 180;
    /** {@link #NONE}, {@link #HANN} or {@link #TUKEY}. */
    public int window = TUKEY;
    /** {@link #NONE}, {@link #SOBEL} or {@link #HIGH_PASS}. */
    public int gradient = SOBEL;
    /** Least squares on the intensities at the end. */
    public boolean refine = true;
    /** Peaks of rotation and scale that are tried, 1..16. */
    public int candidates = 5;
    /** The published method and no more. */
    public boolean paper;

    int[] ints() {
        return new int[] {model, window, gradient, refine ? 1 : 0, candidates, paper ? 1 : 0};
    }

    double[] doubles() {
        return new double[] {maxScale, maxAngle};
    }
}
