package endorama.core.frames;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class GreyRangeTest {
    private static int[] ends(short... pixels) {
        GreyRange range = new GreyRange();
        range.add(pixels);
        return range.ends();
    }

    /** 10,000 pixels of 1000..1099, a hundred each, the first of them changed to the value. */
    private static short[] ramp(int changed, int value) {
        short[] pixels = new short[10000];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (short) (1000 + i % 100);
        }
        Arrays.fill(pixels, 5000, 5000 + changed, (short) value);
        return pixels;
    }

    @Test
    void hotAndDeadPixelsDoNotCount() {
        assertArrayEquals(new int[] {1000, 1099}, ends(ramp(0, 0)));
        assertArrayEquals(new int[] {1000, 1099}, ends(ramp(10, 65535)));
        assertArrayEquals(new int[] {1000, 65535}, ends(ramp(11, 65535)));
        assertArrayEquals(new int[] {1000, 1099}, ends(ramp(10, 0)));
        assertArrayEquals(new int[] {0, 1099}, ends(ramp(11, 0)));
    }

    @Test
    void framesAreTakenTogether() {
        GreyRange range = new GreyRange();
        range.add(ramp(20, 65535));
        range.add(ramp(0, 0));
        assertArrayEquals(new int[] {1000, 1099}, range.ends());
    }

    @Test
    void fewValues() {
        assertArrayEquals(new int[] {0, 65535}, ends(new short[100]));
        assertArrayEquals(new int[] {6, 7}, ends((short) 7, (short) 7));
        assertArrayEquals(new int[] {3, 9}, ends((short) 3, (short) 9));
        short[] flat = new short[5000];
        Arrays.fill(flat, (short) 500);
        flat[9] = 700;
        assertArrayEquals(new int[] {500, 700}, ends(flat));
    }
}
