package endorama.core.equalize;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import endorama.core.frames.PixelType;
import org.junit.jupiter.api.Test;

/** Small pictures worked out by hand. */
class SurroundTest {
    private static final byte[] INSIDE = {
        0, 0, 0, 0, 0, 0,
        0, 0, 1, 1, 1, 0,
        0, 0, 0, 1, 0, 0,
        0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0,
    };
    private static final byte[] IMAGE = {
        1, 2, 3, 4, 5, 6,
        7, 8, 10, 20, 30, 9,
        1, 1, 1, 40, 1, 1,
        2, 2, 2, 2, 2, 2,
        3, 3, 3, 3, 3, 3,
    };

    @Test
    void rowsAreMirroredThenThoseWithoutAny() {
        byte[] filled = (byte[]) new Surround(INSIDE, 6, 5).mirrored(PixelType.GREY8, IMAGE);
        assertArrayEquals(new byte[] {
            40, 40, 40, 40, 40, 40,
            30, 20, 10, 20, 30, 20,
            40, 40, 40, 40, 40, 40,
            30, 20, 10, 20, 30, 20,
            40, 40, 40, 40, 40, 40,
        }, filled);
    }

    @Test
    void whatWasAroundComesBack() {
        byte[] out = new byte[30];
        new Surround(INSIDE, 6, 5).restore(IMAGE, out);
        byte[] expected = IMAGE.clone();
        for (int i = 0; i < 30; i++) {
            expected[i] *= 1 - INSIDE[i];
        }
        assertArrayEquals(expected, out);
    }
}
