package endorama.core;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class AffineTest {
    private final Affine a = new Affine(1.1, -0.2, 5, 0.3, 0.9, -7);
    private final Affine b = new Affine(0.8, 0.1, -2, -0.4, 1.2, 3);

    @Test
    void productAppliesTheRightOneFirst() {
        double x = b.applyX(3, 4);
        double y = b.applyY(3, 4);
        assertEquals(a.applyX(x, y), a.multiply(b).applyX(3, 4), 1e-12);
        assertEquals(a.applyY(x, y), a.multiply(b).applyY(3, 4), 1e-12);
    }

    @Test
    void inverseUndoes() {
        assertArrayEquals(Affine.IDENTITY.toArray(), a.multiply(a.inverse()).toArray(), 1e-12);
        assertArrayEquals(Affine.IDENTITY.toArray(), a.inverse().multiply(a).toArray(), 1e-12);
    }

    @Test
    void singularHasNoInverse() {
        Affine flat = new Affine(1, 2, 0, 2, 4, 0);
        assertFalse(flat.isInvertible());
        assertThrows(ArithmeticException.class, flat::inverse);
        assertFalse(new Affine(1, 0, Double.NaN, 0, 1, 0).isInvertible());
        assertFalse(new Affine(1, 0, 0, 0, Double.POSITIVE_INFINITY, 0).isInvertible());
    }

    @Test
    void cornersAreCentresOfPixels() {
        assertArrayEquals(new double[] {1, 2, 10, 2, 10, 6, 1, 6}, Affine.translation(1, 2).corners(10, 5), 0);
    }
}
