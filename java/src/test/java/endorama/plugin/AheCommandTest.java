package endorama.plugin;

import static endorama.plugin.CommandsTest.assertSamePixels;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.cli.Main;
import endorama.core.BruteEqualization;
import endorama.core.EqualizeParameters;
import endorama.core.options.Commands;
import ij.process.LUT;
import ij.CompositeImage;
import ij.IJ;
import ij.ImageListener;
import ij.ImagePlus;
import ij.ImageStack;
import ij.Undo;
import ij.VirtualStack;
import ij.WindowManager;
import ij.gui.OvalRoi;
import ij.gui.Roi;
import ij.io.FileSaver;
import ij.macro.Interpreter;
import ij.measure.Calibration;
import ij.plugin.filter.PlugInFilterRunner;
import ij.process.ByteProcessor;
import ij.process.ColorProcessor;
import ij.process.FloatProcessor;
import ij.process.ImageConverter;
import ij.process.ImageProcessor;
import ij.process.ShortProcessor;
import java.awt.event.KeyEvent;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The filter as the menu runs it, on the current image, in batch mode; expected pixels are counted by hand. */
class AheCommandTest {
    private static final int W = 48;
    private static final int H = 36;
    private static final int[] GREY = BruteEqualization.scene(W, H, 255, 1);

    @TempDir
    Path folder;

    @BeforeEach
    void batchMode() {
        Interpreter.batchMode = true;
    }

    @AfterEach
    void clean() {
        WindowManager.setTempCurrentImage(null);
        while (Interpreter.getBatchModeImageCount() > 0) {
            Interpreter.removeBatchModeImage(Interpreter.getLastBatchModeImage());
        }
        Interpreter.batchMode = false;
        IJ.resetEscape();
    }

    /** What IJ.run does once it has found the command in the menus, which need a display. */
    private static void run(ImagePlus image, String options) throws Exception {
        Interpreter.addBatchModeImage(image);
        WindowManager.setTempCurrentImage(image);
        InMacro.call(options, () -> new PlugInFilterRunner(new AheCommand(), Commands.AHE.title(), ""));
        assertFalse(image.isLocked());
    }

    private static ImagePlus grey() {
        return new ImagePlus("grey", new ByteProcessor(W, H, BruteEqualization.bytes(GREY)));
    }

    private static int[] values(ImageProcessor ip) {
        int[] values = new int[ip.getWidth() * ip.getHeight()];
        for (int i = 0; i < values.length; i++) {
            values[i] = ip.get(i) & 0xffffff;
        }
        return values;
    }

    private static ImagePlus stack(int slices) {
        ImageStack stack = new ImageStack(W, H);
        for (int i = 1; i <= slices; i++) {
            stack.addSlice("slice " + i, BruteEqualization.bytes(BruteEqualization.scene(W, H, 255, i)));
        }
        return new ImagePlus("stack", stack);
    }

    private static int[] expected(int slice, int window) {
        return BruteEqualization.grey8(BruteEqualization.scene(W, H, 255, slice), W, window, 0);
    }

    @Test
    void greyImageInPlaceAndBack() throws Exception {
        ImagePlus image = grey();
        Calibration calibration = new Calibration();
        calibration.pixelWidth = 0.5;
        calibration.setUnit("mm");
        image.setCalibration(calibration);
        image.setDisplayRange(20, 180);
        run(image, "window=15 limit=0 ");
        assertArrayEquals(BruteEqualization.grey8(GREY, W, 15, 0), values(image.getProcessor()));
        assertEquals("mm", image.getCalibration().getUnit());
        assertEquals(180, image.getDisplayRangeMax());
        assertTrue(image.changes);
        WindowManager.setTempCurrentImage(image);
        Undo.undo();
        assertArrayEquals(GREY, values(image.getProcessor()));
    }

    @Test
    void limitAndMethodAreTaken() throws Exception {
        ImagePlus image = grey();
        run(image, "window=15 limit=2.5 ");
        assertArrayEquals(BruteEqualization.grey8(GREY, W, 15, 2.5), values(image.getProcessor()));
        ImagePlus global = grey();
        run(global, "method=Global limit=0 ");
        int[] expected = new int[GREY.length];
        for (int i = 0; i < expected.length; i++) {
            int pixel = GREY[i];
            expected[i] = (int) (255L * Arrays.stream(GREY).filter(v -> v <= pixel).count() / GREY.length);
        }
        assertArrayEquals(expected, values(global.getProcessor()));
    }

