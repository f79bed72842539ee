package endorama.core.transforms;

import endorama.core.common.Length;
import java.util.Arrays;
import java.util.function.DoubleBinaryOperator;

/**
 * A map of the plane and its class. With w = m20*x + m21*y + m22: x' = (m00*x + m01*y + m02) / w, y' = (m10*x + m11*y + m12) /
 * w. x runs right, y down, the centre of the first pixel is (0, 0). Its direction is from a frame to its reference: for a pair
 * from the current to the reference frame, for a pose from a frame to the first one. Immutable.
 */
public final class Transform {
    /** Classes, each of which contains those before it: {@code endo_transform_class}. */
    public enum Kind {
        /** A shift. */
        TRANSLATION,
        /** Translation and rotation. */
        RIGID,
        /** Translation, rotation and scale. */
        SIMILARITY,
        /** Any linear map and a translation. */
        AFFINE,
        /** Any projective map. */
        HOMOGRAPHY
    }

    /** The identity. */
    public static final Transform IDENTITY = translation(0, 0);

    /** {@code ENDO_TRANSFORM_TOLERANCE}. */
    private static final double TOLERANCE = 1e-9;
    /** Share of a frame's sides over which affine approximations are fitted. */
    private static final double MIDDLE = 0.7;

    /** Class of the matrix. */
    public final Kind kind;
    /** The first two rows. */
    public final double m00, m01, m02, m10, m11, m12;
    /** The last row; 0 0 1 but in a homography. */
    public final double m20, m21, m22;

    private Transform(Kind kind, double m00, double m01, double m02, double m10, double m11, double m12, double m20,
            double m21, double m22) {
        this.kind = kind;
        this.m00 = m00;
        this.m01 = m01;
        this.m02 = m02;
        this.m10 = m10;
        this.m11 = m11;
        this.m12 = m12;
        this.m20 = m20;
        this.m21 = m21;
        this.m22 = m22;
    }

    /** From a native result: a class, and nine numbers row by row. */
    public static Transform of(int kind, double[] m) {
        return of(Kind.values()[kind], m);
    }

    /** From a native result: a class, and nine numbers row by row from an index on. */
    public static Transform of(int kind, double[] m, int from) {
        return of(kind, Arrays.copyOfRange(m, from, from + 9));
    }

