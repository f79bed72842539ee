package endorama.core.frames;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.Progress;
import endorama.core.mosaic.MosaicSession;
import endorama.core.options.MosaicParameters;
import endorama.jni.NativeDemo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class InterlacingTest {
    private static final int W = 320;
    private static final int H = 256;
    private static final int FRAMES = 16;

    private static TestFrames scene;

    @BeforeAll
    static void make() {
        NativeDemo.Options options = new NativeDemo.Options();
        options.width = W;
        options.height = H;
        options.frames = 60;
        options.step = 6;
        scene = TestFrames.demo(options, FRAMES + 1);
    }

    /** Rows in turn of a frame and of the next one. */
    private static int[] woven(int frame) {
        int[] pixels = ((int[]) scene.all().get(frame)).clone();
        int[] next = (int[]) scene.all().get(frame + 1);
        for (int y = 1; y < H; y += 2) {
            System.arraycopy(next, y * W, pixels, y * W, W);
        }
        return pixels;
    }

    /** As many woven frames, and then such as they are. */
    private static List<Object> sequence(int woven) {
        List<Object> frames = new ArrayList<Object>();
        for (int i = 0; i < FRAMES; i++) {
            frames.add(i < woven ? woven(i) : scene.all().get(i));
        }
        return frames;
    }

    private static String warning(PixelType type, List<Object> frames) {
        Interlacing look = new Interlacing(new TestFrames(W, H, type));
        for (Object frame : frames) {
            look.look(frame);
        }
        return look.warning();
    }

    /** A quarter of the frames has to be combed, and two. */
    @Test
    void saysSoOfWovenFrames() {
        assertTrue(warning(PixelType.RGB32, sequence(FRAMES)).startsWith("the frames look interlaced: every other row is of"
                + " another time in 16 of 16 that"));
        assertTrue(warning(PixelType.RGB32, sequence(4)).contains("in 4 of 16 that"));
        assertNull(warning(PixelType.RGB32, sequence(3)));
        assertTrue(warning(PixelType.RGB32, sequence(3).subList(1, 5)).contains("in 2 of 4 that"));
        assertNull(warning(PixelType.RGB32, sequence(1).subList(0, 2)));
        assertNull(warning(PixelType.RGB32, sequence(0)));
    }

    /** Whatever the type, and in 16 bit whatever the range. */
    @Test
    void seesEveryType() {
        for (int factor : new int[] {4, 200}) {
            List<Object> deep = new ArrayList<Object>();
            for (Object frame : sequence(FRAMES)) {
                deep.add(deep((int[]) frame, factor));
            }
            assertTrue(warning(PixelType.GREY16, deep).contains("in 16 of 16 that"));
        }
        List<Object> grey = new ArrayList<Object>();
        for (Object frame : sequence(FRAMES)) {
            grey.add(grey((int[]) frame));
        }
        assertTrue(warning(PixelType.GREY8, grey).contains("in 16 of 16 that"));
    }

    private static short[] deep(int[] rgb, int factor) {
        short[] deep = new short[rgb.length];
        for (int i = 0; i < rgb.length; i++) {
            deep[i] = (short) ((rgb[i] >> 8 & 255) * factor);
        }
        return deep;
    }

    private static byte[] grey(int[] rgb) {
        byte[] grey = new byte[rgb.length];
        for (int i = 0; i < rgb.length; i++) {
            grey[i] = (byte) (rgb[i] >> 8);
        }
        return grey;
    }

    /** Neither noise, however strong, nor stripes two rows wide, nor the least picture. */
    @Test
    void saysNothingOfNoiseAndStripes() {
        Random random = new Random(5);
        List<Object> noise = new ArrayList<Object>();
        List<Object> stripes = new ArrayList<Object>();
        for (int k = 0; k < FRAMES; k++) {
            byte[] one = new byte[W * H];
            byte[] other = new byte[W * H];
            random.nextBytes(one);
            for (int i = 0; i < W * H; i++) {
                other[i] = (byte) ((i / W & 2) * 50);
            }
            noise.add(one);
            stripes.add(other);
        }
        assertNull(warning(PixelType.GREY8, noise));
        assertNull(warning(PixelType.GREY8, stripes));
        Interlacing least = new Interlacing(new TestFrames(1, 1, PixelType.GREY8));
        least.look(new byte[1]);
        least.look(new byte[1]);
        assertNull(least.warning());
    }

    /** A frame with a white pixel between tiles, and with so many of its 20 tiles combed by so many levels each way. */
    private static List<Object> tiles(int combed, int levels) {
        byte[] frame = new byte[W * H];
        for (int i = 0; i < W * H; i++) {
            int tile = i % W / 64 + 5 * (i / W / 64);
            int sign = i / W % 2 == 0 ? 1 : -1;
            frame[i] = (byte) (tile < combed ? 100 + sign * levels : 100 + i % W % 64);
        }
        frame[34] = (byte) 255;
        return Arrays.<Object>asList(frame, frame);
    }

    /** More than a tenth of the tiles, and 8 levels of 255. */
    @Test
    void knowsItsLimits() {
        assertNull(warning(PixelType.GREY8, tiles(2, 20)));
        assertTrue(warning(PixelType.GREY8, tiles(3, 20)).contains("in 2 of 2 that"));
        assertNull(warning(PixelType.GREY8, tiles(20, 7)));
        assertTrue(warning(PixelType.GREY8, tiles(20, 9)).contains("in 2 of 2 that"));
    }

    /** In the log, once; of frames as they are nothing. */
    @Test
    void isInTheLog() throws Exception {
        TestFrames woven = new TestFrames(W, H, PixelType.RGB32);
        for (Object frame : sequence(FRAMES)) {
            woven.add(frame);
        }
        assertEquals(1, lines(woven));
        assertEquals(0, lines(scene));
    }

    private static long lines(TestFrames frames) throws Exception {
        List<String> log = new MosaicSession(frames, MosaicParameters.defaults(), Progress.NONE).run().log();
        return log.stream().filter(line -> line.startsWith("the frames look interlaced")).count();
    }
}
