package endorama.plugin;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.cli.Main;
import endorama.core.transforms.TestViews;
import endorama.core.transforms.Transform;
import ij.IJ;
import ij.ImagePlus;
import ij.ImageStack;
import ij.VirtualStack;
import ij.gui.Line;
import ij.gui.OvalRoi;
import ij.gui.Roi;
import ij.io.FileSaver;
import ij.macro.Interpreter;
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
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Register Rotation and Scale by its function for scripts, in a macro, and compared with the shell and Apply Transforms. */
@ExtendWith(BatchMode.class)
class FourierCommandTest {
    private static final int W = 160;
    private static final int H = 128;
    private static final Transform[] POSES = {Transform.IDENTITY, TestViews.map(25, 1.1, 6, -9, W, H),
        TestViews.map(100, 0.9, -8, 4, W, H)};

    @TempDir
    Path folder;

    private static ImageProcessor view(Transform pose, int bits, int width, int height) {
        TestViews scene = new TestViews(5);
        return bits == 8 ? new ByteProcessor(width, height, scene.grey(pose, width, height))
                : bits == 16 ? new ShortProcessor(width, height, scene.deep(pose, width, height), null)
                : new ColorProcessor(width, height, scene.colour(pose, width, height));
    }

    /** bits: 8, 16 or 24. */
    private static ImagePlus stack(int bits) {
        ImageStack stack = new ImageStack(W, H);
        for (int i = 0; i < POSES.length; i++) {
            stack.addSlice("view " + (i + 1), view(POSES[i], bits, W, H));
        }
        return new ImagePlus("views.tif", stack);
    }

    @Test
    void everyTypeKeepsWhatTheUserSet() throws Exception {
        for (int bits : new int[] {8, 16, 24}) {
            ImagePlus image = stack(bits);
            image.getCalibration().pixelWidth = 0.5;
            image.getCalibration().setUnit("mm");
            image.setDimensions(1, 1, 3);
            if (bits != 24) {
                image.getProcessor().setLut(LUT.createLutFromColor(Color.RED));
                image.getStack().setColorModel(LUT.createLutFromColor(Color.RED));
                image.setDisplayRange(3, 90);
            }
            ImagePlus before = image.duplicate();
            FourierOutput output = FourierCommand.exec(image, "");
            CommandsTest.assertSamePixels(before, image);
            ImagePlus aligned = output.image();
            assertEquals("views aligned", aligned.getTitle());
            assertEquals(bits, aligned.getBitDepth());
            assertEquals(3, aligned.getNFrames());
            assertEquals("mm", aligned.getCalibration().getUnit());
            assertEquals("view 2", aligned.getStack().getSliceLabel(2));
            assertTrue(aligned.getInfoProperty().contains("3 of 3 frames registered"));
            assertAligned(image.getStack().getProcessor(1), aligned);
            if (bits != 24) {
                assertEquals(90, aligned.getDisplayRangeMax());
            }
            assertEquals(24, FourierCommand.exec(image, "output=Overlay").image().getBitDepth());
            assertNull(FourierCommand.exec(image, "output=[Transforms only]").image());
        }
    }

    /** In the middle, every slice equals the first one up to interpolation. */
    private static void assertAligned(ImageProcessor first, ImagePlus aligned) {
        for (int i = 1; i <= aligned.getStackSize(); i++) {
            double sum = 0;
            for (int y = H / 2 - 20; y < H / 2 + 20; y++) {
                for (int x = W / 2 - 20; x < W / 2 + 20; x++) {
                    double a = first.getBitDepth() == 24 ? first.get(x, y) >> 16 & 255 : first.get(x, y);
                    int b = aligned.getStack().getProcessor(i).get(x, y);
                    double scale = first.getBitDepth() == 16 ? 156 : 1;
                    sum += Math.abs(a - (first.getBitDepth() == 24 ? b >> 16 & 255 : b)) / scale;
                }
            }
            assertTrue(sum / 1600 < 6, "slice " + i + " differs by " + sum / 1600);
        }
    }

    @Test
    void tableHasARowForEachFrame() throws Exception {
        FourierOutput output = FourierCommand.exec(stack(8), "reference=First table=[" + folder.resolve("t.csv") + "]");
        assertEquals(3, output.table().size());
        assertEquals(25, output.table().getValue("angle", 1), 0.1);
        assertEquals("ok", output.table().getStringValue("status", 2));
        List<String> lines = Files.readAllLines(folder.resolve("t.csv"));
        assertEquals("frame,reference,angle,scale,dx,dy,peak,ratio,overlap,ncc,status,registered,backend", lines.get(0));
        assertTrue(lines.get(2).startsWith("2,1,") && lines.get(2).endsWith(",ok,1,cpu"), lines.get(2));
    }

