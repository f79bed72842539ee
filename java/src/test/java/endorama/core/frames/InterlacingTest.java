package endorama.core.frames;

import static org.junit.jupiter.api.Assertions.assertEquals;

import endorama.core.common.Progress;
import endorama.core.mosaic.MosaicSession;
import endorama.core.options.MosaicParameters;
import endorama.jni.NativeDemo;
import java.util.List;
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

    /** Alternate rows of a frame and of the next one. */
    private static int[] woven(int frame) {
        int[] pixels = ((int[]) scene.all().get(frame)).clone();
        int[] next = (int[]) scene.all().get(frame + 1);
        for (int y = 1; y < H; y += 2) {
            System.arraycopy(next, y * W, pixels, y * W, W);
        }
        return pixels;
    }

    /** Interlaced frames are logged once, others not. */
    @Test
    void isInTheLog() throws Exception {
        TestFrames woven = new TestFrames(W, H, PixelType.RGB32);
        for (int i = 0; i < FRAMES; i++) {
            woven.add(woven(i));
        }
        assertEquals(1, lines(woven));
        assertEquals(0, lines(scene));
    }

    private static long lines(TestFrames frames) throws Exception {
        List<String> log = new MosaicSession(frames, MosaicParameters.defaults(), Progress.NONE).run().log();
        return log.stream().filter(line -> line.startsWith("the frames look interlaced")).count();
    }
}
