package endorama.core.transforms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** Marked places give back the transform that they were made with. */
class PointPairsTest {
    private static final double[][] PLACES = {{10, 12}, {90, 20}, {40, 70}};

    private static PointPairs marked(Transform truth, int n) {
        PointPairs points = new PointPairs();
        for (int i = 0; i < n; i++) {
            points.inSecond(PLACES[i][0], PLACES[i][1]);
            points.inFirst(truth.applyX(PLACES[i][0], PLACES[i][1]), truth.applyY(PLACES[i][0], PLACES[i][1]));
        }
        return points;
    }

    private static void assertGives(Transform truth, int n, Transform.Kind kind) {
        Transform found = marked(truth, n).transform(Transform.IDENTITY);
        assertEquals(kind, found.kind);
        assertArrayEquals(truth.toArray(), found.toArray(), 1e-9);
    }

    @Test
    void eachNumberOfPairsGivesItsClass() {
        assertGives(Transform.translation(7, -3), 1, Transform.Kind.TRANSLATION);
        assertGives(Transform.turning(0.3, 1.2, 50, 40), 2, Transform.Kind.SIMILARITY);
        assertGives(Transform.of(new double[] {1.1, 0.2, 5, -0.1, 0.9, 8}), 3, Transform.Kind.AFFINE);
    }

    @Test
    void oneShiftsWhatWasThere() {
        Transform before = Transform.turning(0.5, 1, 3, 4);
        Transform found = marked(Transform.translation(20, 10).multiply(before), 1).transform(before);
        assertArrayEquals(Transform.translation(20, 10).multiply(before).toArray(), found.toArray(), 1e-9);
    }

    @Test
    void turningKeepsThePointAndTheSenseOfAngles() {
        Transform quarter = Transform.turning(Math.PI / 2, 2, 5, 6);
        assertEquals(5, quarter.applyX(5, 6), 1e-12);
        assertEquals(6, quarter.applyY(5, 6), 1e-12);
        assertEquals(5, quarter.applyX(6, 6), 1e-12);
        assertEquals(8, quarter.applyY(6, 6), 1e-12);
    }

    @Test
    void aPlaceThatWaitsIsReplacedAndThreeAreTheMost() {
        PointPairs points = new PointPairs();
        points.inFirst(1, 1);
        points.inFirst(2, 2);
        assertEquals(1, points.first().size());
        assertEquals(2, points.first().get(0)[0]);
        points.inSecond(5, 5);
        assertEquals(1, points.pairs());
        points.inSecond(6, 6);
        points.removeLast();
        assertEquals(1, points.pairs());
        points.removeLast();
        assertEquals(0, points.pairs());
        assertEquals(0, points.first().size() + points.second().size());
        points.removeLast();
        PointPairs full = marked(Transform.IDENTITY, 3);
        full.inFirst(0, 0);
        full.inSecond(0, 0);
        assertEquals(3, full.pairs());
        assertEquals(3, full.first().size());
    }

    @Test
    void placesThatSayNothingAreRefused() {
        PointPairs near = new PointPairs();
        near.inFirst(1, 1);
        near.inSecond(1, 1);
        near.inFirst(2, 2);
        near.inSecond(40, 2);
        assertThrows(IllegalArgumentException.class, () -> near.transform(Transform.IDENTITY));
        PointPairs line = new PointPairs();
        for (int i = 0; i < 3; i++) {
            line.inFirst(20 * i, 10 * i);
            line.inSecond(PLACES[i][0], PLACES[i][1]);
        }
        assertEquals("the three places of a frame lie on a line; take one aside of it",
                assertThrows(IllegalArgumentException.class, () -> line.transform(Transform.IDENTITY)).getMessage());
        assertThrows(IllegalArgumentException.class, () -> new PointPairs().transform(Transform.IDENTITY));
    }
}
