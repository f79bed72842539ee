package endorama.core.places;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.Test;

class PairsAwayTest {
    /** A ring of five of which one way is longer, one more frame at its end, and one that nothing connects. */
    @Test
    void theShortestWayCounts() {
        PairsAway pairs = new PairsAway(7);
        pairs.connect(0, 1, 7);
        pairs.connect(2, 1, 1);
        pairs.connect(2, 3, 1);
        pairs.connect(4, 3, 1);
        pairs.connect(0, 4, 1);
        pairs.connect(1, 5, 2);
        double none = Double.POSITIVE_INFINITY;
        assertArrayEquals(new double[] {0, 4, 3, 2, 1, 6, none}, pairs.from(0));
        assertArrayEquals(new double[] {6, 2, 3, 4, 5, 0, none}, pairs.from(5));
    }
}
