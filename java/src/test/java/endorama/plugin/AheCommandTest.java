package endorama.plugin;

import static endorama.plugin.AheImages.GREY;
import static endorama.plugin.AheImages.H;
import static endorama.plugin.AheImages.W;
import static endorama.plugin.AheImages.expected;
import static endorama.plugin.AheImages.grey;
import static endorama.plugin.AheImages.run;
import static endorama.plugin.AheImages.stack;
import static endorama.plugin.AheImages.values;
import static endorama.plugin.CommandsTest.assertSamePixels;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.cli.Main;
import endorama.core.equalize.BruteEqualization;
import endorama.core.equalize.EqualizeParameters;
import endorama.core.options.Commands;
import ij.IJ;
import ij.ImagePlus;
import ij.Undo;
import ij.WindowManager;
import ij.gui.OvalRoi;
import ij.gui.Roi;
import ij.io.FileSaver;
import ij.macro.Interpreter;
import ij.measure.Calibration;
import ij.process.ColorProcessor;
import ij.process.FloatProcessor;
import ij.process.ImageConverter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The filter as run by the menu, on the current image, in batch mode; expected pixels are computed by definition. */
@ExtendWith(BatchMode.class)
class AheCommandTest {
    @TempDir
    Path folder;

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

    /** The recorded line, the function for scripts, and the shell give the same. */
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
}
