package endorama.core.places;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.transforms.Transform;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** From which change of size and shape on a sequence is said to be distorted. */
class ShapeWatchTest {
    private static Transform stretched(double x, double y) {
        return Transform.of(new double[] {x, 0, 7, 0, y, -3});
    }

    @ParameterizedTest
    @CsvSource({"0.61, 1", "1.66, 1", "0.62, 1.249", "1.64, 1.249", "0.61, -1"})
    void usualIsUpToSixTenthsOfTheAreaAndAQuarterOfTheShape(double area, double ratio) {
        ShapeWatch watch = new ShapeWatch(300, 400);
        double y = Math.sqrt(area / Math.abs(ratio));
        assertFalse(watch.look(4, stretched(ratio * y, y), Double.NaN));
        assertNull(watch.warning());
    }

    @ParameterizedTest
    @CsvSource({"0.59, 1, shrunk", "1.68, 1, grown", "1, 1.251, been sheared", "1, 0.799, been sheared"})
    void whatIsBeyondIsSaidOnce(double area, double ratio, String what) {
        ShapeWatch watch = new ShapeWatch(300, 400);
        double y = Math.sqrt(area / ratio);
        assertTrue(watch.look(4, stretched(ratio * y, y), Double.NaN));
        String said = watch.warning();
        assertTrue(said.startsWith("frame 5: ") && said.contains("has " + what), said);
        assertFalse(watch.look(5, stretched(0.1, 0.1), 0.1));
        assertEquals(said, watch.warning());
    }

    @Test
    void theMessageNamesWhatIsUsual() {
        ShapeWatch watch = new ShapeWatch(300, 400);
        watch.look(0, stretched(0.5, 0.5), 0.1);
        assertTrue(watch.warning().contains("area scale 0.250, usual are 0.60 to 1.67"), watch.warning());
    }

    /** Of frames whose diagonal is 500 px: those that are known to 5 px are what the view aslant makes of them. */
    @ParameterizedTest
    @CsvSource({"NaN, false", "4.9, false", "5.1, true"})
    void homographiesMayBeOfAnyShapeWhereTheirPlacesAreKnown(double deviation, boolean isSaid) {
        Transform aslant = stretched(0.7, 0.7).multiply(Transform.perspective(1e-4, 0, 149.5, 199.5));
        ShapeWatch watch = new ShapeWatch(300, 400);
        assertEquals(isSaid, watch.look(4, aslant, deviation));
        assertEquals(isSaid, watch.warning() != null);
    }

    /** At its middle it is as large as the first frame, and at its first pixel twice as large. */
    @Test
    void homographiesAreSeenAtTheirMiddle() {
        Transform aslant = Transform.perspective(4e-4, 8e-4, 149.5, 199.5);
        assertTrue(Math.abs(aslant.tangent(0, 0).determinant()) > 1.67);
        assertFalse(new ShapeWatch(300, 400).look(4, aslant, 100));
    }
}
