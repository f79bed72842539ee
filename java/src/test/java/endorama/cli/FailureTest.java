package endorama.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import endorama.picture.ImageSlices;
import endorama.core.mosaic.MosaicSession;
import ij.process.ByteProcessor;
import ij.process.ImageProcessor;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every failure of a command is reported in one line, an Error of Java too. */
class FailureTest {
    @TempDir
    Path folder;
    private final StringWriter err = new StringWriter();

    /** The exception of a reader, the exit code, and texts of the line. */
    private static final class Case {
        final Supplier<Throwable> thrown;
        final int code;
        final String[] texts;

        Case(Supplier<Throwable> thrown, int code, String... texts) {
            this.thrown = thrown;
            this.code = code;
            this.texts = texts;
        }

        @Override
        public String toString() {
            return thrown.get().toString();
        }
    }

    static List<Case> cases() {
        List<Case> cases = new ArrayList<>();
        cases.add(new Case(() -> new UnsatisfiedLinkError("no javajpeg in /x"), Main.LIBRARY, "1.png cannot be read",
                "no javajpeg in /x", "JAVA_HOME", System.getProperty("java.home")));
        cases.add(new Case(() -> new NoClassDefFoundError("javax/Sun"), Main.LIBRARY, "1.png cannot be read", "javax/Sun",
                "install it anew"));
        cases.add(new Case(() -> new ExceptionInInitializerError(new IllegalStateException("sad")), Main.LIBRARY,
                "1.png cannot be read", "does not start", "sad"));
        cases.add(new Case(() -> new ExceptionInInitializerError(new UnsatisfiedLinkError("no lcms")), Main.LIBRARY,
                "1.png cannot be read", "no lcms", "JAVA_HOME"));
        cases.add(new Case(() -> new OutOfMemoryError("Java heap space"), Main.LIBRARY, "Java heap space", "-Xmx"));
        cases.add(new Case(() -> new OutOfMemoryError("unable to create native thread"), Main.LIBRARY, "ulimit"));
        cases.add(new Case(() -> new OutOfMemoryError("Requested array size exceeds VM limit"), Main.LIBRARY, "smaller"));
        cases.add(new Case(StackOverflowError::new, Main.LIBRARY, "-Xss"));
        cases.add(new Case(() -> new AssertionError("odd"), Main.LIBRARY, "odd", "report it", "FailureTest"));
        cases.add(new Case(() -> new IllegalStateException("strange"), Main.INPUT, "1.png cannot be read", "strange"));
        return cases;
    }

