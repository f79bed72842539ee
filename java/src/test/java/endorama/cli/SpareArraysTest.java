package endorama.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import endorama.core.frames.PixelType;
import org.junit.jupiter.api.Test;

/** Arrays are reused. */
class SpareArraysTest {
    @Test
    void onlyOneOfTheSameKindIsTaken() {
        SpareArrays spare = new SpareArrays();
        byte[] bytes = new byte[6];
        int[] colours = new int[6];
        spare.add(bytes);
        spare.add(colours);
        assertEquals(7, ((int[]) spare.take(PixelType.RGB32, 7)).length);
        assertSame(colours, spare.take(PixelType.RGB32, 6));
        assertSame(bytes, spare.take(PixelType.GREY8, 6));
        assertNotSame(bytes, spare.take(PixelType.GREY8, 6), "nobody has it twice");
    }
}
