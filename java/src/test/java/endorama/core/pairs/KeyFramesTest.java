package endorama.core.pairs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.pairs.KeyFrames.Key;
import endorama.core.transforms.Rect;
import endorama.core.transforms.Transform;
import org.junit.jupiter.api.Test;

/** How much two frames share, and when a frame is the next key frame. */
class KeyFramesTest {
    private final KeyFrames keys = new KeyFrames(new Rect(10, 20, 111, 101));

    /** The field is 100 x 80 px from middle to middle of its corners. */
    @Test
    void overlapIsAShareOfTheField() {
        Transform here = Transform.translation(300, -40);
        assertEquals(1, keys.overlap(here, here), 1e-9);
        assertEquals(0.9 * 0.75, keys.overlap(here, Transform.translation(310, -60)), 1e-9);
        assertEquals(0, keys.overlap(here, Transform.translation(401, -40)), 1e-9);
        // Twice as large about the field's middle: it covers all of the other one, which covers a quarter of it.
        Transform larger = Transform.of(new double[] {2, 0, -60, 0, 2, -60});
        assertEquals(1, keys.overlap(Transform.IDENTITY, larger), 1e-9);
        assertEquals(0.25, keys.overlap(larger, Transform.IDENTITY), 1e-9);
    }

    @Test
    void aFrameThatSharesLessThanSixTenthsIsBeyond() {
        Key key = keys.add(7, 2, Transform.translation(5, 5));
        assertFalse(keys.isBeyond(key, Transform.translation(44, 5)));
        assertTrue(keys.isBeyond(key, Transform.translation(46, 5)));
        assertEquals(7, key.end);
        assertEquals(2, key.part);
        assertEquals(1, keys.all().size());
    }
}