    @Test
    void applyTransformsGivesTheSamePixels() throws Exception {
        for (String name : new String[] {"t.csv", "t.json"}) {
            String file = " transforms=[" + folder.resolve(name) + "]";
            ImagePlus aligned = FourierCommand.exec(stack(24), file).image();
            CommandsTest.assertSamePixels(ApplyCommand.exec(stack(24), "mode=[Aligned stack] field=Whole rim=0" + file),
                    aligned);
        }
    }

    /** The image that the menu's command shows, with other images open; null if none. */
    private static ImagePlus inMacro(ImagePlus image, String options, ImagePlus... others) throws Exception {
        BatchMode.open(image, others);
        InMacro.call(options, () -> {
            new FourierCommand().run("");
            return null;
        });
        assertFalse(image.isLocked());
        ImagePlus last = Interpreter.getLastBatchModeImage();
        return last == image ? null : last;
    }

    private int shell(StringWriter errors, String... args) {
        return Main.run(new PrintWriter(new StringWriter()), new PrintWriter(errors, true), args);
    }

    @Test
    void macroFunctionAndShellGiveTheSame() throws Exception {
        String input = folder.resolve("stack.tif").toString();
        String output = folder.resolve("aligned.tif").toString();
        assertTrue(new FileSaver(stack(16)).saveAsTiffStack(input));
        for (String mode : new String[] {"Aligned stack", "Overlay"}) {
            String options = "reference=2 refine=false candidates=3 window=Hann output=[" + mode + "]";
            ImagePlus expected = FourierCommand.exec(stack(16), options + " transforms=[" + folder.resolve("a.csv")
                    + "] table=[" + folder.resolve("ta.csv") + "]").image();
            assertSameNumbers(expected, inMacro(stack(16), options + " "));
            BatchMode.end();
            StringWriter errors = new StringWriter();
            assertEquals(0, shell(errors, "fourier", "--input", input, "--output", output, "--mode", mode, "--reference",
                    "2", "--no-refine", "--candidates", "3", "--window", "Hann", "--transforms",
                    folder.resolve("b.csv").toString(), "--table", folder.resolve("tb.csv").toString()),
                    errors.toString());
            assertSameNumbers(expected, IJ.openImage(output));
            assertEquals(Files.readAllLines(folder.resolve("a.csv")), Files.readAllLines(folder.resolve("b.csv")));
            assertEquals(Files.readAllLines(folder.resolve("ta.csv")), Files.readAllLines(folder.resolve("tb.csv")));
        }
    }

    /** Compares values, whatever the display range. */
    private static void assertSameNumbers(ImagePlus one, ImagePlus other) {
        assertEquals(one.getStackSize(), other.getStackSize());
        assertEquals(one.getBitDepth(), other.getBitDepth());
        for (int i = 1; i <= one.getStackSize(); i++) {
            ImageProcessor a = one.getStack().getProcessor(i);
            ImageProcessor b = other.getStack().getProcessor(i);
            for (int k = 0; k < a.getPixelCount(); k++) {
                assertEquals(a.get(k) & 0xffffff, b.get(k) & 0xffffff);
            }
        }
    }

    /** An image onto another one, of another size and type, in all three ways. */
    @Test
    void otherImageIsTakenByItsTitle() throws Exception {
        ImagePlus image = new ImagePlus("moved", view(POSES[1], 8, W, H));
        ImagePlus onto = new ImagePlus("first one", view(Transform.IDENTITY, 24, 200, 150));
        onto.getCalibration().setUnit("mm");
        ImagePlus expected = FourierCommand.exec(image, onto, "").image();
        assertEquals(200, expected.getWidth());
        assertEquals(8, expected.getBitDepth());
        assertEquals("mm", expected.getCalibration().getUnit());
        assertTrue(expected.getInfoProperty().contains("of moved onto first one"), expected.getInfoProperty());
        CommandsTest.assertSamePixels(expected, inMacro(image, "onto=[first one] ", onto));
        IJ.getErrorMessage();
        assertNull(inMacro(image, "onto=[second one] "));
        assertTrue(IJ.getErrorMessage().contains("no other open image has this title"));
        assertNull(inMacro(image, "onto=[first one] ", new ImagePlus("first one", new ByteProcessor(20, 20))));
        assertTrue(IJ.getErrorMessage().contains("several open images have this title"));
        assertNull(inMacro(image, ""));
        assertTrue(IJ.getErrorMessage().contains("moved is a single image"));
        String a = folder.resolve("a.png").toString();
        String b = folder.resolve("b.png").toString();
        assertTrue(new FileSaver(onto).saveAsPng(a) && new FileSaver(image).saveAsPng(b));
        StringWriter errors = new StringWriter();
        assertEquals(0, shell(errors, "fourier", "--input", a, b, "--output", folder.resolve("o.tif").toString()),
                errors.toString());
        CommandsTest.assertSamePixels(expected, IJ.openImage(folder.resolve("o.tif").toString()));
    }

