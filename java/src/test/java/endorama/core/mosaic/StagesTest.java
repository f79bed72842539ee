package endorama.core.mosaic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.Progress;
import endorama.core.files.FileFormatException;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.TestFrames;
import endorama.core.options.MosaicParameters;
import endorama.core.paint.Panorama;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Three stages with files between them give the poses and pixels of one run. */
class StagesTest {
    private static final int W = 160;
    private static final int H = 128;

    @TempDir
    Path folder;

    /** A closed path, with another scene in the middle, black frames, an unreadable one, and a late start. */
    private static TestFrames sequence() {
        TestFrames frames = TestFrames.demo(W, H, 40, 5);
        TestFrames other = TestFrames.demo(W, H, 12, 77);
        frames.set(0, new int[W * H]).set(30, null);
        for (int i = 0; i < 12; i++) {
            frames.set(12 + i, other.get(i));
        }
        return frames;
    }

    private static MosaicParameters parameters(String painting, String solve, String method) {
        return MosaicParameters.defaults().with("painting", painting).with("solve", solve).with("method", method)
                .withThreads(2);
    }

    private File written(String name, String text) throws IOException {
        File file = folder.resolve(name).toFile();
        StageFile.write(file, text);
        return file;
    }

    @ParameterizedTest
    @CsvSource({"Blend, Global, Best", "Union, Global, Best", "Ring, None, Paper", "Union, None, Best", "Blend, None, Paper"})
    void stagesGiveTheBytesOfOneRun(String painting, String solve, String method) throws IOException {
        TestFrames frames = sequence();
        MosaicParameters parameters = parameters(painting, solve, method);
        MosaicResult one = new MosaicSession(frames, parameters, Progress.NONE).run();
        assertNull(one.failure());

        MosaicSession registering = new MosaicSession(frames, parameters, Progress.NONE).pairsAlone();
        assertNull(registering.run().panorama());
        File pairs = written("pairs.json", registering.pairs());
        File poses = written("places.json", StageFile.read(pairs, StageFile.PAIRS).solved(null, Progress.NONE));
        StageFile solved = StageFile.read(poses, StageFile.POSES);
        assertSameRows(one, solved);
        solved.check(frames);
        assertEquals(painting, solved.values().getChoice("painting"));
        MosaicResult three = new MosaicSession(frames, parameters, Progress.NONE).painting(solved).run();
        assertNull(three.failure());
        assertSameRows(one, solved);
        assertEquals(one.summary(), three.summary());
        assertEquals(one.lost(), three.lost());
        assertEquals(one.warning(), three.warning());
        assertEquals(one.panoramas().size(), three.panoramas().size());
        for (int i = 0; i < one.panoramas().size(); i++) {
            assertSame(one.panoramas().get(i), three.panoramas().get(i));
        }
    }

    /** A bar with a texture of its own goes over the scene. */
    private static TestFrames withInstrument() {
        int width = 320;
        int height = 256;
        TestFrames frames = TestFrames.demo(width, height, 16, 5);
        int[] texture = (int[]) TestFrames.demo(width, height, 1, 88).get(0);
        for (int i = 0; i < 16; i++) {
            int[] pixels = ((int[]) frames.get(i)).clone();
            for (int k = 0; k < pixels.length; k++) {
                int x = k % width - 6 * i;
                if (x > 60 && x < 170) {
                    pixels[k] = texture[k - 6 * i];
                }
            }
            frames.set(i, pixels);
        }
        return frames;
    }

