package endorama.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.exposures.TestExposures;
import ij.ImagePlus;
import ij.io.FileSaver;
import ij.process.ByteProcessor;
import ij.process.FloatProcessor;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command "exposures" of the shell on folders of images; ExposuresCommandTest has the tests common to both. */
class ExposuresTaskTest {
    private static final int W = TestExposures.W;
    private static final int H = TestExposures.H;

    @TempDir
    Path folder;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(Interrupt interrupt, String... more) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        String[] args = new String[more.length + 3];
        args[0] = "exposures";
        args[1] = "--input";
        args[2] = path("in");
        System.arraycopy(more, 0, args, 3, more.length);
        return Main.run(interrupt, new PrintWriter(out, true), new PrintWriter(err, true), args);
    }

    private int run(String... more) {
        return run(new Interrupt(), more);
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    private void write(String name, int width, int height, byte[] pixels) throws IOException {
        Files.createDirectories(folder.resolve("in"));
        ImageFiles.writePng(folder.resolve("in").resolve(name).toFile(), new ByteProcessor(width, height, pixels));
    }

    private void bracket() throws IOException {
        TestExposures scene = new TestExposures(9);
        write("1.png", W, H, scene.grey(0, 0, 0.5, 1));
        write("2.png", W, H, scene.grey(7, 5, 1.2, 0.7));
        write("10.png", W, H, scene.grey(-4, 8, 2, 1));
    }

    @Test
    void shiftsArePrintedWhereNothingElseIsAskedFor() throws IOException {
        bracket();
        assertEquals(0, run(), err.toString());
        assertTrue(out.toString().contains("3 of 3 frames aligned"), out.toString());
        assertTrue(out.toString().contains("frame 3     against 2     (-11.00, 3.00) px"), out.toString());
    }

    @Test
    void folderAndStackHoldTheSame() throws IOException {
        bracket();
        assertTrue(folder.resolve("out").toFile().mkdir());
        assertEquals(0, run("--output", path("out")), err.toString());
        assertEquals(0, run("--output", path("out.tif")), err.toString());
        TiffStack stack = new TiffStack(new File(path("out.tif")));
        assertEquals(3, stack.count());
        assertEquals("10.png", stack.label(2));
        for (int i = 0; i < 3; i++) {
            Image image = ImageFiles.read(folder.resolve("out").resolve("frame0000" + (i + 1) + ".png").toFile());
            assertArrayEquals((byte[]) stack.pixels(i), (byte[]) image.pixels);
        }
    }

    @Test
    void otherSizesAndSingleImagesAreNamed() throws IOException {
        write("1.png", W, H, new TestExposures(9).grey(0, 0, 0.5, 1));
        assertEquals(3, run(), err.toString());
        assertTrue(err.toString().contains("at least 2 frames is needed, this has 1"), err.toString());
        write("2.png", 90, 80, new byte[90 * 80]);
        assertEquals(4, run("--table", path("t.csv"), "--output", path("out.tif")), err.toString());
        assertTrue(err.toString().contains("2.png is 90 x 80 pixels, the sequence 200 x 150; skipped"), err.toString());
        assertTrue(out.toString().contains("1 of 2 frames aligned; not aligned: frame 2 (skipped)"), out.toString());
        assertEquals(3, Files.readAllLines(folder.resolve("t.csv")).size());
        assertFalse(Files.exists(folder.resolve("out.tif")));
    }

    @Test
    void floatsAreNamed() {
        new FileSaver(new ImagePlus("", new FloatProcessor(64, 64))).saveAsTiff(path("in.tif"));
        assertEquals(3, Main.run(new PrintWriter(out, true), new PrintWriter(err, true), "exposures", "--input",
                path("in.tif")));
        assertTrue(err.toString().contains("these are 32-bit float"), err.toString());
    }

    @Test
    void blackFramesGiveNothing() throws IOException {
        for (int i = 0; i < 3; i++) {
            write(i + ".png", 100, 80, new byte[100 * 80]);
        }
        assertEquals(4, run("--output", path("out.tif")), err.toString());
        assertTrue(out.toString().contains("0 of 3 frames aligned; not aligned: frames 1-3 (no content)"), out.toString());
        assertTrue(err.toString().contains("no frame could be aligned with another"), err.toString());
        assertFalse(Files.exists(folder.resolve("out.tif")));
    }

    @Test
    void wrongUsageIsNamed() throws IOException {
        bracket();
        assertEquals(2, run("--mode", "Panorama"));
        assertTrue(err.toString().contains("mode Panorama: must be one of Aligned stack, Transforms only"), err.toString());
        assertEquals(2, run("--output", path("x.jpg")));
        assertTrue(err.toString().contains("must end in .tif, or be a folder that exists"), err.toString());
        assertEquals(2, run("--reference", "Last"));
        assertTrue(err.toString().contains("reference Last: must be one of Previous, First, Middle"), err.toString());
        assertEquals(2, run("--tolerance", "128"));
        assertEquals(0, run("--help"));
        assertTrue(out.toString().contains("--mode=MODE") && out.toString().contains("--kalman"), out.toString());
    }

    @Test
    void interruptLeavesNoHalfStack() throws IOException {
        bracket();
        Interrupt interrupt = new Interrupt();
        interrupt.request();
        assertEquals(130, run(interrupt, "--output", path("out.tif")), err.toString());
        assertFalse(Files.exists(folder.resolve("out.tif")));
    }
}
