package endorama.plugin;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.cli.Main;
import endorama.core.exposures.TestExposures;
import ij.IJ;
import ij.ImagePlus;
import ij.ImageStack;
import ij.VirtualStack;
import ij.io.FileSaver;
import ij.macro.Interpreter;
import ij.measure.ResultsTable;
import ij.process.ByteProcessor;
import ij.process.ColorProcessor;
import ij.process.FloatProcessor;
import ij.process.ImageProcessor;
import ij.process.LUT;
import ij.process.ShortProcessor;
import java.awt.Color;
import java.awt.event.KeyEvent;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Align Exposures by its function for scripts, in a macro, and compared with the shell and Apply Transforms. */
@ExtendWith(BatchMode.class)
class ExposuresCommandTest {
    private static final int W = TestExposures.W;
    private static final int H = TestExposures.H;
    private static final int[][] POSITIONS = {{0, 0}, {4, -6}, {-9, 3}};
    private static final double[] GAINS = {0.5, 1, 2};

    @TempDir
    Path folder;

    /** bits: 8, 16 or 24. */
    private static ImagePlus bracket(int bits) {
        TestExposures scene = new TestExposures(5);
        ImageStack stack = new ImageStack(W, H);
        for (int i = 0; i < POSITIONS.length; i++) {
            int x = POSITIONS[i][0];
            int y = POSITIONS[i][1];
            ImageProcessor ip = bits == 8 ? new ByteProcessor(W, H, scene.grey(x, y, GAINS[i], 0.8))
                    : bits == 16 ? new ShortProcessor(W, H, scene.deep(x, y, GAINS[i], 0.8), null)
                    : new ColorProcessor(W, H, scene.colour(x, y, GAINS[i], 0.8));
            stack.addSlice("exposure " + (i + 1) + "\ngain " + GAINS[i], ip);
        }
        return new ImagePlus("bracket.tif", stack);
    }

    /** Labels of a range are not those of the first slices of the stack. */
    @Test
    void labelsAreThoseOfTheFramesThatWereTaken() throws Exception {
        ImageStack stack = ExposuresCommand.exec(bracket(8), "frames=2-3").aligned().getStack();
        assertEquals(2, stack.getSize());
        assertEquals("exposure 2\ngain 1.0", stack.getSliceLabel(1));
        assertTrue(stack.getSliceLabel(2).startsWith("exposure 3"));
        ImagePlus nameless = bracket(8);
        nameless.getStack().setSliceLabel(null, 3);
        assertEquals("frame 3", ExposuresCommand.exec(nameless, "frames=2-3").aligned().getStack().getSliceLabel(2));
        assertNull(ExposuresCommand.exec(nameless, "").aligned().getStack().getSliceLabel(3));
    }

    @Test
    void everyTypeKeepsWhatTheUserSet() throws Exception {
        for (int bits : new int[] {8, 16, 24}) {
            ImagePlus image = bracket(bits);
            image.getCalibration().pixelWidth = 0.5;
            image.getCalibration().setUnit("mm");
            image.setDimensions(1, 1, 3);
            if (bits != 24) {
                image.getProcessor().setLut(LUT.createLutFromColor(Color.RED));
                image.getStack().setColorModel(LUT.createLutFromColor(Color.RED));
                image.setDisplayRange(3, 90);
            }
            ImagePlus before = image.duplicate();
            ExposuresOutput output = ExposuresCommand.exec(image, "");
            CommandsTest.assertSamePixels(before, image);
            ImagePlus aligned = output.aligned();
            assertEquals("bracket aligned", aligned.getTitle());
            assertEquals(bits, aligned.getBitDepth());
            assertEquals(3, aligned.getNFrames());
            assertEquals("mm", aligned.getCalibration().getUnit());
            assertEquals("exposure 2\ngain 1.0", aligned.getStack().getSliceLabel(2));
            assertTrue(aligned.getInfoProperty().contains("3 of 3 frames aligned"));
            assertMoved(image, aligned, 0, 0);
            if (bits != 24) {
                assertEquals(90, aligned.getDisplayRangeMax());
                assertEquals(LUT.createLutFromColor(Color.RED).getRGB(200), aligned.getProcessor().getLut().getRGB(200));
            }
            ImagePlus cropped = ExposuresCommand.exec(image, "output=[Crop to common]").aligned();
            assertEquals(W - 4 - 9, cropped.getWidth());
            assertEquals(H - 3 - 6, cropped.getHeight());
            assertEquals(-4, cropped.getCalibration().xOrigin);
            assertEquals(-3, cropped.getCalibration().yOrigin);
            assertMoved(image, cropped, 4, 3);
        }
    }

