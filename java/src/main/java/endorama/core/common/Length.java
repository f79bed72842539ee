package endorama.core.common;

/**
 * Lengths of vectors of the plane, by the plain formula: Math.hypot and the C library's hypot differ in the last bits, and
 * the library ({@code native/systems/mosaic/geometry.h}) has to give the same numbers.
 */
public final class Length {
    private Length() {
    }

    /** The square root of x^2 + y^2. */
    public static double of(double x, double y) {
        return Math.sqrt(x * x + y * y);
    }
}
