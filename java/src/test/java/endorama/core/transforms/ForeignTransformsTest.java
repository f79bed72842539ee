package endorama.core.transforms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.files.FileFormatException;
import endorama.core.frames.ForwardingFrames;
import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelType;
import endorama.core.frames.TestFrames;
import endorama.core.options.MosaicParameters;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of Stitching, MultiStackReg and TurboReg compared with numbers worked out by hand. */
class ForeignTransformsTest {
    private static final String TILES = "# Define the number of dimensions we are working on\ndim = 2\n\n"
            + "# Define the image coordinates\n";
    private static final String STACK = "MultiStackReg Transformation File\nFile Version 1.0\n0\n";
    /** The second slice lies 3 px to the right and 4 px higher, the third 1 px to the left of the second. */
    private static final String CHAIN = STACK
            + "TRANSLATION\nSource img: 2 Target img: 1\n100.0\t104.0\n0.0\t0.0\n0.0\t0.0\n\n103.0\t100.0\n0.0\t0.0\n"
            + "0.0\t0.0\n\nTRANSLATION\nSource img: 3 Target img: 1\n100.0\t100.0\n0.0\t0.0\n0.0\t0.0\n\n99.0\t100.0\n"
            + "0.0\t0.0\n0.0\t0.0\n\n";
    private static final String PAIR = "Transformation\nRIGID_BODY\n\nSource size\n64\t48\n\nTarget size\n64\t48\n\n"
            + "Refined source landmarks\n10.0\t0.0\n10.0\t10.0\n10.0\t20.0\n\nTarget landmarks\n5.0\t5.0\n5.0\t5.0\n"
            + "15.0\t5.0\n";

    @TempDir
    Path folder;

    private File file(String name, String content) throws IOException {
        return Files.write(folder.resolve(name), content.getBytes(StandardCharsets.UTF_8)).toFile();
    }

    private String written(String name, Transforms transforms) throws IOException {
        File file = folder.resolve(name).toFile();
        TransformsFile.write(file, transforms, (MosaicParameters) null, null);
        return new String(Files.readAllBytes(file.toPath()), StandardCharsets.UTF_8);
    }

    private static FrameSource source(String... labels) {
        return new ForwardingFrames(new TestFrames(64, 48, PixelType.GREY8)) {
            @Override
            public int count() {
                return labels.length;
            }

            @Override
            public String label(int index) {
                return labels[index];
            }

            @Override
            public Object pixels(int index) {
                return null;
            }
        };
    }

    /** Frame 1 is the reference, 3 is only predicted, 4 is in another panorama, 5 is turned. */
    private static Transforms sequence(boolean turned) {
        Transforms t = new Transforms();
        t.put(1, Transform.IDENTITY, true, 1);
        t.put(2, Transform.translation(2.5, -1), true, 1);
        t.put(3, Transform.translation(90, 90), false, 0);
        t.put(4, Transform.translation(70, 70), true, 2);
        double c = Math.cos(0.3);
        double s = Math.sin(0.3);
        t.put(5, turned ? Transform.of(new double[] {c, -s, 7, s, c, 8}) : Transform.translation(7, 8), true, 1);
        return t;
    }

    // --------------------------------------------------------------- Stitching

    @Test
    void positionsAreWrittenAsStitchingReadsThem() throws IOException {
        assertEquals(TILES + "frame00001.png; ; (0.0, 0.0)\nframe00002.png; ; (2.5, -1.0)\n# frame 5\n"
                + "frame00005.png; ; (7.0, 8.0)\n", written("TileConfiguration.txt", sequence(true)));
        Transforms read = TransformsFile.read(folder.resolve("TileConfiguration.txt").toFile());
        assertEquals(3, read.size());
        assertEquals(Transform.translation(7, 8), read.get(5));
        assertEquals(Transform.translation(2.5, -1), read.get(2));
        assertNull(read.get(3));
    }

    @Test
    void imagesKeepTheNamesOfTheirFiles() throws IOException {
        Transforms t = sequence(false).of(source("a b.tif", "slice one", "x/y.tif", "", "x/y.tif"));
        String text = written("tileconfiguration.registered.TXT", t);
        assertTrue(text.contains("\na b.tif; ; (0.0, 0.0)\nframe00002.png; ; (2.5, -1.0)\n# frame 5\nframe00005.png;"), text);
    }

