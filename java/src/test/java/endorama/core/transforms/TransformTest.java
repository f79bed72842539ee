package endorama.core.transforms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.transforms.Transform.Kind;
import endorama.jni.NativeTransforms;
import org.junit.jupiter.api.Test;

class TransformTest {
    private final Transform a = affine(1.1, -0.2, 5, 0.3, 0.9, -7);
    private final Transform b = affine(0.8, 0.1, -2, -0.4, 1.2, 3);
    private final Transform homography = Transform.of(Kind.HOMOGRAPHY,
            new double[] {1.1, -0.2, 5, 0.3, 0.9, -7, 0.01, -0.02, 2});

    private static Transform affine(double... m) {
        return Transform.of(m);
    }

    @Test
    void productAppliesTheRightOneFirst() {
        for (Transform first : new Transform[] {a, homography}) {
            for (Transform then : new Transform[] {b, homography}) {
                double x = first.applyX(3, 4);
                double y = first.applyY(3, 4);
                assertEquals(then.applyX(x, y), then.multiply(first).applyX(3, 4), 1e-12);
                assertEquals(then.applyY(x, y), then.multiply(first).applyY(3, 4), 1e-12);
            }
        }
    }

    @Test
    void inverseUndoes() {
        double[] identity = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        for (Transform t : new Transform[] {a, b, homography}) {
            assertArrayEquals(identity, t.multiply(t.inverse()).toArray(), 1e-12);
            assertArrayEquals(identity, t.inverse().multiply(t).toArray(), 1e-12);
            assertEquals(t.kind, t.inverse().kind);
        }
    }

    @Test
    void singularHasNoInverse() {
        Transform flat = affine(1, 2, 0, 2, 4, 0);
        assertFalse(flat.isInvertible());
        assertThrows(ArithmeticException.class, flat::inverse);
        assertFalse(affine(1, 0, Double.NaN, 0, 1, 0).isInvertible());
        assertFalse(affine(1, 0, 0, 0, Double.POSITIVE_INFINITY, 0).isInvertible());
        assertFalse(Transform.of(Kind.HOMOGRAPHY, new double[] {1, 0, 0, 0, 1, 0, 1, 0, 0}).isInvertible());
    }

    @Test
    void homographyDivides() {
        double w = 0.01 * 3 - 0.02 * 4 + 2;
        assertEquals((1.1 * 3 - 0.2 * 4 + 5) / w, homography.applyX(3, 4), 1e-12);
        assertEquals((0.3 * 3 + 0.9 * 4 - 7) / w, homography.applyY(3, 4), 1e-12);
        assertEquals(1, homography.multiply(a).m22, 0);
        assertThrows(ArithmeticException.class, homography::affine);
    }

    @Test
    void tangentsAreTheDerivative() {
        double d = 1e-5;
        Transform t = homography.tangent(3, 4);
        assertEquals(Kind.AFFINE, t.kind);
        assertEquals(homography.applyX(3, 4), t.applyX(3, 4), 1e-12);
        assertEquals(homography.applyY(3, 4), t.applyY(3, 4), 1e-12);
        assertEquals((homography.applyX(3 + d, 4) - homography.applyX(3 - d, 4)) / (2 * d), t.m00, 1e-9);
        assertEquals((homography.applyX(3, 4 + d) - homography.applyX(3, 4 - d)) / (2 * d), t.m01, 1e-9);
        assertEquals((homography.applyY(3 + d, 4) - homography.applyY(3 - d, 4)) / (2 * d), t.m10, 1e-9);
        assertEquals((homography.applyY(3, 4 + d) - homography.applyY(3, 4 - d)) / (2 * d), t.m11, 1e-9);
        assertTrue(a == a.tangent(3, 4));
    }

