package endorama.jni;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Blends, from Java arrays and back. */
class NativeBlendTest {
    private static final int WIDTH = 64;
    private static final int HEIGHT = 48;

    private static int[] image() {
        int[] image = new int[WIDTH * HEIGHT];
        for (int i = 0; i < image.length; i++) {
            image[i] = 0xff000000 | (40 + i % 50) << 16 | (60 + i % 31) << 8 | 20 + i % 17;
        }
        return image;
    }

    /** What is made smaller is blended larger, as far as it may be. */
    @Test
    void shrinks() {
        assertEquals(4, NativeBlend.shrink(0.25, 500, 400));
        assertEquals(2, NativeBlend.shrink(0.5, 500, 400));
        assertEquals(2, NativeBlend.shrink(0.66, 500, 400));
        assertEquals(1, NativeBlend.shrink(0.67, 500, 400));
        assertEquals(1, NativeBlend.shrink(4, 500, 400));
        assertEquals(3, NativeBlend.shrink(0.25, 300000, 400));
        assertEquals(1, NativeBlend.shrink(0.25, 400, 600000));
    }

    /** A frame comes back as it is, two pixels inside, with the gains and the correction that were asked for. */
    @Test
    void frameComesBack() {
        FramesOptions options = new FramesOptions();
        options.width = WIDTH;
        options.height = HEIGHT;
        options.type = 2;
        options.capacity = 1;
        options.rim = 0;
        int[] image = image();
        short[] correction = new short[WIDTH * HEIGHT];
        Arrays.fill(correction, (short) (2 * NativeBlend.ONE));
        int[] gains = {NativeBlend.ONE / 2, NativeBlend.ONE, NativeBlend.ONE / 2};
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1);
                NativeFrames frames = NativeFrames.create(context, options);
                NativeBlend blend = NativeBlend.create(context, 2, 3000, 1500, NativeBlend.CUBIC, true)) {
            frames.put(0, image);
            NativeTransforms place = new NativeTransforms(1);
            place.set(0, NativeTransforms.TRANSLATION, new double[] {1, 0, 1990, 0, 1, 1390, 0, 0, 1});
            int[] slots = {0};
            blend.setCorrection(correction, WIDTH, HEIGHT);
            blend.add(frames, slots, place, new int[] {NativeBlend.FULL_WEIGHT}, gains, 10, -7);
            blend.nextPass();
            assertThrows(EndoramaException.class, blend::nextPass);
            blend.add(frames, slots, place, new int[] {NativeBlend.FULL_WEIGHT}, gains, 10, -7);
            int[] pixels = new int[3000 * 1500];
            byte[] painted = new byte[pixels.length];
            short[] coverage = new short[pixels.length];
            blend.read(0, 0, 3000, 1500, pixels, painted, coverage);
            int at = (1383 + 20) * 3000 + 2000 + 30;
            int seen = image[20 * WIDTH + 30];
            assertEquals(seen + (seen & 0xff00), pixels[at]); /* green twice, red and blue as they are */
            assertEquals(-1, painted[at]);
            assertEquals(1, coverage[at]);
            assertEquals(0, painted[0] | coverage[0] | pixels[0]);
            int[] part = new int[8];
            blend.read(2000 + 30, 1383 + 20, 8, 1, part, null, null);
            assertArrayEquals(Arrays.copyOfRange(pixels, at, at + 8), part);
        }
    }

    @Test
    void arraysAreChecked() {
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1);
                NativeBlend blend = NativeBlend.create(context, 0, 40, 30, NativeBlend.LINEAR, false)) {
            refused(() -> blend.setCorrection(new short[10], 4, 3));
            refused(() -> blend.setCorrection(new short[12], 4, 3));
            refused(() -> blend.read(0, 0, 40, 30, new byte[1199], null, null));
            refused(() -> blend.read(0, 0, 40, 30, new byte[1200], new byte[1199], null));
            refused(() -> blend.read(0, 0, 40, 30, new byte[1200], null, new short[1199]));
            refused(() -> blend.read(1, 0, 40, 30, new byte[1200], null, null));
            refused(() -> NativeBlend.create(context, 3, 40, 30, NativeBlend.LINEAR, false));
            refused(() -> NativeBlend.create(context, 0, 40, 30, 2, false));
        }
    }

    private static void refused(Executable call) {
        assertEquals(EndoramaException.Status.ARGUMENT, assertThrows(EndoramaException.class, call).status());
    }
}