    private int run(String... args) {
        System.setProperty("java.awt.headless", "true");
        err.getBuffer().setLength(0);
        return Main.run(new PrintWriter(new StringWriter()), new PrintWriter(err, true), args);
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void everythingThrownIsTold(Case c) throws IOException {
        Files.createDirectory(folder.resolve("in"));
        for (int i = 1; i <= 2; i++) {
            Files.write(folder.resolve("in/" + i + ".png"), ThrowingReader.FILE);
        }
        try (ThrowingReader reader = ThrowingReader.of(c.thrown)) {
            assertTold(c, run("ahe", "--input", path("in/1.png"), "--output", path("out.png")));
            assertTold(c, run("ahe", "--input", path("in"), "--output", path("out")));
            assertTold(c, run("mosaic", "--input", path("in"), "--output", path("out.png")));
            assertTold(c, run("exposures", "--input", path("in")));
        }
        assertFalse(Files.exists(folder.resolve("out.png")));
    }

    private void assertTold(Case c, int code) {
        assertEquals(c.code, code, err.toString());
        String line = err.toString().split("\n", 2)[0];
        assertTrue(line.startsWith("endorama: "), line);
        for (String text : c.texts) {
            assertTrue(line.contains(text), text + " in: " + line);
        }
    }

    /** Refused before anything is computed, as a long run would be lost. */
    @ParameterizedTest
    @ValueSource(strings = {"mosaic --input F/seq --output F/p.png --transforms", "exposures --input F/seq --transforms",
        "fourier --input F/seq --transforms", "demo-sequence --frames 3 --width 64 --height 64 --output F/new --truth"})
    void formsThatDoNotHoldTheTransformsAreRefused(String line) throws IOException {
        assertEquals(0, run("demo-sequence", "--output", path("seq"), "--frames", "3", "--width", "200", "--height", "160",
                "--rotation", "0", "--zoom", "0"));
        String[] words = (line + " F/TurboReg-1.TXT").replace("F/", folder + "/").split(" ");
        assertEquals(Main.USAGE, run(words));
        String key = words[words.length - 2].substring(2);
        assertTrue(err.toString().contains(key + " " + path("TurboReg-1.TXT") + ": a landmark file of TurboReg holds the"
                + " transform of one pair, not of 3 frames; give the file another name"), err.toString());
        assertEquals(1, folder.toFile().list().length, "nothing else is there");
        words[words.length - 1] = path("stack.txt");
        int code = run(words);
        assertTrue((code == Main.DONE || code == Main.PARTIAL) && Files.exists(folder.resolve("stack.txt")), err.toString());
    }

    /** Colours among grey frames are reported in words. */
    @Test
    void framesOfAnotherTypeAreNamed() throws IOException {
        assertEquals(0, run("demo-sequence", "--output", path("seq"), "--frames", "3", "--width", "96", "--height", "80"));
        Files.createDirectory(folder.resolve("grey"));
        for (int i = 1; i <= 3; i++) {
            ImageProcessor frame = ImageSlices.processor(
                    ImageFiles.read(new File(path("seq/frame0000" + i + ".png"))).pixels, 96, 80);
            ImageFiles.writePng(new File(path("grey/" + i + ".png")), i == 2 ? frame : frame.convertToByte(false));
        }
        run("mosaic", "--input", path("grey"), "--output", path("p.png"));
        assertTrue(err.toString().contains("2.png is in colour, the sequence 8-bit grey; skipped"), err.toString());
    }

    /** A missing class of Java does not cost the frames that can be read. */
    @Test
    void framesThatCanBeReadAreUsed() throws IOException {
        assertEquals(0, run("demo-sequence", "--output", path("seq"), "--frames", "6", "--width", "200", "--height", "160"));
        Files.write(folder.resolve("seq/frame00003.png"), ThrowingReader.FILE);
        try (ThrowingReader reader = ThrowingReader.of(() -> new UnsatisfiedLinkError("no javajpeg"))) {
            assertEquals(Main.PARTIAL, run("mosaic", "--input", path("seq"), "--output", path("out.png")), err.toString());
        }
        assertTrue(err.toString().contains("frame00003.png cannot be read") && err.toString().contains("no javajpeg"),
                err.toString());
    }

    @Test
    void interruptedCommandsSayHowFarTheyCame() throws IOException {
        ImageFiles.writePng(folder.resolve("1.png").toFile(), new ByteProcessor(60, 50));
        Interrupt interrupt = new Interrupt();
        interrupt.request();
        for (String[] args : new String[][] {
            {"demo", "--output", path("demo")},
            {"demo-sequence", "--output", path("seq"), "--frames", "3"},
            {"ahe", "--input", folder.toString(), "--output", path("out")},
        }) {
            err.getBuffer().setLength(0);
            assertEquals(Main.INTERRUPTED, Main.run(interrupt, new PrintWriter(new StringWriter()),
                    new PrintWriter(err, true), args));
            assertTrue(err.toString().contains("endorama: interrupted"), args[0] + ": " + err);
        }
    }

    /** Simulates a Java runtime from which lib/libjavajpeg.so was deleted. */
    @Test
    void javaWithoutItsJpegLibrary() throws Exception {
        Path home = Paths.get(System.getProperty("java.home")).toRealPath();
        Path library = home.resolve("lib/libjavajpeg.so");
        assumeTrue(Files.isRegularFile(library), "the libraries of Java lie elsewhere");
        Path lame = Files.createTempDirectory("java-without-jpeg");
        try {
            JavaProcess.link(home, lame, library);
            assertWithoutJpeg(home, lame);
        } finally {
            JavaProcess.delete(lame);
        }
    }

    private void assertWithoutJpeg(Path home, Path lame) throws Exception {
        // Java finds its other files relative to the real paths of these.
        for (String name : new String[] {"bin/java", "lib/libjli.so", "lib/libjava.so", "lib/server/libjvm.so"}) {
            copyFor(lame, home, name);
        }
        java.awt.image.BufferedImage image = new ByteProcessor(60, 50).getBufferedImage();
        assertTrue(javax.imageio.ImageIO.write(image, "jpg", folder.resolve("in.jpg").toFile()));
        JavaProcess process = new JavaProcess(folder, lame);
        int code = process.run("endorama.cli.Main", "ahe", "--input", path("in.jpg"), "--output", path("out.png"));
        assertEquals(5, code, process.output);
        assertTrue(process.output.contains("endorama: " + path("in.jpg") + " cannot be read: ")
                && process.output.contains("javajpeg") && process.output.contains(lame.toString()), process.output);
    }

    /** Replaces the link to a file, or to its folder, by a copy. */
    private static void copyFor(Path lame, Path home, String name) throws IOException {
        Path file = lame.resolve(name);
        if (Files.isSymbolicLink(file.getParent())) {
            Files.delete(file.getParent());
            JavaProcess.link(home.resolve(name).getParent(), file.getParent(), home.resolve(name));
        }
        Files.copy(home.resolve(name), file, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void classThatIsMissing() throws Exception {
        JavaProcess process = new JavaProcess(folder);
        process.without(MosaicSession.class);
        assertEquals(0, run("demo-sequence", "--output", path("seq.tif"), "--frames", "3", "--width", "100", "--height",
                "80"), err.toString());
        int code = process.run("endorama.cli.Main", "mosaic", "--input", path("seq.tif"), "--output", path("out.png"));
        assertEquals(5, code, process.output);
        assertTrue(process.output.contains("endorama: ")
                && process.output.contains("endorama/core/mosaic/MosaicSession"),
                process.output);
    }

    @Test
    void threadThatDies() throws Exception {
        Files.write(folder.resolve("in.png"), ThrowingReader.FILE);
        JavaProcess process = new JavaProcess(folder);
        int code = process.run("endorama.cli.ThrowingReader", "ahe", "--input", path("in.png"), "--output",
                path("out.png"));
        assertEquals(5, code, process.output);
        assertTrue(process.output.contains("endorama: thread helper") && process.output.contains("one thread less")
                && process.output.contains("-Xss"), process.output);
    }

    @Test
    void benchSaysWhatItCannotRead() throws Exception {
        JavaProcess process = new JavaProcess(folder);
        assertEquals(2, process.run("endorama.cli.Bench", "1280"));
        assertTrue(process.output.contains("size 1280: must be WIDTHxHEIGHT"), process.output);
        assertEquals(2, process.run("endorama.cli.Bench", "ahe", "CPU", "many"));
        assertTrue(process.output.contains("many: must be a number"), process.output);
    }
}