    @Test
    void rectangleAndOvalAreEqualizedAlone() throws Exception {
        int[] whole = BruteEqualization.grey8(GREY, W, 9, 0);
        for (Roi roi : new Roi[] {new Roi(5, 6, 30, 20), new OvalRoi(5, 6, 30, 20), new Roi(-10, -10, 20, 100)}) {
            ImagePlus image = grey();
            image.setRoi(roi);
            run(image, "window=9 limit=0 ");
            ImagePlus script = grey();
            script.setRoi((Roi) roi.clone());
            AheCommand.exec(script, "window=9 limit=0");
            assertSamePixels(image, script);
            int changed = 0;
            for (int i = 0; i < GREY.length; i++) {
                boolean inside = roi.contains(i % W, i / W);
                assertEquals(inside ? whole[i] : GREY[i], image.getProcessor().get(i), roi + " " + i % W + " " + i / W);
                changed += inside ? 1 : 0;
            }
            assertTrue(changed > 100 && changed < GREY.length);
        }
    }

    @Test
    void colourKeepsItsHue() throws Exception {
        int[] colours = BruteEqualization.colours(W, H, 5);
        ImagePlus image = new ImagePlus("colours", new ColorProcessor(W, H, colours.clone()));
        run(image, "window=15 limit=2 ");
        int[] out = values(image.getProcessor());
        assertArrayEquals(BruteEqualization.rgb(colours, W, 15, 2), out);
        int unclipped = 0;
        for (int i = 0; i < out.length; i++) {
            int red = (out[i] >> 16) - (colours[i] >> 16);
            int green = (out[i] >> 8 & 255) - (colours[i] >> 8 & 255);
            int blue = (out[i] & 255) - (colours[i] & 255);
            boolean clipped = false;
            for (int at = 0; at <= 16; at += 8) {
                int value = out[i] >> at & 255;
                clipped |= value == 0 || value == 255;
            }
            if (!clipped) {
                assertEquals(red, green);
                assertEquals(green, blue);
                unclipped++;
            }
        }
        assertTrue(unclipped > out.length / 4, unclipped + " of " + out.length);
    }

    @Test
    void deepImageIsShownWhole() throws Exception {
        int[] deep = BruteEqualization.scene(W, H, 3000, 7);
        ImagePlus image = new ImagePlus("deep", new ShortProcessor(W, H, BruteEqualization.shorts(deep), null));
        image.setDisplayRange(100, 2000);
        run(image, "window=21 limit=0 ");
        assertArrayEquals(BruteEqualization.grey16(deep, W, 21, 0), values(image.getProcessor()));
        assertEquals(0, image.getDisplayRangeMin());
        assertEquals(65535, image.getDisplayRangeMax());
        undo(image);
        assertArrayEquals(deep, values(image.getProcessor()));
        assertEquals(100, image.getDisplayRangeMin());
        assertEquals(2000, image.getDisplayRangeMax());
        undo(image);
        assertArrayEquals(BruteEqualization.grey16(deep, W, 21, 0), values(image.getProcessor()));
        assertEquals(65535, image.getDisplayRangeMax());
    }

    private static void undo(ImagePlus image) {
        WindowManager.setTempCurrentImage(image);
        Undo.undo();
        updated(image);
    }

    /** What ImageJ tells of an image that has a window. */
    private static void updated(ImagePlus image) {
        for (Object listener : ImagePlus.getListeners().toArray()) {
            ((ImageListener) listener).imageUpdated(image);
        }
    }

    /** A range that the user chose since then stays, and other pixels end it. */
    @Test
    void displayThatWasChangedByHandStays() throws Exception {
        int[] deep = BruteEqualization.scene(W, H, 3000, 7);
        ImagePlus image = new ImagePlus("deep", new ShortProcessor(W, H, BruteEqualization.shorts(deep), null));
        image.setDisplayRange(100, 2000);
        run(image, "window=21 limit=0 ");
        image.setDisplayRange(5, 4000);
        updated(image);
        assertEquals(4000, image.getDisplayRangeMax());
        image.getProcessor().set(0, 0, 17);
        updated(image);
        image.getProcessor().setPixels(BruteEqualization.shorts(deep));
        image.setDisplayRange(5, 4000);
        updated(image);
        assertEquals(4000, image.getDisplayRangeMax());
    }

