package endorama.core.frames;

/**
 * How a lens bends frames about their middle, by the division model: with r the distance from the middle over half of
 * the frame's longer side, what the frame shows at r lies at r / (1 + lambda r^2) in a picture without distortion. Its
 * size at the middle stays. At r = 1 the distortion, what is shown against what would be, is lambda itself: below 0 it is
 * a barrel. Immutable.
 */
public final class Lens {
    private final double lambda;
    /** Half of the longer side, px. */
    private final double half;

    /**
     * For frames of width x height px.
     *
     * @param percent distortion at half of the longer side, -40..40; 0: none
     */
    Lens(int width, int height, double percent) {
        lambda = percent / 100;
        half = Math.max(width, height) / 2.0;
    }

    /**
     * By what to multiply a place's distance from the middle to come to where the frame shows it; NaN where no frame
     * shows it, however large.
     *
     * @param square of that distance, px^2
     */
    double shown(double square) {
        double root = 1 - 4 * lambda * square / (half * half);
        return root < 0 ? Double.NaN : 2 / (1 + Math.sqrt(root));
    }
}
