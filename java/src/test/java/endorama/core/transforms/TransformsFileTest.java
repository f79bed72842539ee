package endorama.core.transforms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.files.AtomicFile;
import endorama.core.files.FileFormatException;
import endorama.core.mutual.MutualTransforms;
import endorama.core.options.MosaicParameters;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TransformsFileTest {
    private static final String HEADER = "frame,m00,m01,m02,m10,m11,m12\n";
    private static final String ROW = "1,1,0,0,0,1,0\n";
    private static final Transform HOMOGRAPHY =
            Transform.of(Transform.Kind.HOMOGRAPHY, new double[] {1.1, -0.2, 5, 0.3, 0.9, -7, 1e-4, -2.0 / 3e5, 1});

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"t.csv", "t.json"})
    void numbersReadBackEqualInAnyLocale(String name) throws IOException {
        Transforms t = new Transforms();
        t.put(1, Transform.IDENTITY, true);
        t.put(2, Transform.of(new double[] {1.0 / 3, -1e-300, Math.PI * 1e8, 0.1, 1 - 1e-16, -0.0}), false);
        Locale before = Locale.getDefault();
        File file = folder.resolve(name).toFile();
        try {
            Locale.setDefault(Locale.GERMANY);
            TransformsFile.write(file, t, Collections.<String, Object>singletonMap("template", 31L), "cpu");
            Transforms read = TransformsFile.read(file);
            assertEquals(t.matrices(), read.matrices());
            assertTrue(read.isRegistered(1));
            assertFalse(read.isRegistered(2));
        } finally {
            Locale.setDefault(before);
        }
        assertEquals(1, folder.toFile().list().length, "nothing but the file is left");
    }

    @ParameterizedTest
    @ValueSource(strings = {"t.csv", "t.json"})
    void whatAMosaicKnewReadsBackEqual(String name) throws IOException {
        Transforms t = new Transforms();
        t.put(1, Transform.IDENTITY, true, 1);
        t.put(1, new Transforms.Solution(Transform.translation(3, 4), 1.5, true, false));
        t.put(2, Transform.IDENTITY, true, 1);
        t.put(2, new Transforms.Solution(Transform.translation(5, 6), Double.NaN, false, true));
        File file = folder.resolve(name).toFile();
        TransformsFile.write(file, t, Collections.<String, Object>singletonMap("template", 31L), "cpu");
        Transforms read = TransformsFile.read(file);
        for (int frame = 1; frame <= 2; frame++) {
            assertEquals(t.solution(frame).deviation, read.solution(frame).deviation);
            assertEquals(t.solution(frame).keyFrame, read.solution(frame).keyFrame);
            assertEquals(t.solution(frame).chained, read.solution(frame).chained);
            assertEquals(frame == 2, read.solution(frame).doubtful);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"t.csv", "t.json"})
    void homographiesReadBackEqual(String name) throws IOException {
        Transforms t = homographyPair();
        File file = folder.resolve(name).toFile();
        TransformsFile.write(file, t, Collections.<String, Object>emptyMap(), "cpu");
        Transforms read = TransformsFile.read(file);
        assertEquals(t.matrices(), read.matrices());
        assertEquals(HOMOGRAPHY.multiply(HOMOGRAPHY), read.solution(2).chained);
        assertEquals(Transform.IDENTITY, read.solution(1).chained);
        assertEquals(1.5, read.solution(2).deviation);
    }

    @Test
    void onlyHomographiesTakeMoreColumns() throws IOException {
        Transform homography = Transform.of(Transform.Kind.HOMOGRAPHY, new double[] {2, 0, 6, 0, 2, 8, 1e-4, 2e-4, 2});
        Transforms t = new Transforms();
        t.put(1, Transform.IDENTITY, true);
        File file = folder.resolve("t.csv").toFile();
        TransformsFile.write(file, t, Collections.<String, Object>emptyMap(), "cpu");
        assertEquals("frame,m00,m01,m02,m10,m11,m12,registered", Files.readAllLines(file.toPath()).get(0));
        t.put(2, homography, true);
        TransformsFile.write(file, t, Collections.<String, Object>emptyMap(), "cpu");
        assertEquals("frame,m00,m01,m02,m10,m11,m12,registered,h00,h01,h02,h10,h11,h12,h20,h21",
                Files.readAllLines(file.toPath()).get(0));
        assertEquals("1,1.0,0.0,0.0,0.0,1.0,0.0,1,1.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0", Files.readAllLines(file.toPath()).get(1));
        assertTrue(Files.readAllLines(file.toPath()).get(2).endsWith(",1,1.0,0.0,3.0,0.0,1.0,4.0,5.0E-5,1.0E-4"));
    }

    /** Two frames of 201 x 161 px, the second one with a homography, and along the chain with its square. */
    private static Transforms homographyPair() {
        Transforms t = new Transforms();
        t.sized(201, 161);
        t.put(1, Transform.IDENTITY, true, 1);
        t.put(1, new Transforms.Solution(Transform.IDENTITY, 0, true, false));
        t.put(2, HOMOGRAPHY, true, 1);
        t.put(2, new Transforms.Solution(HOMOGRAPHY.multiply(HOMOGRAPHY), 1.5, false, false));
        return t;
    }

    /** A program that ignores homographies reads the nearest affine maps. */
    @Test
    void matricesOfHomographiesAreTheAffineMapsNearestToThem() throws IOException {
        Transforms t = homographyPair();
        File file = folder.resolve("t.csv").toFile();
        TransformsFile.write(file, t, Collections.<String, Object>emptyMap(), "cpu");
        List<String> lines = Files.readAllLines(file.toPath());
        assertEquals("frame,m00,m01,m02,m10,m11,m12,registered,part,deviation,key,c00,c01,c02,c10,c11,c12,doubtful,"
                + "h00,h01,h02,h10,h11,h12,h20,h21,ch00,ch01,ch02,ch10,ch11,ch12,ch20,ch21", lines.get(0));
        List<String> affine = new ArrayList<String>();
        for (String line : lines) {
            affine.add(String.join(",", Arrays.asList(line.split(",")).subList(0, 18)));
        }
        Transforms read = TransformsFile.parse(affine, "affine");
        assertEquals(HOMOGRAPHY.nearestAffine(201, 161), read.get(2));
        assertEquals(HOMOGRAPHY.multiply(HOMOGRAPHY).nearestAffine(201, 161), read.solution(2).chained);
    }

    @Test
    void jsonHasTheAffineMapBesideTheHomography() throws IOException {
        Transforms t = homographyPair();
        File file = folder.resolve("t.json").toFile();
        TransformsFile.write(file, t, Collections.<String, Object>emptyMap(), "cpu");
        String text = String.join("\n", Files.readAllLines(file.toPath()));
        assertEquals(2, text.split("omography\": \\[").length - 1, text);
        String without = text.replaceAll("(?s),\\s*\"(h|chainedH)omography\": \\[.*?\\]", "");
        Files.write(file.toPath(), without.getBytes(StandardCharsets.UTF_8));
        Transforms read = TransformsFile.read(file);
        assertEquals(HOMOGRAPHY.nearestAffine(201, 161), read.get(2));
        assertEquals(HOMOGRAPHY.multiply(HOMOGRAPHY).nearestAffine(201, 161), read.solution(2).chained);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[1,0,0,0,1,0,1e-4]", "[1,0,0,0,1,0,1e-4,null]", "[]"})
    void homographiesOfOtherThanEightNumbersAreRefused(String numbers) throws IOException {
        File file = folder.resolve("t.json").toFile();
        Files.write(file.toPath(), ("{\"transforms\":[{\"frame\":1,\"matrix\":[1,0,0,0,1,0],\"homography\":" + numbers + "}]}")
                .getBytes(StandardCharsets.UTF_8));
        assertTrue(assertThrows(FileFormatException.class, () -> TransformsFile.read(file)).getMessage()
                .endsWith("transform 1: \"matrix\" must be six numbers, and \"homography\", where there is one, eight"));
    }

    /** Files of programs without homographies hold the nearest affine maps. */
    @Test
    void landmarksTellTheAffineMapNearestToAHomography() throws IOException {
        for (String name : new String[] {"turboreg.txt", "stack.txt"}) {
            File file = folder.resolve(name).toFile();
            TransformsFile.write(file, homographyPair(), Collections.<String, Object>emptyMap(), "cpu");
            assertArrayEquals(HOMOGRAPHY.nearestAffine(201, 161).affine(), TransformsFile.read(file).get(2).affine(), 1e-9);
        }
    }

    @Test
    void initialTransformsAreNoHomographies() throws IOException {
        File file = file("frame,m00,m01,m02,m10,m11,m12,h00,h01,h02,h10,h11,h12,h20,h21\n1,1,0,0,0,1,0,1,0,0,0,1,0,1e-4,0\n");
        assertTrue(assertThrows(FileFormatException.class, () -> MutualTransforms.read(file)).getMessage()
                .endsWith("holds homographies; a registration begins from affine transforms"));
    }

    @Test
    void filesWithoutDoubtsAreReadAsBefore() throws IOException {
        Transforms read = TransformsFile.read(file("frame,m00,m01,m02,m10,m11,m12,part,deviation,key,c00,c01,c02,c10,c11,c12\n"
                + "1,1,0,0,0,1,0,1,0.5,0,1,0,0,0,1,0\n"));
        assertEquals(0.5, read.solution(1).deviation);
        assertFalse(read.solution(1).doubtful);
    }

    @Test
    void deviationsBelowZeroAreNamed() throws IOException {
        File file = file("frame,m00,m01,m02,m10,m11,m12,part,deviation,key,c00,c01,c02,c10,c11,c12\n"
                + "1,1,0,0,0,1,0,1,-0.5,0,1,0,0,0,1,0\n");
        assertTrue(assertThrows(FileFormatException.class, () -> TransformsFile.read(file)).getMessage()
                .contains("line 2: deviation -0.5"));
    }

    @Test
    void headerBeginsAsDocumented() throws IOException {
        Transforms t = new Transforms();
        t.put(1, Transform.IDENTITY, true);
        File file = folder.resolve("t.csv").toFile();
        TransformsFile.write(file, t, (MosaicParameters) null, null);
        assertTrue(Files.readAllLines(file.toPath()).get(0).startsWith("frame,m00,m01,m02,m10,m11,m12"));
    }

    @Test
    void acceptsWhatOthersWrite() throws IOException {
        File file = file("\uFEFFframe,m00,m01,m02,m10,m11,m12,note\r\n3, 1, 0, 2.5, 0, 1, -1e1,\"a, b\"\r\n\r\n");
        assertEquals(Transform.translation(2.5, -10), TransformsFile.read(file).get(3));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "''                                          | empty",
        "'X Y\\n1 2\\n'                              | line 1: not a file of transforms",
        "'frame,m00\\n'                              | line 1: not a file of transforms",
        "'H'                                         | holds no transform",
        "'H1,1,0,0,0,1\\n'                           | line 2: 6 columns",
        "'HR2,1,0,0,0\\n'                            | line 3: 5 columns",
        "'HR2,1,0,zero,0,1,0\\n'                     | line 3: m02 is \"zero\"",
        "'HR2,1,0,NaN,0,1,0\\n'                      | line 3: m02 is \"NaN\"",
        "'HRR'                                       | line 3: frame 1 is there twice",
        "'H0,1,0,0,0,1,0\\n'                         | line 2: frame 0",
        "'H1.5,1,0,0,0,1,0\\n'                       | line 2: frame 1.5",
        "'H1,0,0,0,0,1,0\\n'                         | line 2: the matrix",
    })
    void badFilesAreNamedWithTheirLine(String content, String message) throws IOException {
        File file = file(content.replace("\\n", "\n").replace("H", HEADER).replace("R", ROW));
        FileFormatException e = assertThrows(FileFormatException.class, () -> TransformsFile.read(file));
        assertTrue(e.getMessage().contains(message), e.getMessage());
        assertTrue(e.getMessage().contains(file.getPath()), e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{", "{}", "{\"transforms\":[]}", "{\"transforms\":[{\"frame\":1}]}",
        "{\"transforms\":[{\"frame\":1,\"matrix\":[1,2]}]}", "{\"transforms\":[null]}", "{\"transforms\":[{\"frame\":1,\"matrix\":[1,0,null,0,1,0]}]}",
        "{\"transforms\":[{\"frame\":1,\"matrix\":[1,0,0.5null3,0,1,0]}]}",
        "{\"transforms\":[{\"frame\":null,\"matrix\":[1,0,0,0,1,0]}]}", "\u0000\u0001"})
    void badJsonIsNamed(String content) throws IOException {
        File file = folder.resolve("bad.json").toFile();
        Files.write(file.toPath(), content.getBytes(StandardCharsets.UTF_8));
        FileFormatException e = assertThrows(FileFormatException.class, () -> TransformsFile.read(file));
        assertTrue(e.getMessage().contains(file.getPath()), e.getMessage());
    }

    @Test
    void missingFileIsNamed() {
        FileFormatException e = assertThrows(FileFormatException.class,
                () -> TransformsFile.read(new File("/no/such/t.csv")));
        assertTrue(e.getMessage().contains("/no/such/t.csv"));
    }

    /** A file of 2^28 bytes and one more, of which nothing is read. */
    @Test
    void hugeFileIsRefused() throws IOException {
        File file = file("");
        try (RandomAccessFile bytes = new RandomAccessFile(file, "rw")) {
            bytes.setLength((1L << 28) + 1);
        }
        FileFormatException e = assertThrows(FileFormatException.class, () -> TransformsFile.read(file));
        assertTrue(e.getMessage().endsWith("268435457 bytes: no table or JSON of ours; at most 268435456 are read"),
                e.getMessage());
    }

    @Test
    void unwritableOutputIsFoundBefore() {
        assertMessage("no folder", new File("/no/such/folder/t.csv"));
        assertMessage("it is a folder", folder.toFile());
    }

    private static void assertMessage(String part, File file) {
        IOException e = assertThrows(IOException.class, () -> AtomicFile.check(file));
        assertTrue(e.getMessage().contains(part) && e.getMessage().contains(file.getPath()), e.getMessage());
    }

    @Test
    void failedWriteKeepsTheOldFile() throws IOException {
        File file = file("old");
        assertThrows(IOException.class, () -> AtomicFile.write(file, out -> {
            out.write(1);
            throw new IOException("full");
        }));
        assertEquals("old", new String(Files.readAllBytes(file.toPath()), StandardCharsets.UTF_8));
        assertEquals(1, folder.toFile().list().length);
    }

    private File file(String content) throws IOException {
        Path file = folder.resolve("t.csv");
        Files.write(file, content.getBytes(StandardCharsets.UTF_8));
        return file.toFile();
    }
}
