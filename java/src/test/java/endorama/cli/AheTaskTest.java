package endorama.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.equalize.BruteEqualization;
import ij.IJ;
import ij.ImagePlus;
import ij.ImageStack;
import ij.gui.Overlay;
import ij.gui.Roi;
import ij.io.FileSaver;
import ij.process.ByteProcessor;
import ij.process.ColorProcessor;
import ij.process.FloatProcessor;
import ij.process.ImageProcessor;
import ij.process.ShortProcessor;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Equalization of files by the command of the shell. */
class AheTaskTest {
    private static final int W = 40;
    private static final int H = 30;

    @TempDir
    Path folder;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(Interrupt interrupt, String... args) {
        System.setProperty("java.awt.headless", "true");
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Main.run(interrupt, new PrintWriter(out, true), new PrintWriter(err, true), args);
    }

    private int run(String input, String output, String... more) {
        String[] args = new String[5 + more.length];
        System.arraycopy(new String[] {"ahe", "--input", path(input), "--output", path(output)}, 0, args, 0, 5);
        System.arraycopy(more, 0, args, 5, more.length);
        return run(new Interrupt(), args);
    }

    private void assertFails(int code, String message, String input, String output, String... more) {
        assertEquals(code, run(input, output, more), err.toString());
        assertTrue(err.toString().contains(message), err.toString());
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    private static int[] values(ImageProcessor ip) {
        int[] values = new int[ip.getWidth() * ip.getHeight()];
        for (int i = 0; i < values.length; i++) {
            values[i] = ip.get(i) & 0xffffff;
        }
        return values;
    }

    @Test
    void picturesKeepTheirType() throws IOException {
        int[] grey = BruteEqualization.scene(W, H, 255, 1);
        ImageFiles.writePng(folder.resolve("8.png").toFile(), new ByteProcessor(W, H, BruteEqualization.bytes(grey)));
        assertEquals(0, run("8.png", "8.out.png", "--window", "13", "--limit", "3"), err.toString());
        ImagePlus result = IJ.openImage(path("8.out.png"));
        assertEquals(8, result.getBitDepth());
        assertArrayEquals(BruteEqualization.grey8(grey, W, 13, 3), values(result.getProcessor()));
        int[] deep = BruteEqualization.scene(W, H, 5000, 2);
        ImageFiles.writePng(folder.resolve("16.png").toFile(),
                new ShortProcessor(W, H, BruteEqualization.shorts(deep), null));
        assertEquals(0, run("16.png", "16.out.tif", "--window", "13", "--limit", "0"), err.toString());
        result = IJ.openImage(path("16.out.tif"));
        assertEquals(16, result.getBitDepth());
        assertArrayEquals(BruteEqualization.grey16(deep, W, 13, 0), values(result.getProcessor()));
        int[] colours = BruteEqualization.colours(W, H, 3);
        ImageFiles.writePng(folder.resolve("24.png").toFile(), new ColorProcessor(W, H, colours));
        assertEquals(0, run("24.png", "24.out.png", "--window", "13", "--limit", "0", "--backend", "CPU", "--threads", "2"));
        assertArrayEquals(BruteEqualization.rgb(colours, W, 13, 0), values(IJ.openImage(path("24.out.png")).getProcessor()));
        assertTrue(out.toString().contains("equalized   1 image, cpu ("), out.toString());
    }

    private void writeStack(String name, int frames) {
        ImageStack stack = new ImageStack(W, H);
        for (int i = 1; i <= frames; i++) {
            stack.addSlice("slice " + i, BruteEqualization.shorts(BruteEqualization.scene(W, H, 4000, i)));
        }
        ImagePlus image = new ImagePlus(name, stack);
        image.setDimensions(1, 1, frames);
        image.getCalibration().pixelWidth = 0.25;
        image.getCalibration().setUnit("mm");
        image.getCalibration().frameInterval = 0.04;
        image.setOverlay(new Overlay(new Roi(1, 2, 3, 4)));
        assertTrue(new FileSaver(image).saveAsTiff(path(name)));
    }

    @Test
    void stackKeepsItsMetadata() {
        writeStack("in.tif", 4);
        assertEquals(0, run("in.tif", "out.tif", "--window", "11", "--limit", "0"), err.toString());
        ImagePlus result = IJ.openImage(path("out.tif"));
        assertEquals(4, result.getStackSize());
        assertEquals(4, result.getNFrames());
        assertEquals(0.25, result.getCalibration().pixelWidth);
        assertEquals("mm", result.getCalibration().getUnit());
        assertEquals(0.04, result.getCalibration().frameInterval);
        assertEquals(65535, result.getDisplayRangeMax());
        assertEquals(1, result.getOverlay().size());
        for (int i = 1; i <= 4; i++) {
            assertEquals("slice " + i, result.getStack().getSliceLabel(i));
            assertArrayEquals(BruteEqualization.grey16(BruteEqualization.scene(W, H, 4000, i), W, 11, 0),
                    values(result.getStack().getProcessor(i)));
        }
    }

    @Test
    void singleTiffKeepsItsMetadata() {
        ImagePlus image = new ImagePlus("one", new ByteProcessor(W, H,
                BruteEqualization.bytes(BruteEqualization.scene(W, H, 255, 1))));
        image.getCalibration().pixelWidth = 0.25;
        image.getCalibration().setUnit("mm");
        assertTrue(new FileSaver(image).saveAsTiff(path("one.tif")));
        assertEquals(0, run("one.tif", "out.tif", "--window", "11", "--limit", "0"), err.toString());
        ImagePlus result = IJ.openImage(path("out.tif"));
        assertEquals(0.25, result.getCalibration().pixelWidth);
        assertEquals("mm", result.getCalibration().getUnit());
        assertArrayEquals(BruteEqualization.grey8(BruteEqualization.scene(W, H, 255, 1), W, 11, 0),
                values(result.getProcessor()));
        assertEquals(0, run("one.tif", "out.png", "--window", "11", "--limit", "0"), err.toString());
        assertArrayEquals(values(result.getProcessor()), values(IJ.openImage(path("out.png")).getProcessor()));
    }

    @Test
    void folderFileByFile() throws IOException {
        Files.createDirectory(folder.resolve("in"));
        for (int i = 1; i <= 3; i++) {
            ImageFiles.writePng(folder.resolve("in/f" + i + ".png").toFile(), new ByteProcessor(W + i, H,
                    BruteEqualization.bytes(BruteEqualization.scene(W + i, H, 255, i))));
        }
        writeStack("in/s.tif", 2);
        Files.write(folder.resolve("in/f2b.png"), new byte[50]);
        assertEquals(6, run("in", "out", "--window", "11", "--limit", "0"), err.toString());
        assertTrue(err.toString().contains("f2b.png cannot be read") && err.toString().contains("left out"),
                err.toString());
        assertTrue(out.toString().contains("4 of 5 files"), out.toString());
        for (int i = 1; i <= 3; i++) {
            assertArrayEquals(BruteEqualization.grey8(BruteEqualization.scene(W + i, H, 255, i), W + i, 11, 0),
                    values(IJ.openImage(path("out/f" + i + ".png")).getProcessor()));
        }
        assertEquals(2, IJ.openImage(path("out/s.tif")).getStackSize());
        assertFails(2, "must be another folder", "in", "in");
    }

    @Test
    void usage() throws IOException {
        writeStack("in.tif", 3);
        assertFails(2, "window 64: must be an odd number, 3..1023", "in.tif", "out.tif", "--window", "64");
        assertFails(2, "limit 1: must be 0, or a number above 1", "in.tif", "out.tif", "--limit", "1");
        assertFails(2, "must end in .tif", "in.tif", "out.png");
        ImageFiles.writePng(folder.resolve("in.png").toFile(), new ByteProcessor(W, H));
        assertFails(2, "must end in .png", "in.png", "out.gif");
        assertFails(3, "no such file or folder", "none.png", "out.png");
        assertTrue(new FileSaver(new ImagePlus("", new FloatProcessor(9, 9))).saveAsTiff(path("f.tif")));
        assertFails(3, "32-bit float", "f.tif", "out.tif");
        assertFalse(Files.exists(folder.resolve("out.tif")));
    }

    @Test
    void interruptedStackIsNotWritten() {
        writeStack("in.tif", 3);
        Interrupt interrupt = new Interrupt();
        interrupt.request();
        assertEquals(130, run(interrupt, "ahe", "--input", path("in.tif"), "--output", path("out.tif")));
        assertTrue(err.toString().contains("interrupted after 0 of 3 images"), err.toString());
        assertFalse(Files.exists(folder.resolve("out.tif")));
    }
}