    @Test
    void selectionIsAllThatIsCompared() throws Exception {
        ImagePlus image = stack(8);
        image.setRoi(new Roi(40, 24, 90, 84));
        double[] part = FourierCommand.exec(image, "").result().rows().get(1).transform.affine();
        double[] whole = FourierCommand.exec(stack(8), "").result().rows().get(1).transform.affine();
        for (int i = 0; i < 6; i++) {
            assertEquals(whole[i], part[i], i % 3 == 2 ? 1 : 0.01);
        }
        assertFalse(java.util.Arrays.equals(whole, part));
        image.setRoi(new OvalRoi(20, 4, 120, 120));
        assertEquals(3, FourierCommand.exec(image, "").result().registered());
        image.setRoi(new Line(3, 3, 50, 50));
        assertArrayEquals(whole, FourierCommand.exec(image, "").result().rows().get(1).transform.affine());
        image.setRoi(new Roi(500, 500, 20, 20));
        assertTrue(message(() -> FourierCommand.exec(image, "")).contains("the selection lies outside views.tif"));
    }

    @Test
    void unusableInputIsNamed() throws Exception {
        assertTrue(message(() -> FourierCommand.exec(stack(8), "scale=9")).startsWith("scale 9: must be"));
        assertTrue(message(() -> FourierCommand.exec(stack(8), "reference=4")).equals("reference 4: there are 3 frames"));
        assertTrue(message(() -> FourierCommand.exec(stack(8), "onto=[nobody]")).startsWith("onto nobody: no other open"));
        ImageStack floats = new ImageStack(64, 64);
        floats.addSlice(new FloatProcessor(64, 64));
        floats.addSlice(new FloatProcessor(64, 64));
        assertTrue(message(() -> FourierCommand.exec(new ImagePlus("floats", floats), "")).contains("32-bit"));
        IJ.getErrorMessage();
        ImageStack black = new ImageStack(64, 48);
        black.addSlice(new ByteProcessor(64, 48));
        black.addSlice(new ByteProcessor(64, 48));
        assertNull(inMacro(new ImagePlus("black", black), "table=[" + folder.resolve("t.csv") + "] "));
        assertTrue(IJ.getErrorMessage().contains("nothing of black could be registered: 0 of 2 frames registered; not"
                + " registered: frames 1-2 (no content)"));
        assertEquals(3, Files.readAllLines(folder.resolve("t.csv")).size());
    }

    @Test
    void labelsAreThoseOfTheFramesThatWereTaken() throws Exception {
        ImageStack stack = FourierCommand.exec(stack(8), "frames=1-3:2").image().getStack();
        assertEquals(2, stack.getSize());
        assertTrue(stack.getSliceLabel(2).endsWith("view 3"), stack.getSliceLabel(2));
        assertTrue(stack.getSliceLabel(1).endsWith("view 1"), stack.getSliceLabel(1));
    }

    /** A slice that is not registered is black and has a label that says so. */
    @Test
    void labelSaysWhyASliceIsBlack() throws Exception {
        ImagePlus image = stack(8);
        image.getStack().setPixels(new TestViews(77).grey(Transform.IDENTITY, W, H), 2);
        ImagePlus aligned = FourierCommand.exec(image, "").image();
        assertEquals("low certainty: view 2", aligned.getStack().getSliceLabel(2));
        assertArrayEquals(new byte[W * H], (byte[]) aligned.getStack().getPixels(2));
        assertAligned(image.getStack().getProcessor(1), new ImagePlus("", aligned.getStack().getProcessor(3)));
    }

    /** Escape while pairs are registered keeps the table; while frames are moved, those moved so far. */
    @Test
    void escapeKeepsWhatIsDone() throws Exception {
        // Slice n - 8 is not sampled for the field of view; it is read some slices ahead.
        int n = 64;
        ImageStack views = stack(8).getStack();
        AtomicBoolean seeking = new AtomicBoolean(true);
        ImagePlus image = new ImagePlus("long", new VirtualStack(W, H, n) {
            @Override
            public ImageProcessor getProcessor(int k) {
                if (k == n - 8 && seeking.get()) {
                    IJ.setKeyDown(KeyEvent.VK_ESCAPE);
                }
                return views.getProcessor(1 + k % 3).duplicate();
            }

            /** Called when the slice is moved. */
            @Override
            public String getSliceLabel(int k) {
                if (k == n - 8 && !seeking.get()) {
                    IJ.setKeyDown(KeyEvent.VK_ESCAPE);
                }
                return null;
            }
        });
        String table = "table=[" + folder.resolve("t.csv") + "] ";
        assertNull(inMacro(image, table));
        int rows = Files.readAllLines(folder.resolve("t.csv")).size() - 1;
        assertTrue(rows > 0 && rows <= n - 8, "rows " + rows);
        seeking.set(false);
        ImagePlus aligned = inMacro(image, table);
        assertEquals(n, Files.readAllLines(folder.resolve("t.csv")).size() - 1);
        assertNotNull(aligned);
        assertEquals(n - 8, aligned.getStackSize());
    }

    private static String message(org.junit.jupiter.api.function.Executable body) {
        return String.valueOf(assertThrows(Exception.class, body).getMessage());
    }
}
