package endorama.core.volumes;

import endorama.core.transforms.Transform;

/** Affine maps of space: 4 x 4 matrices of 16 numbers, row by row, whose last row is 0 0 0 1. */
public final class Affine3 {
    private static final double SMALLEST = 1e-12;

    private Affine3() {
    }

    public static double[] identity() {
        return diagonal(1, 1, 1);
    }

    public static double[] diagonal(double x, double y, double z) {
        return new double[] {x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1};
    }

    public static double[] shift(double x, double y, double z) {
        return new double[] {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z, 0, 0, 0, 1};
    }

    /** The product: second is applied first. */
    public static double[] product(double[] first, double[] second) {
        double[] m = new double[16];
        for (int i = 0; i < 16; i++) {
            int row = i / 4 * 4;
            for (int k = 0; k < 4; k++) {
                m[i] += first[row + k] * second[4 * k + i % 4];
            }
        }
        return m;
    }

    /** The image of a point. */
    public static double[] apply(double[] m, double x, double y, double z) {
        double[] p = new double[3];
        for (int i = 0; i < 3; i++) {
            p[i] = m[4 * i] * x + m[4 * i + 1] * y + m[4 * i + 2] * z + m[4 * i + 3];
        }
        return p;
    }

    /** The factor of volumes. */
    public static double determinant(double[] m) {
        return m[0] * cofactor(m, 0, 0) + m[1] * cofactor(m, 0, 1) + m[2] * cofactor(m, 0, 2);
    }

    private static double cofactor(double[] m, int row, int column) {
        int a = (row + 1) % 3 * 4;
        int b = (row + 2) % 3 * 4;
        int c = (column + 1) % 3;
        int d = (column + 2) % 3;
        return m[a + c] * m[b + d] - m[a + d] * m[b + c];
    }

    /** Lengths of the images of unit steps along each axis. */
    static double[] steps(double[] m) {
        double[] steps = new double[3];
        for (int i = 0; i < 3; i++) {
            steps[i] = Math.sqrt(m[i] * m[i] + m[4 + i] * m[4 + i] + m[8 + i] * m[8 + i]);
        }
        return steps;
    }

    /** All numbers are finite, the last row is 0 0 0 1, and the map is not singular. */
    public static boolean isInvertible(double[] m) {
        for (double number : m) {
            if (Double.isNaN(number) || Double.isInfinite(number)) {
                return false;
            }
        }
        double[] s = steps(m);
        double box = s[0] * s[1] * s[2];
        return m[12] == 0 && m[13] == 0 && m[14] == 0 && m[15] == 1 && box > 0
                && Math.abs(determinant(m)) > SMALLEST * box;
    }

    /** @throws ArithmeticException if there is none */
    public static double[] inverse(double[] m) {
        if (!isInvertible(m)) {
            throw new ArithmeticException("the matrix " + java.util.Arrays.toString(m) + " cannot be inverted");
        }
        double d = determinant(m);
        double[] inverse = new double[16];
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++) {
                inverse[4 * i + k] = cofactor(m, k, i) / d;
            }
        }
        double[] back = apply(inverse, m[3], m[7], m[11]);
        for (int i = 0; i < 3; i++) {
            inverse[4 * i + 3] = -back[i];
        }
        inverse[15] = 1;
        return inverse;
    }

    /** A map of the plane as one of space that keeps z. */
    public static double[] of(Transform plane) {
        double[] m = plane.affine();
        return new double[] {m[0], m[1], 0, m[2], m[3], m[4], 0, m[5], 0, 0, 1, 0, 0, 0, 0, 1};
    }

    /** The map within the plane z = 0. */
    public static Transform plane(double[] m) {
        return Transform.of(new double[] {m[0], m[1], m[3], m[4], m[5], m[7]});
    }
}