    /** From a class and nine numbers of that class, row by row. */
    public static Transform of(Kind kind, double[] m) {
        return new Transform(kind, m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]);
    }

    /** From the six numbers of the first two rows, of the least general class that they fit. */
    public static Transform of(double[] m) {
        return six(leastKind(m), m[0], m[1], m[2], m[3], m[4], m[5]);
    }

    /** Shifts by (dx, dy). */
    public static Transform translation(double dx, double dy) {
        return six(Kind.TRANSLATION, 1, 0, dx, 0, 1, dy);
    }

    /** Scaling that maps pixel corners to pixel corners. */
    public static Transform scaling(double scale) {
        double shift = (scale - 1) / 2;
        return scale == 1 ? IDENTITY : six(Kind.SIMILARITY, scale, 0, shift, 0, scale, shift);
    }

    /** Turns by an angle, radians from x to y, and scales, about a point. */
    public static Transform turning(double angle, double scale, double x, double y) {
        double c = scale * Math.cos(angle);
        double s = scale * Math.sin(angle);
        return six(scale == 1 ? Kind.RIGID : Kind.SIMILARITY, c, -s, x - c * x + s * y, s, c, y - s * x - c * y);
    }

    private static Transform six(Kind kind, double m00, double m01, double m02, double m10, double m11, double m12) {
        return new Transform(kind, m00, m01, m02, m10, m11, m12, 0, 0, 1);
    }

    private static Kind leastKind(double[] m) {
        double largest = Math.max(Math.max(Math.abs(m[0]), Math.abs(m[1])), Math.max(Math.abs(m[3]), Math.abs(m[4])));
        double allowed = TOLERANCE * Math.max(1, largest);
        if (!(Math.abs(m[0] - m[4]) <= allowed && Math.abs(m[1] + m[3]) <= allowed && largest > 0)) {
            return Kind.AFFINE;
        }
        if (Math.abs(Length.of(m[0], m[3]) - 1) > allowed) {
            return Kind.SIMILARITY;
        }
        return m[0] > 0 && Math.abs(m[3]) <= allowed ? Kind.TRANSLATION : Kind.RIGID;
    }

    /** The last row is not 0 0 1. */
    public boolean isHomography() {
        return kind == Kind.HOMOGRAPHY;
    }

    /** The nine numbers, row by row, in a new array. */
    public double[] toArray() {
        return new double[] {m00, m01, m02, m10, m11, m12, m20, m21, m22};
    }

    /**
     * The six numbers of the first two rows, in a new array.
     *
     * @throws ArithmeticException of a homography, which they do not tell
     */
    public double[] affine() {
        if (isHomography()) {
            throw new ArithmeticException("the homography " + this + " has no six numbers");
        }
        return new double[] {m00, m01, m02, m10, m11, m12};
    }

    /**
     * The eight numbers of the matrix scaled so that the last one is 1, row by row, in a new array.
     *
     * @throws ArithmeticException of a homography that takes the point (0, 0) nowhere
     */
    public double[] eight() {
        if (m22 == 0) {
            throw new ArithmeticException("the homography " + this + " takes the point (0, 0) to infinity");
        }
        return new double[] {m00 / m22, m01 / m22, m02 / m22, m10 / m22, m11 / m22, m12 / m22, m20 / m22, m21 / m22};
    }

    /** From the eight numbers of {@link #eight}; an affine map where the last two are 0. */
    static Transform ofEight(double[] m) {
        return m[6] == 0 && m[7] == 0 ? of(m)
                : of(Kind.HOMOGRAPHY, new double[] {m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], 1});
    }

    /**
     * The affine map nearest to this one over a frame of width x height px, by least squares over its middle ({@value #MIDDLE}
     * of each side: most scopes do not light the corners); an affine map itself. If a homography takes a point of the frame to
     * infinity or beyond, the tangent affine map in the frame's middle.
     */
    public Transform nearestAffine(int width, int height) {
        double x = (width - 1) / 2.0;
        double y = (height - 1) / 2.0;
        if (!isHomography() || !new Rect(0, 0, width, height).isBeforeHorizon(this)) {
            return tangent(x, y);
        }
        double across = MIDDLE * width;
        double down = MIDDLE * height;
        double[] m = new double[6];
        for (int row = 0; row < 2; row++) {
            boolean isX = row == 0;
            DoubleBinaryOperator to = (u, v) -> isX ? applyX(x + u, y + v) : applyY(x + u, y + v);
            m[3 * row] = FrameMean.of(across, down, (u, v) -> u * to.applyAsDouble(u, v)) * 12 / (across * across);
            m[3 * row + 1] = FrameMean.of(across, down, (u, v) -> v * to.applyAsDouble(u, v)) * 12 / (down * down);
            m[3 * row + 2] = FrameMean.of(across, down, to);
        }
        return six(Kind.AFFINE, m[0], m[1], m[2] - m[0] * x - m[1] * y, m[3], m[4], m[5] - m[3] * x - m[4] * y);
    }

    /** First other, then this; of the more general class of the two. */
    public Transform multiply(Transform other) {
        if (isHomography() || other.isHomography()) {
            return product(other);
        }
        Kind general = kind.compareTo(other.kind) > 0 ? kind : other.kind;
        return six(general, m00 * other.m00 + m01 * other.m10, m00 * other.m01 + m01 * other.m11,
                m00 * other.m02 + m01 * other.m12 + m02, m10 * other.m00 + m11 * other.m10,
                m10 * other.m01 + m11 * other.m11, m10 * other.m02 + m11 * other.m12 + m12);
    }

    private Transform product(Transform other) {
        double[] a = toArray();
        double[] b = other.toArray();
        double[] m = new double[9];
        for (int i = 0; i < 9; i++) {
            int row = i / 3 * 3;
            m[i] = a[row] * b[i % 3] + a[row + 1] * b[3 + i % 3] + a[row + 2] * b[6 + i % 3];
        }
        return homography(m);
    }

    /** A homography scaled so that the last number is 1, unless it is 0. */
    private static Transform homography(double[] m) {
        double last = m[8] != 0 ? m[8] : 1;
        for (int i = 0; i < 9; i++) {
            m[i] /= last;
        }
        return of(Kind.HOMOGRAPHY, m);
    }

    /** The factor of areas; of a homography the determinant of the whole matrix. */
    public double determinant() {
        if (isHomography()) {
            return m00 * (m11 * m22 - m12 * m21) - m01 * (m10 * m22 - m12 * m20) + m02 * (m10 * m21 - m11 * m20);
        }
        return m00 * m11 - m01 * m10;
    }

    /** The tangent affine map at a point; an affine map itself. */
    public Transform tangent(double x, double y) {
        if (!isHomography()) {
            return this;
        }
        double w = divisor(x, y);
        double u = applyX(x, y);
        double v = applyY(x, y);
        double a = (m00 - u * m20) / w;
        double b = (m01 - u * m21) / w;
        double c = (m10 - v * m20) / w;
        double d = (m11 - v * m21) / w;
        return six(Kind.AFFINE, a, b, u - a * x - b * y, c, d, v - c * x - d * y);
    }

    /** The numbers are finite and the map can be inverted. */
    public boolean isInvertible() {
        double d = determinant();
        for (double number : toArray()) {
            if (Double.isNaN(number) || Double.isInfinite(number)) {
                return false;
            }
        }
        return Math.abs(d) > 1e-12 && !Double.isInfinite(d);
    }

    /**
     * The inverse, of the same class.
     *
     * @throws ArithmeticException if there is none
     */
    public Transform inverse() {
        if (!isInvertible()) {
            throw new ArithmeticException("the transform " + this + " cannot be inverted");
        }
        double d = determinant();
        if (isHomography()) {
            return homography(new double[] {
                (m11 * m22 - m12 * m21) / d, (m02 * m21 - m01 * m22) / d, (m01 * m12 - m02 * m11) / d,
                (m12 * m20 - m10 * m22) / d, (m00 * m22 - m02 * m20) / d, (m02 * m10 - m00 * m12) / d,
                (m10 * m21 - m11 * m20) / d, (m01 * m20 - m00 * m21) / d, (m00 * m11 - m01 * m10) / d});
        }
        double a = m11 / d;
        double b = -m01 / d;
        double c = -m10 / d;
        double e = m00 / d;
        return six(kind, a, b, -(a * m02 + b * m12), c, e, -(c * m02 + e * m12));
    }

    /** The divisor w of a homography at a point: 0 on the horizon; of an affine map 1. */
    public double divisor(double x, double y) {
        return isHomography() ? m20 * x + m21 * y + m22 : 1;
    }

    /** x' of a point. */
    public double applyX(double x, double y) {
        return (m00 * x + m01 * y + m02) / divisor(x, y);
    }

    /** y' of a point. */
    public double applyY(double x, double y) {
        return (m10 * x + m11 * y + m12) / divisor(x, y);
    }

    /** The images of the centres of a frame's corner pixels: x, y clockwise from the first pixel. */
    public double[] corners(int width, int height) {
        double r = width - 1;
        double b = height - 1;
        return new double[] {applyX(0, 0), applyY(0, 0), applyX(r, 0), applyY(r, 0), applyX(r, b), applyY(r, b),
            applyX(0, b), applyY(0, b)};
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Transform && kind == ((Transform) other).kind
                && Arrays.equals(toArray(), ((Transform) other).toArray());
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(toArray()) + kind.ordinal();
    }

    @Override
    public String toString() {
        return Arrays.toString(isHomography() ? toArray() : affine());
    }
}
