package endorama.jni;

import java.util.Arrays;

/** Transforms as arguments or results of the library, in flat arrays: of each a class and nine numbers row by row. */
public final class NativeTransforms {
    /** Classes: {@code endo_transform_class}. */
    public static final int TRANSLATION = 0, RIGID = 1, SIMILARITY = 2, AFFINE = 3, HOMOGRAPHY = 4;
    static final int NUMBERS = 9;

    private final int[] kinds;
    private final double[] matrices;

    /** A list of n transforms. */
    public NativeTransforms(int n) {
        kinds = new int[n];
        matrices = new double[PixelArrays.elements("transforms", (long) n * NUMBERS)];
    }

    /** Sets transform i: its class, and nine numbers. */
    public void set(int i, int kind, double[] matrix) {
        kinds[i] = kind;
        System.arraycopy(matrix, 0, matrices, i * NUMBERS, NUMBERS);
    }

    /** Class of transform i. */
    public int kind(int i) {
        return kinds[i];
    }

    /** The nine numbers of transform i, in a new array. */
    public double[] matrix(int i) {
        return Arrays.copyOfRange(matrices, i * NUMBERS, (i + 1) * NUMBERS);
    }

    int[] kinds() {
        return kinds;
    }

    double[] matrices() {
        return matrices;
    }

    /** Number of transforms. */
    public int size() {
        return kinds.length;
    }
}
