package endorama.core.engine;

import static endorama.core.mosaic.TestRuns.run;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelType;
import endorama.core.frames.TestFrames;
import endorama.core.mosaic.MosaicResult;
import endorama.core.mosaic.Quality;
import endorama.core.mosaic.Sweep;
import endorama.core.options.MosaicParameters;
import endorama.core.options.OptionException;
import endorama.core.paint.Panorama;
import endorama.core.transforms.Drift;
import endorama.core.transforms.Transform;
import endorama.jni.NativeDemo;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class StaticPatternTest {
    private static final int W = 240;
    private static final int H = 200;
    private static final int FRAMES = 24;
    private static final MosaicParameters NONE = MosaicParameters.defaults().with("pattern", "None");

    private static TestFrames clean;
    private static TestFrames patterned;

    /** A scene at a quarter of its contrast, without and with a fixed pattern. */
    @BeforeAll
    static void make() {
        NativeDemo.Options options = new NativeDemo.Options();
        options.width = W;
        options.height = H;
        options.frames = 60;
        options.step = 8;
        options.highlights = 0;
        TestFrames demo = TestFrames.demo(options, FRAMES);
        clean = spoilt(demo, 0);
        patterned = spoilt(demo, 16);
    }

    private static TestFrames spoilt(TestFrames demo, int amplitude) {
        Random random = new Random(9);
        int[] grain = new int[W * H];
        for (int i = 0; i < grain.length; i++) {
            grain[i] = random.nextInt(2 * amplitude + 1) - amplitude;
        }
        TestFrames frames = new TestFrames(W, H, PixelType.RGB32);
        for (Object frame : demo.all()) {
            int[] pixels = ((int[]) frame).clone();
            for (int i = 0; i < pixels.length; i++) {
                int green = pixels[i] >> 8 & 0xff;
                int grey = green < 12 ? green : 40 + green / 2 + grain[i];
                pixels[i] = 0xff000000 | 0x010101 * Math.max(0, Math.min(255, grey));
            }
            frames.add(pixels);
        }
        for (int i = 1; i <= FRAMES; i++) {
            frames.truth().put(i, demo.truth().get(i), true);
        }
        return frames;
    }

    private static double error(MosaicResult result, TestFrames frames) {
        return Drift.of(result.saved(), frames.truth(), W, H).meanPairError();
    }

    private static boolean saysSo(MosaicResult result) {
        return String.join("\n", result.log()).contains("fixed sensor pattern ignored in matching: ");
    }

    @Test
    void aPatternIsTakenOutBeforeMatching() throws FrameReadException {
        MosaicResult found = run(patterned, MosaicParameters.defaults());
        MosaicResult kept = run(patterned, NONE);
        assertTrue(saysSo(found) && !saysSo(kept));
        assertEquals(FRAMES, found.registered());
        assertTrue(error(found, patterned) <= 0.6, "pair error " + error(found, patterned));
        // Frames that follow the pattern are not registered, or the error is larger.
        assertTrue(kept.registered() < FRAMES || error(kept, patterned) > 2 * error(found, patterned),
                "pair error " + error(kept, patterned) + " with it, " + error(found, patterned) + " without");
    }

    @Test
    void painterHasThePixelsAsTheyAre() throws FrameReadException {
        MosaicResult found = run(patterned, MosaicParameters.defaults());
        Panorama p = found.panorama();
        Transform last = found.rows().get(FRAMES - 1).transform;
        int[] frame = (int[]) patterned.get(FRAMES - 1);
        // The last frame lies on top, nearly by a shift: its middle has one of the values around the mapped pixel.
        double[] at = {last.applyX(W / 2, H / 2), last.applyY(W / 2, H / 2)};
        int x = (int) Math.round(at[0]) + p.originX();
        int y = (int) Math.round(at[1]) + p.originY();
        int painted = ((int[]) p.pixels())[y * p.width() + x] & 0xff;
        int low = 255;
        int high = 0;
        for (int v = H / 2 - 2; v <= H / 2 + 2; v++) {
            for (int u = W / 2 - 2; u <= W / 2 + 2; u++) {
                low = Math.min(low, frame[v * W + u] & 0xff);
                high = Math.max(high, frame[v * W + u] & 0xff);
            }
        }
        assertTrue(painted >= low && painted <= high && high - low > 10, low + " " + painted + " " + high);
    }

    @Test
    void aCleanSequenceIsAsItWas() throws FrameReadException {
        MosaicResult searched = run(clean, MosaicParameters.defaults());
        MosaicResult not = run(clean, NONE);
        assertFalse(saysSo(searched));
        assertEquals(not.transforms(), searched.transforms());
        assertArrayEquals((int[]) not.panorama().pixels(), (int[]) searched.panorama().pixels());
    }

    @Test
    void aScopeThatStandsStillHasNone() throws FrameReadException {
        TestFrames frozen = new TestFrames(W, H, PixelType.RGB32);
        for (int i = 0; i < 8; i++) {
            frozen.add(patterned.get(0));
        }
        assertFalse(saysSo(run(frozen, MosaicParameters.defaults())));
    }

    @Test
    void qualityAndSweepDoNotSeeItEither() throws FrameReadException {
        double[] mean = new double[2];
        for (int i = 0; i < 2; i++) {
            Quality quality = Quality.measure(patterned, patterned.truth(), 1, i == 0 ? MosaicParameters.defaults() : NONE,
                    Progress.NONE);
            mean[i] = quality.mean();
        }
        assertTrue(mean[0] > mean[1] + 0.1, mean[0] + " " + mean[1]);
        MosaicParameters sweep = MosaicParameters.of(endorama.core.options.Commands.SWEEP.defaults());
        double found = Sweep.run(patterned, "landmarks=8", sweep, Progress.NONE).rows().get(0).meanQuality();
        double kept = Sweep.run(patterned, "landmarks=8", sweep.with("pattern", "None"), Progress.NONE).rows().get(0)
                .meanQuality();
        assertTrue(found > 0.2 && found != kept, found + " " + kept);
    }

    @Test
    void optionIsAChoice() {
        OptionException e = assertThrows(OptionException.class,
                () -> MosaicParameters.defaults().with("pattern", "Some"));
        assertTrue(e.getMessage().contains("Auto, None"), e.getMessage());
    }
}
