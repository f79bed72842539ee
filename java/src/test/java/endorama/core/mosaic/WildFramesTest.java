package endorama.core.mosaic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.transforms.Transform;
import java.util.Collections;
import org.junit.jupiter.api.Test;

/** Frames of 101 x 1 px at one place: the farthest corner of each is about 50 px from the middle of all. */
class WildFramesTest {
    private static final int WIDTH = 101;

    private static WildFrames frames(long limit, double... shifts) {
        WildFrames wild = new WildFrames(WIDTH, 1, limit);
        for (int i = 0; i < shifts.length; i++) {
            wild.add(i, Transform.translation(shifts[i], 0));
        }
        return wild;
    }

    @Test
    void whereAllFitAllAreBelieved() {
        assertEquals(Collections.emptyMap(), frames(10000, 0, 0, 0, 0, 9000).find());
    }

    @Test
    void theOneThatIsFarFromTheOthersIsWildWhereverItStands() {
        assertEquals(Collections.singleton(0), frames(1000, 9000, 0, 0, 0, 0).find().keySet());
        assertEquals(Collections.singleton(2), frames(1000, 0, 0, 9000, 0, 0).find().keySet());
        assertEquals(Collections.singleton(4), frames(1000, 0, 0, 0, 0, -9000).find().keySet());
    }

    /** 50 times 50.5 px, less the half of the frame itself. */
    @Test
    void farIsFiftyTimesAsFarAsUsual() {
        assertEquals(Collections.emptyMap(), frames(1000, 0, 0, 0, 0, 2440).find());
        assertEquals(Collections.singleton(4), frames(1000, 0, 0, 0, 0, 2520).find().keySet());
    }

    /** A long path is no wild frame: then painting stops where there is no room. */
    @Test
    void framesOfALongPathAreAllBelieved() {
        assertEquals(Collections.emptyMap(), frames(1000, 0, 3000, 6000, 9000, 12000).find());
    }

    @Test
    void whatCannotBePaintedIsWildEvenWhereThereIsRoom() {
        WildFrames wild = frames(1L << 40, 0, 0);
        wild.add(7, Transform.of(Transform.Kind.HOMOGRAPHY, new double[] {1, 0, 0, 0, 1, 0, -0.02, 0, 2}));
        wild.add(8, Transform.translation(1e12, 0));
        assertEquals(2, wild.find().size());
        assertTrue(wild.find().get(7).contains("horizon"));
    }
}