    /** The residual over 0.7 of the sides has no mean and no slope, so that no other affine map is better. */
    @Test
    void nearestAffineIsThatOfLeastSquares() {
        Transform near = Transform.of(Kind.HOMOGRAPHY, new double[] {1.1, -0.2, 5, 0.3, 0.9, -7, 1e-3, -5e-4, 2});
        Transform t = near.nearestAffine(300, 200);
        assertEquals(Kind.AFFINE, t.kind);
        double[] left = new double[6];
        for (int i = 0; i < 210 * 140; i++) {
            int x = 45 + i % 210;
            int y = 30 + i / 210;
            double[] off = {t.applyX(x, y) - near.applyX(x, y), t.applyY(x, y) - near.applyY(x, y)};
            for (int k = 0; k < 6; k++) {
                left[k] += off[k / 3] * (k % 3 == 0 ? x - 149.5 : k % 3 == 1 ? y - 99.5 : 1);
            }
        }
        for (int k = 0; k < 6; k++) {
            assertEquals(0, left[k] / (210 * 140), 1e-3, "slope " + k);
        }
        assertEquals(0, left[2] / (210 * 140), 1e-4);
        assertTrue(Math.abs(t.applyX(0, 0) - near.applyX(0, 0)) > 0.1);
        assertTrue(a == a.nearestAffine(300, 200));
    }

    /** Where the frame crosses the horizon no affine map is near: the tangent in the middle is taken. */
    @Test
    void beyondTheHorizonTheMiddleIsTold() {
        Transform steep = Transform.of(Kind.HOMOGRAPHY, new double[] {1, 0, 0, 0, 1, 0, -0.02, 0, 3.99});
        assertEquals(steep.tangent(149.5, 99.5), steep.nearestAffine(300, 200));
    }

    @Test
    void kindIsTheLeastThatFits() {
        assertEquals(Kind.TRANSLATION, affine(1, 0, 5, 0, 1, -7).kind);
        assertEquals(Kind.RIGID, affine(0.6, -0.8, 5, 0.8, 0.6, -7).kind);
        assertEquals(Kind.RIGID, affine(-1, 0, 5, 0, -1, -7).kind);
        assertEquals(Kind.SIMILARITY, affine(1.2, -1.6, 5, 1.6, 1.2, -7).kind);
        assertEquals(Kind.AFFINE, affine(1, 0, 0, 0, -1, 0).kind);
        assertEquals(Kind.AFFINE, affine(1, 1e-6, 0, 0, 1, 0).kind);
        assertEquals(Kind.AFFINE, affine(0, 0, 5, 0, 0, 5).kind);
        assertEquals(Kind.AFFINE, affine(Double.NaN, 0, 5, 0, 1, 5).kind);
        assertEquals(Kind.AFFINE, a.multiply(Transform.IDENTITY).kind);
        assertEquals(Kind.AFFINE, Transform.IDENTITY.multiply(a).kind);
        assertEquals(Kind.TRANSLATION, Transform.translation(1, 2).inverse().kind);
    }

    @Test
    void kindsAreThoseOfTheLibrary() {
        assertEquals(NativeTransforms.TRANSLATION, Kind.TRANSLATION.ordinal());
        assertEquals(NativeTransforms.RIGID, Kind.RIGID.ordinal());
        assertEquals(NativeTransforms.SIMILARITY, Kind.SIMILARITY.ordinal());
        assertEquals(NativeTransforms.AFFINE, Kind.AFFINE.ordinal());
        assertEquals(NativeTransforms.HOMOGRAPHY, Kind.HOMOGRAPHY.ordinal());
    }

    @Test
    void equalityHasTheKind() {
        double[] still = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        assertEquals(Transform.IDENTITY, Transform.of(Kind.TRANSLATION, still));
        assertNotEquals(Transform.IDENTITY, Transform.of(Kind.AFFINE, still));
        assertTrue(Transform.IDENTITY.hashCode() == Transform.of(Kind.TRANSLATION, still).hashCode());
    }

    @Test
    void cornersAreCentresOfPixels() {
        assertArrayEquals(new double[] {1, 2, 10, 2, 10, 6, 1, 6}, Transform.translation(1, 2).corners(10, 5), 0);
    }
}
