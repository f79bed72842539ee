package endorama.jni;

/** Options of Fourier registration: {@code endo_fourier_options}, with its defaults. */
public final class FourierOptions {
    /** No window, or no gradient. */
    public static final int NONE = 0;
    /** Window that tapers from the middle of the image on. */
    public static final int HANN = 1;
    /** Window that tapers over an eighth of the image at each border. */
    public static final int TUKEY = 2;
    /** Gradient whose spectrum is computed; {@link #NONE}: that of the grey values. */
    public static final int SOBEL = 1;
    /** Grey values minus their local mean, as the gradient. */
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
    /** Refine by least squares on the intensities. */
    public boolean refine = true;
    /** Number of peaks of rotation and scale that are tried, 1..16. */
    public int candidates = 5;
    /** The published method without additions. */
    public boolean paper;

    int[] ints() {
        return new int[] {model, window, gradient, refine ? 1 : 0, candidates, paper ? 1 : 0};
    }

    double[] doubles() {
        return new double[] {maxScale, maxAngle};
    }
}