    @Test
    void positionsOfOthersAreRead() throws IOException {
        Transforms read = TransformsFile.read(file("any.name", "\uFEFFdim=2\r\nmultiseries = true\r\n# a comment\r\n"
                + "tile 1.czi; 0; (-3,4.5e1)\r\ntile 1.czi; 1; ( 10.0 , 0 )\r\n"));
        assertEquals(Transform.translation(-3, 45), read.get(1));
        assertEquals(Transform.translation(10, 0), read.get(2));
        assertTrue(read.isRegistered(2));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "'dim = 3\\na; ; (0, 0, 0)'                | line 1: dim = 3: must be 2",
        "'dim = 2\\n'                              | holds no position",
        "'dim = 2\\na; ; (0, 0, 0)'                | line 2: \"a; ; (0, 0, 0)\": must be \"name; ; (x, y)\"",
        "'dim = 2\\na; (0, 0)'                     | line 2:",
        "'dim = 2\\na; ; (0, x)'                   | line 2: y is \"x\": not a number",
        "'dim = 2\\na; ; (NaN, 0)'                 | line 2: x is \"NaN\"",
        "'dim = 2\\na; ; (0, 0'                    | line 2:",
        "'dim = 2\\na; ; (0,0)\\n# frame 1\\nb; ; (0,0)' | line 4: frame 1 is there twice",
        "'dim = 2\\n# frame 0\\nb; ; (0,0)'        | line 3: frame 0",
    })
    void badPositionsAreNamedWithTheirLine(String content, String message) throws IOException {
        assertRefused("TileConfiguration.txt", content.replace("\\n", "\n"), message);
    }

    // --------------------------------------------------------------- landmarks

    @Test
    void chainsAreFollowed() throws IOException {
        Transforms read = TransformsFile.read(file("t.txt", CHAIN));
        assertEquals(Transform.IDENTITY, read.get(1));
        assertEquals(Transform.translation(3, -4), read.get(2));
        assertEquals(Transform.translation(2, -4), read.get(3));
    }

    /** With 1 in the third line each slice is registered onto one of another stack. */
    @Test
    void twoStacksAreNoChain() throws IOException {
        Transforms read = TransformsFile.read(file("t.txt", CHAIN.replaceFirst("\n0\n", "\n1\n")));
        assertNull(read.get(1));
        assertEquals(Transform.translation(-1, 0), read.get(3));
    }

    /** A quarter turn: (10, 0) goes to (5, 5), and the direction down becomes right. */
    @Test
    void pairsAreRead() throws IOException {
        Transforms read = TransformsFile.read(file("t.txt", PAIR));
        assertEquals(Transform.IDENTITY, read.get(1));
        assertArrayEquals(new double[] {0, 1, 5, -1, 0, 15}, read.get(2).affine(), 1e-12);
        Transforms scaled = TransformsFile.read(file("t.txt", PAIR.replace("RIGID_BODY", "SCALED_ROTATION")
                .replace("10.0\t20.0\n", "").replace("5.0\t5.0\n15.0\t5.0\n", "25.0\t5.0\n")));
        assertArrayEquals(new double[] {0, 2, 5, -2, 0, 25}, scaled.get(2).affine(), 1e-12);
        Transforms affine = TransformsFile.read(file("t.txt", PAIR.replace("RIGID_BODY", "AFFINE")
                .replace("10.0\t20.0\n", "20.0\t0.0\n").replace("5.0\t5.0\n15.0\t5.0\n", "5.0\t25.0\n15.0\t4.0\n")));
        assertArrayEquals(new double[] {1, 0, -5, -0.1, 2, 6}, affine.get(2).affine(), 1e-12);
    }

    @Test
    void stacksAreWrittenAsMultiStackRegReadsThem() throws IOException {
        Transforms t = new Transforms();
        t.put(1, Transform.translation(1, 1), false);
        t.put(2, Transform.IDENTITY, true);
        t.put(3, Transform.translation(2.5, -1), true);
        String zeros = "0.0\t0.0\n0.0\t0.0\n\n";
        assertEquals(STACK + "TRANSLATION\nSource img: 1 Target img: 2\n256.0\t256.0\n" + zeros + "256.0\t256.0\n" + zeros
                + "TRANSLATION\nSource img: 3 Target img: 2\n253.5\t257.0\n" + zeros + "256.0\t256.0\n" + zeros,
                written("stack.txt", t));
    }

    /** A frame without a pose gets that of the one before it, so that those behind it get theirs. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void stacksReadBack(boolean turned) throws IOException {
        Transforms t = sequence(turned);
        String text = written("stack.txt", t);
        assertEquals(turned, text.contains("RIGID_BODY"));
        Transforms read = TransformsFile.read(folder.resolve("stack.txt").toFile());
        for (int frame = 1; frame <= 5; frame++) {
            Transform expected = t.get(frame == 3 || frame == 4 ? 2 : frame);
            assertArrayEquals(expected.affine(), read.get(frame).affine(), 1e-9);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 0, 0, 1, TRANSLATION", "0.6, -0.8, 0.8, 0.6, RIGID_BODY", "1.2, -1.6, 1.6, 1.2, SCALED_ROTATION",
        "1.1, 0.2, 0, 0.9, AFFINE"})
    void pairsOfEveryKindReadBack(double a, double b, double c, double d, String kind) throws IOException {
        Transforms t = new Transforms();
        t.put(1, Transform.translation(10, 20), true);
        t.put(2, t.get(1).multiply(Transform.of(new double[] {a, b, 3, c, d, -4})), true);
        String text = written("TurboReg.txt", t.of(source("", "")));
        assertTrue(text.startsWith("Transformation\n" + kind + "\n\nSource size\n64\t48\n\nTarget size\n64\t48\n\nRefined"),
                text);
        Transforms read = TransformsFile.read(folder.resolve("TurboReg.txt").toFile());
        assertArrayEquals(new double[] {a, b, 3, c, d, -4}, read.get(2).affine(), 1e-9);
        Transforms chosen = new Transforms(); // two frames of a longer sequence
        chosen.put(5, t.get(1), true);
        chosen.put(9, t.get(2), true);
        chosen.sized(64, 48);
        chosen.onto(64, 48);
        assertEquals(text, written("TurboReg.txt", chosen));
    }

    @Test
    void whatLandmarksCannotTellIsRefused() {
        String message = assertThrows(IllegalArgumentException.class, () -> written("TurboReg.txt", sequence(false)))
                .getMessage();
        assertTrue(message.contains("not of 5 frames"), message);
        assertFalse(folder.resolve("TurboReg.txt").toFile().exists());
        assertThrows(IllegalArgumentException.class, () -> written("turboreg.txt", new Transforms()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "0                                   | 2                 | line 3: \"2\": must be 0 or 1",
        "'File Version 1.0'                  | Version           | line 2: \"Version\": must be File Version 1.0",
        "TRANSLATION                         | BILINEAR          | line 4: \"BILINEAR\": must be one of TRANSLATION",
        "'Source img: 2'                     | 'Image 2'         | line 5:",
        "'100.0\t104.0'                      | '100.0'           | line 6: \"100.0\": must be x and y of a landmark",
        "'100.0\t104.0'                      | '100.0\tx'        | line 6: y is \"x\": not a number",
        "'Source img: 2'                     | 'Source img: 3'   | line 5: frame 3 comes before frame 2",
        "'Source img: 3'                     | 'Source img: 2'   | line 15: frame 2 is there twice",
        "'Source img: 2'                     | 'Source img: 0'   | line 5: frame 0",
        "TRANSLATION                         | RIGID_BODY        | line 5: the landmarks lie on a line or coincide",
    })
    void badLandmarksAreNamedWithTheirLine(String text, String damaged, String message) throws IOException {
        assertRefused("t.txt", CHAIN.replaceFirst("(?m)^" + text, damaged), message);
    }

    @Test
    void cutFilesSaySo() throws IOException {
        assertRefused("t.txt", STACK, "holds no transform");
        assertRefused("t.txt", CHAIN.substring(0, CHAIN.length() - 20), "ends where a landmark must follow");
        assertRefused("t.txt", PAIR.substring(0, 39), "ends where width and height must follow");
        assertRefused("t.txt", "Transformation\n", "ends where TRANSLATION must follow");
    }

    private void assertRefused(String name, String content, String message) throws IOException {
        File file = file(name, content);
        FileFormatException e = assertThrows(FileFormatException.class, () -> TransformsFile.read(file));
        assertTrue(e.getMessage().contains(message) && e.getMessage().contains(file.getPath()), e.getMessage());
    }

    // -------------------------------------------------------------------- CSV

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "'frame,m00,m01,m10,m11'            | (missing here: m02, m12)",
        "'m00,m01,m02,m10,m11,m12,frame'    | m12 in this order",
        "'x;y;angle'                        | must begin with frame,m00,m01,m02,m10,m11,m12; also read are JSON",
    })
    void otherHeadersSayWhatIsNeeded(String header, String message) throws IOException {
        assertRefused("t.csv", header + "\n1,2,3,4,5,6,7\n", message);
    }

    // ------------------------------------------------------------------- fuzz

    /** Any file is read or refused by name. */
    @Test
    void damagedFilesAreReadOrRefused() throws IOException {
        Random random = new Random(11);
        String[] whole = {TILES + "a.tif; ; (0.0, 0.0)\nb.tif; ; (12.5, -3.0)\n# frame 9\nc.tif; ; (1, 2)\n", CHAIN, PAIR,
            "frame,m00,m01,m02,m10,m11,m12,registered,part\n1,1,0,0,0,1,0,1,1\n2,1,0,2,0,1,3,1,1\n"};
        int refused = 0;
        for (int i = 0; i < 8000; i++) {
            File file = file("f.txt", damaged(whole[i % whole.length], random));
            try {
                assertTrue(TransformsFile.read(file).size() > 0);
            } catch (FileFormatException e) {
                refused++;
                assertTrue(e.getMessage().startsWith(file.getPath()), e.getMessage());
            }
        }
        assertTrue(refused > 2000, "refused " + refused);
    }

    private static String damaged(String text, Random random) {
        StringBuilder damaged = new StringBuilder(text);
        for (int n = 1 + random.nextInt(4); n > 0 && damaged.length() > 0; n--) {
            int at = random.nextInt(damaged.length());
            int end = Math.min(damaged.length(), at + 1 + random.nextInt(30));
            switch (random.nextInt(5)) {
                case 0: damaged.setLength(at); break;
                case 1: damaged.delete(at, end); break;
                case 2: damaged.insert(at, damaged.substring(at, end)); break;
                case 3: damaged.setCharAt(at, "0129-eE.,;()\n\t#\u0000\ufffd".charAt(random.nextInt(17))); break;
                default: damaged.insert(at, "99999999999999999999"); break;
            }
        }
        return damaged.toString();
    }
}