    /** Every pixel lies where the true pose of its frame takes it, and is 0 where the frame shows nothing. */
    private static void assertMoved(ImagePlus image, ImagePlus aligned, int left, int top) {
        for (int i = 0; i < POSITIONS.length; i++) {
            ImageProcessor from = image.getStack().getProcessor(i + 1);
            ImageProcessor to = aligned.getStack().getProcessor(i + 1);
            int[] expected = new int[to.getWidth() * to.getHeight()];
            int[] found = new int[expected.length];
            for (int k = 0; k < expected.length; k++) {
                int x = left + k % to.getWidth() - POSITIONS[i][0];
                int y = top + k / to.getWidth() - POSITIONS[i][1];
                expected[k] = x < 0 || y < 0 || x >= W || y >= H ? 0 : from.get(x, y);
                found[k] = to.get(k);
            }
            assertArrayEquals(expected, found, "frame " + (i + 1));
        }
    }

    @Test
    void tableHasARowForEachFrame() throws Exception {
        ExposuresOutput output = ExposuresCommand.exec(bracket(8), "output=[Transforms only] table=["
                + folder.resolve("shifts.csv") + "]");
        assertNull(output.aligned());
        ResultsTable table = output.table();
        assertEquals(3, table.size());
        assertEquals(-13, table.getValue("dx", 2));
        assertEquals(9, table.getValue("dy", 2));
        assertEquals(-9, table.getValue("x", 2));
        assertEquals(2, table.getValue("reference", 2));
        assertEquals("ok", table.getStringValue("status", 2));
        List<String> lines = Files.readAllLines(folder.resolve("shifts.csv"));
        assertEquals("frame,reference,dx,dy,x,y,peak,certainty,mismatch,usable,predicted,status,registered,backend",
                lines.get(0));
        assertTrue(lines.get(2).startsWith("2,1,4.0,-6.0,4.0,-6.0,"), lines.get(2));
    }

    @Test
    void applyTransformsGivesTheSamePixels() throws Exception {
        for (String options : new String[] {"", "subpixel", "reference=Middle subpixel"}) {
            for (String name : new String[] {"t.csv", "t.json"}) {
                String file = " transforms=[" + folder.resolve(name) + "]";
                ImagePlus aligned = ExposuresCommand.exec(bracket(24), options + file).aligned();
                ImagePlus applied = ApplyCommand.exec(bracket(24), "mode=[Aligned stack] field=Whole rim=0" + file);
                CommandsTest.assertSamePixels(applied, aligned);
            }
        }
    }

    @Test
    void virtualStackIsReadSliceBySlice() throws Exception {
        ImagePlus frames = bracket(16);
        int[] asked = new int[1];
        ImagePlus lazy = new ImagePlus("lazy", new LazyStack(frames, n -> asked[0]++) {
            @Override
            public Object[] getImageArray() {
                throw new AssertionError("all slices at once");
            }
        });
        asked[0] = 0;
        CommandsTest.assertSamePixels(ExposuresCommand.exec(frames, "").aligned(),
                ExposuresCommand.exec(lazy, "").aligned());
        // Reads for the field of view, for aligning, for moving; and the first for its colours and display range.
        assertTrue(asked[0] <= 3 * 3 + 3, "read " + asked[0]);
    }

    @Test
    void macroLineGivesTheSameAndIsNamedWhenWrong() throws Exception {
        ImagePlus expected = ExposuresCommand.exec(bracket(8), "search=32 output=[Crop to common] bins=256").aligned();
        ImagePlus found = inMacro(bracket(8), "search=32 output=[crop to common] bins=256 ");
        CommandsTest.assertSamePixels(expected, found);
        assertTrue(message(() -> ExposuresCommand.exec(bracket(8), "search=513")).startsWith("search 513: must be"));
        assertTrue(message(() -> ExposuresCommand.exec(bracket(8), "reference=4")).equals(
                "reference 4: there are 3 frames"));
        assertTrue(message(() -> ExposuresCommand.exec(bracket(8), "radius=4")).startsWith("radius: unknown option"));
    }

    /** The image that the menu's command shows; null if none. */
    private static ImagePlus inMacro(ImagePlus image, String options) throws Exception {
        BatchMode.open(image);
        InMacro.call(options, () -> {
            new ExposuresCommand().run("");
            return null;
        });
        assertFalse(image.isLocked());
        ImagePlus last = Interpreter.getLastBatchModeImage();
        return last == image ? null : last;
    }