    /** Of 0..65535 the rest of the image would be black. */
    @Test
    void deepSelectionGoesIntoTheRangeOfTheImage() throws Exception {
        int[] deep = BruteEqualization.scene(W, H, 3000, 7);
        ImagePlus image = new ImagePlus("deep", new ShortProcessor(W, H, BruteEqualization.shorts(deep), null));
        image.setDisplayRange(100, 2000);
        image.setRoi(new OvalRoi(4, 4, 40, 30));
        run(image, "window=21 limit=0 ");
        int[] whole = BruteEqualization.grey16(deep, W, 21, 0);
        int low = Arrays.stream(deep).min().getAsInt();
        int high = Arrays.stream(deep).max().getAsInt();
        int[] out = values(image.getProcessor());
        for (int i = 0; i < out.length; i++) {
            long mapped = low + Math.round((double) whole[i] * (high - low) / 65535);
            assertEquals(image.getRoi().contains(i % W, i / W) ? mapped : deep[i], out[i]);
        }
        assertEquals(100, image.getDisplayRangeMin());
        assertEquals(2000, image.getDisplayRangeMax());
        WindowManager.setTempCurrentImage(image);
        Undo.undo();
        assertArrayEquals(deep, values(image.getProcessor()));
    }

    /** Every channel, in place and where a virtual stack goes to a new image. */
    @Test
    void everyChannelIsShownWhole() {
        ImageStack stack = new ImageStack(W, H);
        for (int i = 0; i < 2; i++) {
            stack.addSlice(new ShortProcessor(W, H, BruteEqualization.shorts(BruteEqualization.scene(W, H, 900, i)), null));
        }
        ImagePlus image = new ImagePlus("deep", stack);
        image.setDimensions(2, 1, 1);
        CompositeImage coloured = new CompositeImage(image, CompositeImage.COMPOSITE);
        for (int channel = 1; channel <= 2; channel++) {
            coloured.setC(channel);
            coloured.setDisplayRange(10 * channel, 500);
        }
        AheCommand.exec(coloured, "window=11 limit=0 stack");
        for (LUT channel : coloured.getLuts()) {
            assertEquals(0, channel.min);
            assertEquals(65535, channel.max);
        }
    }

    @Test
    void stackOrSlice() throws Exception {
        ImagePlus one = stack(3);
        one.setSlice(2);
        run(one, "window=11 limit=0 ");
        ImagePlus every = stack(3);
        run(every, "window=11 limit=0 stack ");
        for (int i = 1; i <= 3; i++) {
            int[] before = BruteEqualization.scene(W, H, 255, i);
            assertArrayEquals(i == 2 ? expected(i, 11) : before, values(one.getStack().getProcessor(i)));
            assertArrayEquals(expected(i, 11), values(every.getStack().getProcessor(i)));
        }
        assertEquals("slice 3", every.getStack().getSliceLabel(3));
        assertSamePixels(every, AheCommand.exec(stack(3), "window=11 limit=0 stack"));
        ImagePlus scripted = stack(3);
        scripted.setSlice(2);
        assertSamePixels(one, AheCommand.exec(scripted, "window=11 limit=0"));
    }

    @Test
    void deepStackIsShownWhole() throws Exception {
        ImageStack stack = new ImageStack(W, H);
        for (int i = 0; i < 2; i++) {
            stack.addSlice(new ShortProcessor(W, H, BruteEqualization.shorts(BruteEqualization.scene(W, H, 900, i)), null));
        }
        ImagePlus image = new ImagePlus("deep", stack);
        run(image, "window=11 limit=3 stack ");
        assertEquals(65535, image.getDisplayRangeMax());
        assertArrayEquals(BruteEqualization.grey16(BruteEqualization.scene(W, H, 900, 1), W, 11, 3),
                values(image.getStack().getProcessor(2)));
    }

    private static ImagePlus virtual(ImagePlus frames) {
        return new ImagePlus("lazy.tif", new VirtualStack(W, H, frames.getStackSize()) {
            @Override
            public ImageProcessor getProcessor(int n) {
                return frames.getStack().getProcessor(n).duplicate();
            }

            @Override
            public String getSliceLabel(int n) {
                return "slice " + n;
            }

            @Override
            public int getBitDepth() {
                return 8;
            }
        });
    }

