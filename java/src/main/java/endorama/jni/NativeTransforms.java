package endorama.jni;

/** Classes of transforms, {@code endo_transform_class}, and their fits. */
public final class NativeTransforms {
    public static final int TRANSLATION = 0, RIGID = 1, SIMILARITY = 2, AFFINE = 3, HOMOGRAPHY = 4;

    private NativeTransforms() {
    }

    /**
     * The transform that takes the n points (x, y) of `places` nearest to their targets, which follow them there, by least
     * squares.
     *
     * @param kind a class but HOMOGRAPHY
     * @return nine numbers, row by row; null: no single one is the best
     */
    public static double[] fit(int n, double[] places, int kind) {
        NativeLibrary.load();
        double[] matrix = new double[9];
        EndoramaException.check(Native.transformFit(n, places, kind, matrix));
        return matrix[8] == 0 ? null : matrix;
    }
}
