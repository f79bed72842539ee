package endorama.core.paint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What a place that is known so well is worth in a blended panorama. */
class WeighingTest {
    private final Weighing weighing = new Weighing(3);

    private int weight(double deviation, boolean doubtful) {
        weighing.set(1, deviation, doubtful);
        return weighing.weight(1);
    }

    /** 256 / (1 + (deviation / 2 px)^2), rounded, 4 at least. */
    @Test
    void weightsFallWithTheDeviation() {
        assertEquals(256, weight(0, false));
        assertEquals(256, weight(Double.NaN, false));
        assertEquals(205, weight(1, false));
        assertEquals(128, weight(2, false));
        assertEquals(51, weight(4, false));
        assertEquals(5, weight(14, false));
        assertEquals(4, weight(20, false));
        assertEquals(4, weight(1000, false));
    }

    @Test
    void doubtfulFramesShowWhereNoOtherDoes() {
        assertEquals(4, weight(0, true));
        assertEquals(4, weighing.weight(0));
        assertTrue(Double.isNaN(weighing.deviation(0)));
        weight(3.5, true);
        assertEquals(3.5, weighing.deviation(1));
    }

    /** Doubtful frames alone count in full; beside a good one as before; other parts' frames stay. */
    @Test
    void theBestFrameOfAPartCountsInFull() {
        weighing.raise(Arrays.asList(0, 1));
        assertEquals(256, weighing.weight(0));
        assertEquals(256, weighing.weight(1));
        assertEquals(4, weighing.weight(2));
        weight(2, false);
        weighing.set(0, 0, true);
        weighing.raise(Arrays.asList(0, 1));
        assertEquals(256, weighing.weight(1));
        assertEquals(8, weighing.weight(0));
        weight(0, false);
        weighing.raise(Arrays.asList(1, 2));
        assertEquals(4, weighing.weight(2));
    }
}
