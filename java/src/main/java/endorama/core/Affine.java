package endorama.core;

import java.util.Arrays;

/**
 * An affine map of the plane: x' = m00*x + m01*y + m02, y' = m10*x + m11*y + m12. x runs right, y down, the
 * centre of the first pixel is (0, 0). Immutable.
 */
public final class Affine {
    /** Leaves every point where it is. */
    public static final Affine IDENTITY = new Affine(1, 0, 0, 0, 1, 0);

    /** The six numbers, row by row. */
    public final double m00, m01, m02, m10, m11, m12;

    /** From its six numbers, row by row. */
    public Affine(double m00, double m01, double m02, double m10, double m11, double m12) {
        this.m00 = m00;
        this.m01 = m01;
        this.m02 = m02;
        this.m10 = m10;
        this.m11 = m11;
        this.m12 = m12;
    }

    /** From an array of six numbers, row by row. */
    public static Affine of(double[] m) {
        return new Affine(m[0], m[1], m[2], m[3], m[4], m[5]);
    }

    /** Shifts by (dx, dy). */
    public static Affine translation(double dx, double dy) {
        return new Affine(1, 0, dx, 0, 1, dy);
    }

    /** The six numbers, row by row, in a new array. */
    public double[] toArray() {
        return new double[] {m00, m01, m02, m10, m11, m12};
    }

    /** First other, then this. */
    public Affine multiply(Affine other) {
        return new Affine(m00 * other.m00 + m01 * other.m10, m00 * other.m01 + m01 * other.m11,
                applyX(other.m02, other.m12), m10 * other.m00 + m11 * other.m10,
                m10 * other.m01 + m11 * other.m11, applyY(other.m02, other.m12));
    }

    /** m00*m11 - m01*m10: by how much areas grow. */
    public double determinant() {
        return m00 * m11 - m01 * m10;
    }

    /** The numbers are finite and the map can be inverted. */
    public boolean isInvertible() {
        double d = determinant();
        return Math.abs(d) > 1e-12 && !Double.isInfinite(d) && !Double.isNaN(m02 + m12)
                && !Double.isInfinite(m02) && !Double.isInfinite(m12);
    }

    /**
     * The map that undoes this one.
     *
     * @throws ArithmeticException if there is none
     */
    public Affine inverse() {
        if (!isInvertible()) {
            throw new ArithmeticException("the transform " + this + " cannot be inverted");
        }
        double d = determinant();
        double a = m11 / d;
        double b = -m01 / d;
        double c = -m10 / d;
        double e = m00 / d;
        return new Affine(a, b, -(a * m02 + b * m12), c, e, -(c * m02 + e * m12));
    }

    /** x' of a point. */
    public double applyX(double x, double y) {
        return m00 * x + m01 * y + m02;
    }

    /** y' of a point. */
    public double applyY(double x, double y) {
        return m10 * x + m11 * y + m12;
    }

    /** Where the centres of a frame's corner pixels go: x, y clockwise from the first pixel. */
    public double[] corners(int width, int height) {
        double r = width - 1;
        double b = height - 1;
        return new double[] {applyX(0, 0), applyY(0, 0), applyX(r, 0), applyY(r, 0), applyX(r, b), applyY(r, b),
            applyX(0, b), applyY(0, b)};
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Affine && Arrays.equals(toArray(), ((Affine) other).toArray());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(toArray());
    }

    @Override
    public String toString() {
        return Arrays.toString(toArray());
    }
}
