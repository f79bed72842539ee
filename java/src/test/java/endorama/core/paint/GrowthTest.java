package endorama.core.paint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import endorama.core.frames.PixelType;
import endorama.core.transforms.Transform;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class GrowthTest {
    private static Panorama panorama(PixelType type, int width, int height, Object pixels, byte[] painted) {
        return new Panorama(type, width, height, (picture, first, n, into) -> System.arraycopy(
                picture == Panorama.Picture.PIXELS ? pixels : painted, first * width, into, 0, n * width));
    }

    /** 6 x 2 pixels of grey 10, 20, .. 60 in each row; the last column is not painted. */
    private static Panorama panorama() {
        byte[] pixels = new byte[12];
        byte[] painted = new byte[12];
        for (int i = 0; i < 12; i++) {
            pixels[i] = (byte) (10 * (i % 6 + 1));
            painted[i] = (byte) (i % 6 == 5 ? 0 : -1);
        }
        return panorama(PixelType.GREY8, 6, 2, pixels, painted);
    }

    @Test
    void smallIsTheMeanOfWhatIsPainted() {
        SmallPanorama small = SmallPanorama.of(panorama(), 3);
        assertEquals(2, small.step());
        assertEquals(3, small.width());
        assertEquals(1, small.height());
        assertArrayEquals(new int[] {0xff0f0f0f, 0xff232323, 0xff323232}, small.pixels());
        assertArrayEquals(new int[] {0xff0a0a0a, 0xff141414, 0xff1e1e1e, 0xff282828, 0xff323232, 0},
                Arrays.copyOf(SmallPanorama.of(panorama(), 6).pixels(), 6));
    }

    @Test
    void sixteenBitsAreStretched() {
        short[] pixels = {1000, 1500, 2000, (short) 40000};
        Panorama deep = panorama(PixelType.GREY16, 4, 1, pixels, new byte[] {-1, -1, -1, -1});
        int[] small = SmallPanorama.of(deep, 4).pixels();
        assertEquals(0xff000000, small[0]);
        assertEquals(0xff030303, small[1]);
        assertEquals(0xffffffff, small[3]);
    }

    @Test
    void theFirstFrameThatShowsAPixelCounts() {
        byte[] field = {-1, -1, 0, -1, -1, 0};
        Growth growth = Growth.of(SmallPanorama.of(panorama(), 6), Arrays.asList(Transform.translation(2, 0), null,
                Transform.IDENTITY, Transform.translation(3, 0)), field, 3, 2);
        assertArrayEquals(new int[] {9, 9, 0xff1e1e1e, 0xff282828, 9, 9}, Arrays.copyOf(growth.after(0, 9), 6));
        assertArrayEquals(growth.after(0, 9), growth.after(1, 9));
        assertArrayEquals(new int[] {0xff0a0a0a, 0xff141414, 0xff1e1e1e, 0xff282828, 9, 9},
                Arrays.copyOf(growth.after(2, 9), 6));
        assertArrayEquals(new int[] {0xff0a0a0a, 0xff141414, 0xff1e1e1e, 0xff282828, 0xff323232, 9},
                Arrays.copyOf(growth.after(3, 9), 6));
    }
}
