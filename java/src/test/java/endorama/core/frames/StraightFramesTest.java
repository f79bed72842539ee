package endorama.core.frames;

import static endorama.core.mosaic.TestRuns.run;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.Progress;
import endorama.core.mosaic.ApplyTransforms;
import endorama.core.mosaic.MosaicResult;
import endorama.core.mosaic.MosaicSession;
import endorama.core.mosaic.Quality;
import endorama.core.mosaic.StageFile;
import endorama.core.options.MosaicParameters;
import endorama.core.paint.Panorama;
import endorama.core.transforms.Drift;
import endorama.core.transforms.Transforms;
import endorama.core.transforms.TransformsFile;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Correction of lens distortion. */
class StraightFramesTest {
    private static final int WIDTH = 360;
    private static final int HEIGHT = 288;

    private static MosaicParameters lens(double percent) {
        return MosaicParameters.defaults().with("lens", percent);
    }

    private static double drift(MosaicResult result, TestFrames frames) {
        return Drift.of(result.saved(), frames.truth(), WIDTH, HEIGHT).lastDrift();
    }

    /** Distorted frames get the poses of the undistorted ones, and the field is their circle. */
    @Test
    void aBarrelIsTakenOut() throws FrameReadException {
        TestFrames frames = TestFrames.demo(WIDTH, HEIGHT, 24, 2);
        FrameSource distorted = new BentFrames(frames, -0.15);
        MosaicResult with = run(distorted, lens(-15));
        assertEquals(24, with.registered());
        assertTrue(drift(with, frames) < 0.5, "drift " + drift(with, frames));
        assertTrue(drift(run(distorted, lens(0)), frames) > 2);
        MosaicResult found = run(distorted, MosaicParameters.defaults());
        assertEquals(-15, found.lens(), 1);
        assertEquals(found.lens(), found.saved().lens());
        assertTrue(drift(found, frames) < 1, "drift " + drift(found, frames));
        assertTrue(with.field().contains("circle"), with.field());
        int wanted = inside(run(frames, MosaicParameters.defaults()).mask());
        assertEquals(1, (double) inside(with.mask()) / wanted, 0.03);
    }

    private static int inside(byte[] mask) {
        int n = 0;
        for (byte b : mask) {
            n += b != 0 ? 1 : 0;
        }
        return n;
    }

    /** Correcting a cushion leaves black corners: none of them is painted, even where all of a frame is asked for. */
    @Test
    void nothingBlackIsPainted() throws FrameReadException {
        TestFrames frames = new TestFrames(WIDTH, HEIGHT, PixelType.RGB32);
        for (int i = 0; i < 6; i++) {
            frames.add(texture(5 * i, 2 * i));
        }
        for (String field : new String[] {"Whole", "Auto"}) {
            for (String painting : new String[] {"Union", "Blend"}) {
                MosaicResult result = run(frames, lens(20).with("field", field).with("painting", painting).with("rim", 0)
                        .with("light", "None"));
                assertEquals(6, result.registered());
                assertBright(result.panorama());
            }
        }
    }

    private static void assertBright(Panorama p) {
        int[] pixels = (int[]) p.pixels();
        int painted = 0;
        for (int i = 0; i < pixels.length; i++) {
            if (p.painted()[i] != 0) {
                painted++;
                assertTrue((pixels[i] >> 8 & 0xff) > 60, "pixel " + i + ": " + Integer.toHexString(pixels[i]));
            }
        }
        assertTrue(painted > WIDTH * HEIGHT / 2, painted + " painted");
    }

    /** Texture of brightness 100..200. */
    private static int[] texture(int left, int top) {
        int[] pixels = new int[WIDTH * HEIGHT];
        for (int i = 0; i < pixels.length; i++) {
            double x = i % WIDTH + left;
            double y = i / WIDTH + top;
            double t = Math.sin(x * 0.31 + 2 * Math.sin(y * 0.07)) + Math.cos(y * 0.27 + 2 * Math.sin(x * 0.05));
            pixels[i] = 0xff000000 | 0x010101 * (int) (150 + 25 * t);
        }
        return pixels;
    }

    /** The user's selection is drawn on the frames as displayed. */
    @Test
    void selectionsAreOnFramesAsDisplayed() throws FrameReadException {
        TestFrames frames = TestFrames.demo(WIDTH, HEIGHT, 2, 2);
        byte[] mask = new byte[WIDTH * HEIGHT];
        for (int i = 0; i < mask.length; i++) {
            mask[i] = (byte) (Math.hypot(i % WIDTH - 179.5, i / WIDTH - 143.5) < 90 ? -1 : 0);
        }
        MosaicResult result = run(frames, lens(-20).with("field", "Selection").withSelection(mask));
        double area = inside(result.mask()) / Math.PI;
        assertEquals(90 / (1 - 0.2 * 0.25), Math.sqrt(area), 0.5);
    }

    /** Transforms store the lens: frames are corrected for applying them as they were for finding them. */
    @Test
    void applyingRepeatsTheLens(@TempDir Path folder) throws IOException {
        TestFrames frames = TestFrames.demo(WIDTH, HEIGHT, 5, 2);
        FrameSource distorted = new BentFrames(frames, -0.15);
        MosaicParameters parameters = lens(-15);
        MosaicResult result = run(distorted, parameters);
        for (String name : new String[] {"t.csv", "t.json"}) {
            File file = folder.resolve(name).toFile();
            TransformsFile.write(file, result.saved(), parameters, "cpu");
            Transforms read = TransformsFile.read(file);
            assertEquals(-15, read.lens());
            Panorama again = new ApplyTransforms(distorted, read, MosaicParameters.defaults(), Progress.NONE).panorama();
            assertArrayEquals((int[]) result.panorama().pixels(), (int[]) again.pixels());
            double with = Quality.measure(distorted, read, 1, MosaicParameters.defaults(), Progress.NONE).mean();
            assertEquals(with, Quality.measure(distorted, read, 1, lens(-15), Progress.NONE).mean());
            assertTrue(with > Quality.measure(distorted, read, 1, lens(-0.001), Progress.NONE).mean() + 0.002);
        }
    }

    @Test
    void paintingWithAnotherLensIsRefused(@TempDir Path folder) throws IOException {
        TestFrames frames = TestFrames.demo(WIDTH, HEIGHT, 4, 2);
        MosaicSession registering = new MosaicSession(frames, lens(-5), Progress.NONE).pairsAlone();
        registering.run();
        File pairs = folder.resolve("pairs.json").toFile();
        StageFile.write(pairs, registering.pairs());
        StageFile file = StageFile.read(pairs, StageFile.PAIRS);
        file.check(lens(-5));
        assertEquals("lens 3: the frames were registered with lens -5",
                assertThrows(IllegalArgumentException.class, () -> file.check(lens(3))).getMessage());
    }
}
