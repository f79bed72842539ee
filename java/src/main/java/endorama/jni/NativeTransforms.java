package endorama.jni;

/** Classes of transforms: {@code endo_transform_class}. */
public final class NativeTransforms {
    public static final int TRANSLATION = 0, RIGID = 1, SIMILARITY = 2, AFFINE = 3, HOMOGRAPHY = 4;

    private NativeTransforms() {
    }
}