    @Test
    void shellGivesTheSame() throws Exception {
        String stack = folder.resolve("stack.tif").toString();
        ImagePlus image = bracket(16);
        image.getCalibration().pixelWidth = 0.25;
        image.getCalibration().setUnit("mm");
        assertTrue(new FileSaver(image).saveAsTiffStack(stack));
        StringWriter errors = new StringWriter();
        assertEquals(0, Main.run(new PrintWriter(new StringWriter()), new PrintWriter(errors, true), "exposures",
                "--input", stack, "--output", folder.resolve("aligned.tif").toString(), "--mode", "crop to common",
                "--subpixel", "--search", "20", "--transforms", folder.resolve("shell.csv").toString(), "--table",
                folder.resolve("shell.table.csv").toString()), errors.toString());
        ImagePlus aligned = ExposuresCommand.exec(image, "output=[Crop to common] subpixel search=20 transforms=["
                + folder.resolve("script.csv") + "] table=[" + folder.resolve("script.table.csv") + "]").aligned();
        ImagePlus saved = IJ.openImage(folder.resolve("aligned.tif").toString());
        for (int i = 1; i <= 3; i++) {
            assertArrayEquals((short[]) aligned.getStack().getPixels(i), (short[]) saved.getStack().getPixels(i));
            assertEquals(image.getStack().getSliceLabel(i), saved.getStack().getSliceLabel(i));
        }
        assertEquals("mm", saved.getCalibration().getUnit());
        assertEquals(aligned.getCalibration().xOrigin, saved.getCalibration().xOrigin);
        assertEquals(Files.readAllLines(folder.resolve("script.csv")), Files.readAllLines(folder.resolve("shell.csv")));
        assertEquals(Files.readAllLines(folder.resolve("script.table.csv")),
                Files.readAllLines(folder.resolve("shell.table.csv")));
    }

    @Test
    void unusableImagesAreNamed() {
        ImageStack floats = new ImageStack(64, 64);
        floats.addSlice(new FloatProcessor(64, 64));
        floats.addSlice(new FloatProcessor(64, 64));
        assertTrue(message(() -> ExposuresCommand.exec(new ImagePlus("floats", floats), "")).contains("32-bit"));
        ImagePlus single = new ImagePlus("single", new ColorProcessor(64, 64));
        assertTrue(message(() -> ExposuresCommand.exec(single, "")).contains("single is a single image"));
    }

    @Test
    void blackFramesAreAnErrorThatSaysWhy() throws Exception {
        ImageStack black = new ImageStack(64, 48);
        black.addSlice(new ByteProcessor(64, 48));
        black.addSlice(new ByteProcessor(64, 48));
        assertNull(ExposuresCommand.exec(new ImagePlus("black", black), "").aligned());
        assertNull(inMacro(new ImagePlus("black", black), "table=[" + folder.resolve("t.csv") + "] "));
        String error = String.valueOf(IJ.getErrorMessage());
        assertEquals(3, Files.readAllLines(folder.resolve("t.csv")).size());
        assertTrue(error.contains("frames 1-2 (no content)"), error);
    }

    /** Escape while shifts are computed keeps the table; while frames are moved, those moved so far. */
    @Test
    void escapeKeepsWhatIsDone() throws Exception {
        TestExposures scene = new TestExposures(3);
        List<byte[]> frames = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            frames.add(scene.grey(i % 5, -(i % 3), 0.6 + 0.1 * (i % 7), 1));
        }
        // Slice n - 100 is not sampled for the field of view; it is read some slices ahead.
        int n = 600;
        AtomicBoolean seeking = new AtomicBoolean(true);
        ImagePlus image = new ImagePlus("long", new VirtualStack(W, H, n) {
            @Override
            public ImageProcessor getProcessor(int k) {
                if (k == n - 100 && seeking.get()) {
                    IJ.setKeyDown(KeyEvent.VK_ESCAPE);
                }
                return new ByteProcessor(W, H, frames.get(k % 20).clone());
            }

            /** Called when the slice is moved. */
            @Override
            public String getSliceLabel(int k) {
                if (k == n - 100 && !seeking.get()) {
                    IJ.setKeyDown(KeyEvent.VK_ESCAPE);
                }
                return null;
            }
        });
        String table = "table=[" + folder.resolve("t.csv") + "] ";
        assertNull(inMacro(image, table));
        int rows = Files.readAllLines(folder.resolve("t.csv")).size() - 1;
        assertTrue(rows > 0 && rows <= n - 100, "rows " + rows);
        seeking.set(false);
        ImagePlus aligned = inMacro(image, table);
        assertEquals(n, Files.readAllLines(folder.resolve("t.csv")).size() - 1);
        assertNotNull(aligned);
        assertEquals(n - 100, aligned.getStackSize());
    }

    private static String message(org.junit.jupiter.api.function.Executable body) {
        return String.valueOf(assertThrows(Exception.class, body).getMessage());
    }
}
