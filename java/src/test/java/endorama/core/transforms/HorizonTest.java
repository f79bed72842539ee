package endorama.core.transforms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.pairs.Plausibility;
import org.junit.jupiter.api.Test;

/** Which places of a frame of 101 x 81 px can be painted, and how large it is there. */
class HorizonTest {
    private final Horizon horizon = new Horizon(101, 81);

    /** About the frame's middle; w is 1 - 50 g at the right rim. */
    private static Transform aslant(double g) {
        return Transform.perspective(-g, 0, 50, 40);
    }

    @Test
    void everyPlaceButThoseOfHomographiesCan() {
        assertTrue(horizon.shows(Transform.of(new double[] {100, 0, 0, 0, -100, 0})));
        assertTrue(horizon.shows(aslant(0)));
        assertTrue(horizon.shows(aslant(0.01)));
    }

    /** Of a frame of one row: along it a pixel becomes 1 / w^2 wide, 32 where w is 0.1768. */
    @Test
    void pixelsAtTheCornersMayBecomeThirtyTwoWide() {
        Horizon row = new Horizon(101, 1);
        double most = (1 - 1 / Math.sqrt(32.0)) / 50;
        for (int sign = -1; sign <= 1; sign += 2) {
            assertTrue(row.shows(Transform.perspective(sign * 0.99 * most, 0, 50, 0)));
            assertFalse(row.shows(Transform.perspective(sign * 1.01 * most, 0, 50, 0)));
        }
        Horizon column = new Horizon(1, 101);
        assertTrue(column.shows(Transform.perspective(0, 0.99 * most, 0, 50)));
        assertFalse(column.shows(Transform.perspective(0, 1.01 * most, 0, 50)));
        assertFalse(column.shows(Transform.perspective(0, -1.01 * most, 0, 50)));
    }

    @Test
    void whatReachesTheHorizonCannot() {
        Transform across = aslant(0.021);
        assertFalse(horizon.shows(across) || horizon.isBefore(across) || horizon.isBefore(aslant(-0.021)));
        assertTrue(horizon.isBefore(aslant(0.0199)) && horizon.isBefore(aslant(-0.0199)));
        assertNull(new Rect(0, 0, 101, 81).transformed(across));
        assertNotNull(new Rect(0, 0, 90, 81).transformed(across));
        assertEquals(0, new Rect(0, 0, 101, 81).coveredBy(across));
        assertTrue(new Rect(0, 0, 90, 81).coveredBy(across) > 0);
    }

    /** Of 1 / w^2 wide and 1 / w high, and sheared, the mean of four points, and of others what the linear part says. */
    @Test
    void sizesAreMeansOverTheFrame() {
        assertEquals(Math.sqrt((9 + 1) / 2.0), horizon.scale(Transform.of(new double[] {3, 0, 7, 0, 1, 8})), 1e-12);
        double squares = 0;
        for (int sign = -1; sign <= 1; sign += 2) {
            double q = sign * 101 / Math.sqrt(12);
            double w = 1 - 0.005 * q;
            double y = 81 / Math.sqrt(12);
            double shear = 0.005 * y / (w * w);
            squares += (1 / Math.pow(w, 4) + 1 / (w * w) + shear * shear) / 2 / 2;
        }
        assertEquals(Math.sqrt(squares), horizon.scale(aslant(0.005)), 1e-9);
        assertEquals(1, horizon.middle(aslant(0.005)).determinant(), 1e-12);
    }

    @Test
    void turnsAndMirrorsOfHomographiesAreLeaps() {
        assertFalse(Plausibility.isLeap(aslant(0.005)));
        assertTrue(Plausibility.isLeap(aslant(0.005).multiply(Transform.of(new double[] {-1, 0, 100, 0, 1, 0}))));
        assertTrue(Plausibility.isLeap(aslant(0.005).multiply(Transform.of(new double[] {-1, 0, 100, 0, -1, 80}))));
    }
}