    @Test
    void virtualStackGoesToANewOne() throws Exception {
        ImagePlus image = virtual(stack(3));
        image.getCalibration().setUnit("mm");
        image.setRoi(new OvalRoi(3, 3, 30, 30));
        run(image, "window=11 limit=0 stack ");
        ImagePlus result = Interpreter.getLastBatchModeImage();
        assertNotSame(image, result);
        assertEquals("lazy equalized", result.getTitle());
        assertEquals("mm", result.getCalibration().getUnit());
        assertEquals(3, result.getStackSize());
        assertFalse(result.getStack().isVirtual());
        assertEquals("slice 2", result.getStack().getSliceLabel(2));
        for (int i = 1; i <= 3; i++) {
            int[] before = BruteEqualization.scene(W, H, 255, i);
            assertArrayEquals(before, values(image.getStack().getProcessor(i)));
            int[] whole = expected(i, 11);
            for (int j = 0; j < whole.length; j++) {
                boolean inside = image.getRoi().contains(j % W, j / W);
                assertEquals(inside ? whole[j] : before[j], result.getStack().getProcessor(i).get(j));
            }
        }
        image.setRoi((Roi) null);
        image.setSlice(3);
        ImagePlus slice = AheCommand.exec(image, "window=11 limit=0");
        assertEquals(1, slice.getStackSize());
        assertArrayEquals(expected(3, 11), values(slice.getProcessor()));
    }

    /** Somebody presses Escape while the third slice is read. */
    @Test
    void escapeKeepsTheSlicesThatAreDone() throws Exception {
        ImageStack stack = new ImageStack(W, H) {
            @Override
            public Object getPixels(int n) {
                if (n == 3 && armed()) {
                    IJ.setKeyDown(KeyEvent.VK_ESCAPE);
                }
                return super.getPixels(n);
            }

            private boolean armed() {
                return Arrays.stream(Thread.currentThread().getStackTrace())
                        .anyMatch(e -> e.getMethodName().equals("processStack"));
            }
        };
        for (int i = 1; i <= 5; i++) {
            stack.addSlice("", BruteEqualization.bytes(BruteEqualization.scene(W, H, 255, i)));
        }
        ImagePlus image = new ImagePlus("escaped", stack);
        run(image, "window=11 limit=0 stack ");
        for (int i = 1; i <= 5; i++) {
            assertArrayEquals(i < 3 ? expected(i, 11) : BruteEqualization.scene(W, H, 255, i),
                    values(stack.getProcessor(i)), "slice " + i);
        }
    }

    @Test
    void escapeKeepsTheDonePartOfAVirtualStack() throws Exception {
        ImagePlus frames = stack(5);
        ImagePlus image = new ImagePlus("lazy", new VirtualStack(W, H, 5) {
            @Override
            public ImageProcessor getProcessor(int n) {
                if (n == 3) {
                    IJ.setKeyDown(KeyEvent.VK_ESCAPE);
                }
                return frames.getStack().getProcessor(n).duplicate();
            }

            @Override
            public int getBitDepth() {
                return 8;
            }
        });
        run(image, "window=11 limit=0 stack ");
        assertEquals(2, Interpreter.getLastBatchModeImage().getStackSize());
    }

    /** The line that the recorder writes, the function for scripts, and the shell. */
    @Test
    void macroScriptAndShellGiveTheSame() throws Exception {
        String line = Commands.AHE.toMacro(Commands.AHE.parseMacro("window=21 limit=3 threads=1 backend=CPU"));
        int[] colours = BruteEqualization.colours(W, H, 9);
        ImagePlus macro = new ImagePlus("colours", new ColorProcessor(W, H, colours.clone()));
        String file = folder.resolve("in.tif").toString();
        assertTrue(new FileSaver(macro).saveAsTiff(file));
        run(macro, line + " ");
        ImagePlus script = new ImagePlus("colours", new ColorProcessor(W, H, colours.clone()));
        assertSame(script, AheCommand.exec(script, line));
        assertSamePixels(macro, script);
        List<String> arguments = new ArrayList<>(Arrays.asList("ahe", "--input", file, "--output",
                folder.resolve("out.png").toString()));
        arguments.addAll(Commands.AHE.toArguments(Commands.AHE.parseMacro(line)));
        StringWriter errors = new StringWriter();
        assertEquals(0, Main.run(new PrintWriter(new StringWriter()), new PrintWriter(errors, true),
                arguments.toArray(new String[0])), errors.toString());
        assertSamePixels(macro, IJ.openImage(folder.resolve("out.png").toString()));
        assertArrayEquals(BruteEqualization.rgb(colours, W, 21, 3), values(macro.getProcessor()));
    }