    /** Stage files carry the hidden cells of frames, and the option of the last stage decides whether they count. */
    @Test
    void hiddenPartsGoThroughFiles() throws IOException {
        TestFrames frames = withInstrument();
        MosaicParameters parameters = MosaicParameters.defaults().withThreads(2);
        MosaicResult one = new MosaicSession(frames, parameters, Progress.NONE).run();
        MosaicSession registering = new MosaicSession(frames, parameters, Progress.NONE).pairsAlone();
        registering.run();
        String text = registering.pairs();
        assertTrue(text.contains("\"hidden\":\"14x11:"), text.substring(0, 1000));
        File poses = written("places.json", StageFile.read(written("pairs.json", text), StageFile.PAIRS).solved(null, Progress.NONE));
        StageFile solved = StageFile.read(poses, StageFile.POSES);
        assertSame(one.panoramas().get(0), new MosaicSession(frames, parameters, Progress.NONE).painting(solved).run()
                .panoramas().get(0));
        Panorama kept = new MosaicSession(frames, parameters.with("instruments", "Keep"), Progress.NONE).painting(solved).run()
                .panoramas().get(0);
        assertFalse(Arrays.equals((int[]) one.panoramas().get(0).pixels(), (int[]) kept.pixels()));
        assertRefused(written("x.json", text.replaceFirst("\"14x11:", "\"14x12:")), StageFile.PAIRS, " is damaged");
        assertRefused(written("x.json", text.replaceFirst("\"14x11:.", "\"14x11:3")), StageFile.PAIRS, " is damaged");
    }

    /** The middle of the scene is nearer: it moves by up to four pixels against the rest, to and fro. */
    private static TestFrames inDepth() {
        int width = 320;
        int height = 256;
        TestFrames frames = TestFrames.demo(width, height, 16, 5);
        for (int i = 0; i < 16; i++) {
            int[] from = (int[]) frames.get(i);
            int[] pixels = from.clone();
            for (int k = 0; k < pixels.length; k++) {
                double across = (k % width - 160) / 60.0;
                double down = (k / width - 128) / 60.0;
                long move = Math.round(4 * Math.sin(i / 2.0) * Math.exp(-(across * across + down * down) / 2));
                pixels[k] = from[k - k % width + (int) Math.max(0, Math.min(width - 1, k % width + move))];
            }
            frames.set(i, pixels);
        }
        return frames;
    }

    /** Depth is found anew by the last stage, from the poses, and the option decides there. */
    @Test
    void depthIsFollowedByTheLastStage() throws IOException {
        TestFrames frames = inDepth();
        MosaicParameters parameters = MosaicParameters.defaults().withThreads(2);
        MosaicResult one = new MosaicSession(frames, parameters, Progress.NONE).run();
        MosaicSession registering = new MosaicSession(frames, parameters, Progress.NONE).pairsAlone();
        registering.run();
        StageFile pairs = StageFile.read(written("pairs.json", registering.pairs()), StageFile.PAIRS);
        StageFile solved = StageFile.read(written("places.json", pairs.solved(null, Progress.NONE)), StageFile.POSES);
        assertSame(one.panoramas().get(0), new MosaicSession(frames, parameters, Progress.NONE).painting(solved).run()
                .panoramas().get(0));
        Panorama flat = new MosaicSession(frames, parameters.with("relief", "None"), Progress.NONE).painting(solved).run()
                .panoramas().get(0);
        assertFalse(Arrays.equals((int[]) one.panoramas().get(0).pixels(), (int[]) flat.pixels()));
    }

    private static void assertSame(Panorama one, Panorama three) {
        assertEquals(one.width(), three.width());
        assertEquals(one.originX(), three.originX());
        assertEquals(one.originY(), three.originY());
        assertArrayEquals((int[]) one.pixels(), (int[]) three.pixels());
    }

    private static void assertSameRows(MosaicResult one, StageFile solved) {
        assertEquals(one.rows().size(), solved.rows().size());
        for (int i = 0; i < one.rows().size(); i++) {
            java.util.List<Object> a = new java.util.ArrayList<Object>(FrameTable.cells(one.rows().get(i), W, H));
            java.util.List<Object> b = new java.util.ArrayList<Object>(FrameTable.cells(solved.rows().get(i), W, H));
            int time = FrameTable.COLUMNS.indexOf("time_ms");
            a.remove(time);
            b.remove(time);
            assertEquals(a, b);
        }
    }

    /** Solving the same file again gives the same result: a stopped stage can be repeated. */
    @Test
    void solvingIsRepeatable() throws IOException {
        MosaicSession registering = new MosaicSession(TestFrames.demo(W, H, 8, 3), MosaicParameters.defaults(), Progress.NONE)
                .pairsAlone();
        registering.run();
        File pairs = written("pairs.json", registering.pairs());
        assertEquals(StageFile.read(pairs, StageFile.PAIRS).solved(null, Progress.NONE), StageFile.read(pairs, StageFile.PAIRS).solved(null, Progress.NONE));
    }

