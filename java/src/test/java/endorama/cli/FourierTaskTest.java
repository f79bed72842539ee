package endorama.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.transforms.TestViews;
import endorama.core.transforms.Transform;
import ij.process.ByteProcessor;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command "fourier" of the shell on images and folders; FourierCommandTest has the tests common to both. */
class FourierTaskTest {
    private static final int W = 120;
    private static final int H = 100;

    @TempDir
    Path folder;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(Interrupt interrupt, String... more) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        String[] args = new String[more.length + 1];
        args[0] = "fourier";
        System.arraycopy(more, 0, args, 1, more.length);
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
        ImageFiles.writePng(folder.resolve(name).toFile(), new ByteProcessor(width, height, pixels));
    }

    private void views() throws IOException {
        TestViews scene = new TestViews(3);
        write("in/1.png", W, H, scene.grey(Transform.IDENTITY, W, H));
        write("in/2.png", W, H, scene.grey(TestViews.map(-30, 1.1, 3, 5, W, H), W, H));
        write("in/10.png", W, H, scene.grey(TestViews.map(70, 1, -6, 2, W, H), W, H));
    }

    @Test
    void resultsArePrintedWhereNothingElseIsAskedFor() throws IOException {
        views();
        assertEquals(0, run("--input", path("in")), err.toString());
        assertTrue(out.toString().contains("3 of 3 frames registered"), out.toString());
        assertTrue(out.toString().matches("(?s).*frame 2 +against 1 +-(30|29)\\.\\d+ degrees, scale 1\\.\\d+, .* ok.*"),
                out.toString());
        assertEquals(0, run("--input", path("in/1.png"), path("in/10.png")), err.toString());
        assertTrue(out.toString().matches("(?s).*frame 1 +onto image +(70|69)\\.\\d+ degrees, scale .* ok.*"),
                out.toString());
    }

    @Test
    void framesAreChosen() throws IOException {
        views();
        assertEquals(0, run("--input", path("in"), "--frames", "2-3"), err.toString());
        assertTrue(out.toString().contains("2 of 2 frames registered"), out.toString());
        assertEquals(2, run("--input", path("in"), "--frames", "4-5"), out.toString());
    }

    @Test
    void folderAndStackHoldTheSame() throws IOException {
        views();
        assertTrue(folder.resolve("out").toFile().mkdir());
        assertEquals(0, run("--input", path("in"), "--output", path("out")), err.toString());
        assertEquals(0, run("--input", path("in"), "--output", path("out.tif")), err.toString());
        TiffStack stack = new TiffStack(new File(path("out.tif")));
        assertEquals(3, stack.count());
        assertEquals("10.png", stack.label(2));
        for (int i = 0; i < 3; i++) {
            Image image = ImageFiles.read(folder.resolve("out").resolve("frame0000" + (i + 1) + ".png").toFile());
            assertArrayEquals((byte[]) stack.pixels(i), (byte[]) image.pixels);
        }
        // A folder or a stack is registered onto an image.
        assertEquals(0, run("--input", path("in/2.png"), path("in"), "--mode", "Transforms only", "--transforms",
                path("t.csv"), "--output", path("none.tif")), err.toString());
        assertEquals(4, Files.readAllLines(folder.resolve("t.csv")).size());
        assertFalse(Files.exists(folder.resolve("none.tif")));
    }

    @Test
    void whatCannotBeRegisteredHasAnExitCode() throws IOException {
        views();
        write("flat.png", W, H, new byte[W * H]);
        write("point.png", 1, 1, new byte[1]);
        write("other.png", W, H, new TestViews(44).grey(Transform.IDENTITY, W, H));
        String[] bad = {"flat.png", "point.png", "other.png"};
        for (String name : bad) {
            assertEquals(4, run("--input", path("in/1.png"), path(name), "--table", path("t.csv"), "--output",
                    path("out.tif")), err.toString());
            assertTrue(err.toString().contains("nothing could be registered"), err.toString());
            assertEquals(2, Files.readAllLines(folder.resolve("t.csv")).size());
            assertFalse(Files.exists(folder.resolve("out.tif")));
        }
        assertEquals(4, run("--input", path("flat.png"), path("in/1.png")), err.toString());
        assertEquals(3, run("--input", path("in/1.png")), err.toString());
        assertTrue(err.toString().contains("at least 2 frames is needed, this has 1"), err.toString());
        assertEquals(3, run("--input", path("in/1.png"), path("gone.png")), err.toString());
    }

    @Test
    void wrongUsageIsNamed() throws IOException {
        views();
        assertEquals(2, run("--input", path("in"), "--mode", "Panorama"));
        assertTrue(err.toString().contains("mode Panorama: must be one of Aligned stack, Overlay, Transforms only"),
                err.toString());
        assertEquals(2, run("--input", path("in"), "--output", path("x.jpg")));
        assertEquals(2, run("--input", path("in"), "--angle", "181"));
        assertEquals(2, run("--input", path("in"), path("in/1.png")));
        assertTrue(err.toString().contains("has 3 frames; the first of two inputs must be one image"), err.toString());
        assertEquals(2, run("--input", path("in"), "--onto", "x"));
        assertEquals(2, run());
        assertEquals(0, run("--help"));
        assertTrue(out.toString().contains("--[no-]refine") && out.toString().contains("--candidates"), out.toString());
    }

    @Test
    void interruptLeavesNoHalfStack() throws IOException {
        views();
        Interrupt interrupt = new Interrupt();
        interrupt.request();
        assertEquals(130, run(interrupt, "--input", path("in"), "--output", path("out.tif"), "--table", path("t.csv")),
                err.toString());
        assertFalse(Files.exists(folder.resolve("out.tif")) || Files.exists(folder.resolve("t.csv")));
    }
}