    /** ImageJ interrupts the thread of a preview when an option changes. */
    @Test
    void stalePreviewChangesNothing() {
        ImagePlus image = grey();
        try (SliceEqualizer slices = new SliceEqualizer(image, EqualizeParameters.defaults().with("window", 15).with("limit", 0.0), false)) {
            Thread.currentThread().interrupt();
            assertFalse(slices.slice(image.getProcessor(), SliceEqualizer.INTERRUPTED));
            assertTrue(Thread.interrupted(), "ImageJ looks for it after the filter");
            assertArrayEquals(GREY, values(image.getProcessor()));
            assertTrue(slices.slice(image.getProcessor(), SliceEqualizer.INTERRUPTED));
            assertArrayEquals(BruteEqualization.grey8(GREY, W, 15, 0), values(image.getProcessor()));
            image = grey();
            slices.close();
            assertFalse(slices.slice(image.getProcessor(), SliceEqualizer.INTERRUPTED));
            assertArrayEquals(GREY, values(image.getProcessor()));
        }
    }

    @Test
    void anyNumberOfThreadsGivesTheSame() {
        ImagePlus one = AheCommand.exec(grey(), "window=31 limit=0 threads=1 backend=CPU");
        for (int threads : new int[] {2, 3, 8}) {
            assertSamePixels(one, AheCommand.exec(grey(), "window=31 limit=0 threads=" + threads + " backend=CPU"));
        }
    }

    @Test
    void whatCannotBeEqualizedIsNamed() throws Exception {
        ImagePlus floats = new ImagePlus("floats", new FloatProcessor(W, H));
        assertTrue(message(floats, "").contains("floats is a 32-bit image; it must be 8-bit, 16-bit or RGB"));
        ImagePlus palette = new ImagePlus("palette", new ColorProcessor(W, H, BruteEqualization.colours(W, H, 2)));
        new ImageConverter(palette).convertRGBtoIndexedColor(256);
        assertEquals(ImagePlus.COLOR_256, palette.getType());
        assertTrue(message(palette, "").contains("Image > Type > RGB Color"));
        assertTrue(message(grey(), "window=64 limit=0").contains("window 64: must be an odd number, 3..1023"));
        assertTrue(message(grey(), "limit=0.5").contains("limit 0.5: must be 0, or a number above 1"));
        ImagePlus beside = grey();
        beside.setRoi(new Roi(100, 100, 5, 5));
        assertTrue(message(beside, "").contains("selection of 5 x 5 at (100, 100): must hold pixels"));
    }

    private static String message(ImagePlus image, String options) {
        return assertThrows(IllegalArgumentException.class, () -> AheCommand.exec(image, options)).getMessage();
    }

    @Test
    void errorsChangeNothingAndUnlock() throws Exception {
        ImagePlus image = grey();
        run(image, "window=64 limit=0 ");
        assertArrayEquals(GREY, values(image.getProcessor()));
        ImagePlus floats = new ImagePlus("floats", new FloatProcessor(W, H));
        run(floats, "window=63 limit=0 ");
        assertEquals(0, floats.getProcessor().getf(0));
        ImagePlus stack = stack(3);
        System.setProperty("endorama.failAfter", "1");
        try {
            run(stack, "window=11 limit=0 backend=CPU stack ");
        } finally {
            System.clearProperty("endorama.failAfter");
        }
        assertArrayEquals(expected(1, 11), values(stack.getStack().getProcessor(1)));
        assertArrayEquals(BruteEqualization.scene(W, H, 255, 3), values(stack.getStack().getProcessor(3)));
        assertNull(Interpreter.getInstance());
    }

    /** A reader that throws what is no Exception. */
    @Test
    void errorsOfJavaAreTold() throws Exception {
        ImagePlus frames = stack(3);
        ImagePlus image = new ImagePlus("lazy", new VirtualStack(W, H, 3) {
            @Override
            public ImageProcessor getProcessor(int n) {
                if (n == 3) {
                    throw new UnsatisfiedLinkError("no javajpeg");
                }
                return frames.getStack().getProcessor(n).duplicate();
            }

            @Override
            public int getBitDepth() {
                return 8;
            }
        });
        IJ.getErrorMessage();
        run(image, "window=11 limit=0 stack ");
        assertFalse(image.isLocked());
        String message = String.valueOf(IJ.getErrorMessage());
        assertTrue(message.contains("no javajpeg") && message.contains("JAVA_HOME"), message);
    }
}