    @Test
    void otherFilesAndFramesAreRefused() throws IOException {
        TestFrames frames = TestFrames.demo(W, H, 8, 3);
        MosaicSession registering = new MosaicSession(frames, MosaicParameters.defaults(), Progress.NONE).pairsAlone();
        registering.run();
        File pairs = written("pairs.json", registering.pairs());
        assertRefused(pairs, StageFile.POSES, "it is one of pairs");
        String poses = StageFile.read(pairs, StageFile.PAIRS).solved(null, Progress.NONE);
        File written = written("places.json", poses);
        assertRefused(written, StageFile.PAIRS, "it is one of places");
        assertRefused(written("x.json", poses.replaceFirst("\"version\":\"", "\"version\":\"9")), StageFile.POSES,
                "another version");
        assertRefused(written("x.json", poses.replaceFirst("\"frame\":3", "\"frame\":2")), StageFile.POSES,
                "row 3 is damaged");
        assertRefused(written("x.json", registering.pairs().replaceFirst("\"reference\":0,\"current\"",
                "\"reference\":8,\"current\"")), StageFile.PAIRS, " is damaged");
        assertRefused(written("x.json", poses.substring(0, 300)), StageFile.POSES, "not a file that register or solve writes, or truncated");
        assertRefused(written("x.json", ""), StageFile.POSES, "it is empty");
        assertRefused(written("x.json", "a letter\n"), StageFile.POSES, "or truncated: it does not begin with {");
        StageFile solved = StageFile.read(written, StageFile.POSES);
        String message = assertThrows(FrameReadException.class, () -> solved.check(TestFrames.demo(W, H, 9, 3)))
                .getMessage();
        assertTrue(message.contains("of 8 frames") && message.contains("the input has 9"), message);
        assertThrows(FrameReadException.class, () -> solved.check(frames.grey16()));
    }

    private static void assertRefused(File file, String stage, String message) {
        FileFormatException e = assertThrows(FileFormatException.class, () -> StageFile.read(file, stage));
        assertTrue(e.getMessage().contains(message) && e.getMessage().contains(file.getPath()), e.getMessage());
        assertFalse(e.getMessage().contains("java.") || e.getMessage().contains("\n"), e.getMessage());
    }

    /** Any file is used or refused by name. */
    @Test
    void damagedFilesAreUsedOrRefused() throws IOException {
        MosaicSession registering = new MosaicSession(TestFrames.demo(W, H, 4, 3), MosaicParameters.defaults(), Progress.NONE)
                .pairsAlone();
        registering.run();
        Random random = new Random(3);
        int refused = 0;
        for (int i = 0; i < 3000; i++) {
            File file = Files.write(folder.resolve("f.json"), damaged(registering.pairs(), random)
                    .getBytes(StandardCharsets.UTF_8)).toFile();
            try {
                StageFile read = StageFile.read(file, StageFile.PAIRS);
                try {
                    assertTrue(read.solved(null, Progress.NONE).length() > 0);
                } catch (IllegalArgumentException | endorama.jni.EndoramaException e) {
                    assertTrue(e.getMessage().length() > 10, e.toString());
                }
            } catch (FileFormatException e) {
                refused++;
                assertTrue(e.getMessage().startsWith(file.getPath()), e.getMessage());
            }
        }
        assertTrue(refused > 500, "refused " + refused);
    }

    private static String damaged(String text, Random random) {
        StringBuilder damaged = new StringBuilder(text);
        for (int n = 1 + random.nextInt(3); n > 0; n--) {
            int at = random.nextInt(damaged.length());
            switch (random.nextInt(4)) {
                case 0: damaged.deleteCharAt(at); break;
                case 1: damaged.setCharAt(at, "0129-eE.,:{}[]\"nN".charAt(random.nextInt(17))); break;
                case 2: damaged.insert(at, "9999999999"); break;
                default: damaged.insert(at, random.nextBoolean() ? "null" : "NaN"); break;
            }
        }
        return damaged.toString();
    }
}
