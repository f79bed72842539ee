package endorama.plugin;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.cli.Main;
import endorama.core.options.OptionException;
import endorama.core.volumes.Grid;
import endorama.core.volumes.TestVolumes;
import ij.IJ;
import ij.ImagePlus;
import ij.ImageStack;
import ij.WindowManager;
import ij.gui.Roi;
import ij.io.FileSaver;
import ij.macro.Interpreter;
import ij.measure.Calibration;
import ij.process.ColorProcessor;
import ij.process.ImageProcessor;
import ij.process.ShortProcessor;
import java.awt.event.KeyEvent;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Register by Mutual Information by its function for scripts, in a macro, and compared with the shell. */
@ExtendWith(BatchMode.class)
class MutualCommandTest {
    private static final TestVolumes PHANTOM = new TestVolumes(5, 40);
    private static final Grid FIXED = TestVolumes.centred(40, 36, 20, 2, 2, 4);
    private static final Grid MOVING = TestVolumes.centred(34, 36, 32, 2.5, 2.5, 2.5);
    private static final double[] BACK = TestVolumes.map(-6, -3, 2, -2);

    @TempDir
    Path folder;
    private ImagePlus fixed;
    private ImagePlus moving;

    @BeforeEach
    void images() {
        fixed = image("fixed.tif", FIXED, PHANTOM.slices(FIXED, null, false));
        moving = image("moving.tif", MOVING, PHANTOM.slices(MOVING, BACK, true));
    }

    private static ImagePlus image(String title, Grid grid, short[][] slices) {
        ImageStack stack = new ImageStack(grid.width, grid.height);
        for (short[] slice : slices) {
            stack.addSlice(new ShortProcessor(grid.width, grid.height, slice, null));
        }
        ImagePlus image = new ImagePlus(title, stack);
        Calibration c = image.getCalibration();
        c.pixelWidth = grid.spacing()[0];
        c.pixelHeight = grid.spacing()[1];
        c.pixelDepth = grid.spacing()[2];
        c.setUnit("mm");
        return image;
    }

    @Test
    void resultHasTheFixedGridAndTheMovingValues() throws Exception {
        moving.getCalibration().setFunction(Calibration.STRAIGHT_LINE, new double[] {-1000, 1}, "HU");
        short[] before = ((short[]) moving.getStack().getPixels(9)).clone();
        MutualOutput output = MutualCommand.exec(moving, fixed, "backend=CPU");
        assertEquals(1, output.result().registered());
        ImagePlus made = output.image();
        assertEquals("moving registered", made.getTitle());
        assertArrayEquals(new int[] {40, 36, 1, 20, 1}, made.getDimensions());
        assertEquals(4, made.getCalibration().pixelDepth);
        assertEquals("mm", made.getCalibration().getUnit());
        assertEquals("HU", made.getCalibration().getValueUnit());
        assertArrayEquals(before, (short[]) moving.getStack().getPixels(9));
        assertTrue(made.getInfoProperty().contains("moving.tif onto fixed.tif"), made.getInfoProperty());
        assertEquals("ok", output.table().getStringValue("status", 0));
        assertEquals(6, output.table().getValue("turn", 0), 0.5);
        ImagePlus overlay = MutualCommand.exec(moving, fixed, "backend=CPU output=Overlay").image();
        assertEquals(24, overlay.getBitDepth());
        assertNull(MutualCommand.exec(moving, fixed, "starts=1 output=[Transforms only]").image());
    }

    /** Colour is registered by its luma and resampled channel by channel. */
    @Test
    void colourStaysColour() throws Exception {
        ImageStack colours = new ImageStack(34, 36);
        for (int z = 1; z <= 32; z++) {
            ImageProcessor grey = moving.getStack().getProcessor(z);
            ColorProcessor colour = new ColorProcessor(34, 36);
            for (int i = 0; i < 34 * 36; i++) {
                int v = grey.get(i) / 20 & 255;
                colour.set(i, 0xff000000 | v << 16 | v / 2 << 8 | 40);
            }
            colours.addSlice(colour);
        }
        ImagePlus rgb = new ImagePlus("rgb", colours);
        rgb.setCalibration(moving.getCalibration());
        MutualOutput output = MutualCommand.exec(rgb, fixed, "backend=CPU");
        assertEquals(1, output.result().registered());
        assertEquals(24, output.image().getBitDepth());
        int middle = output.image().getStack().getProcessor(10).get(20, 18);
        assertEquals(40, middle & 255);
        assertEquals((middle >> 16 & 255) / 2, middle >> 8 & 255, 1);
    }

    @Test
    void framesGoOntoOneVolume() throws Exception {
        ImagePlus series = image("series", MOVING, TestVolumes.together(PHANTOM.slices(MOVING, BACK, true),
                PHANTOM.slices(MOVING, TestVolumes.map(4, 2, 1, 0), true)));
        series.setDimensions(1, 32, 2);
        MutualOutput output = MutualCommand.exec(series, fixed, "backend=CPU");
        assertEquals(2, output.result().registered(), output.result().summary());
        assertArrayEquals(new int[] {40, 36, 1, 20, 2}, output.image().getDimensions());
        assertEquals(4, output.table().getValue("turn", 1), 0.5);
    }

    @Test
    void selectionIsAMask() throws Exception {
        MutualOutput all = MutualCommand.exec(moving, fixed, "starts=1 backend=CPU");
        fixed.setRoi(new Roi(8, 8, 24, 20));
        MutualOutput part = MutualCommand.exec(moving, fixed, "starts=1 backend=CPU");
        assertFalse(all.table().getValue("before", 0) == part.table().getValue("before", 0));
        // A title that is not open is refused.
        assertThrows(OptionException.class, () -> MutualCommand.exec(moving, fixed, "mask=gone"));
    }

    /** In a macro with both images open; the same pixels as in a script and in the shell. */
    @Test
    void macroAndShellGiveTheSame() throws Exception {
        assertTrue(new FileSaver(fixed).saveAsTiffStack(folder.resolve("fixed.tif").toString()));
        assertTrue(new FileSaver(moving).saveAsTiffStack(folder.resolve("moving.tif").toString()));
        BatchMode.open(moving, fixed);
        InMacro.call("fixed=fixed.tif model=Rigid backend=CPU transforms=[" + folder.resolve("m.json") + "] table=["
                + folder.resolve("m.csv") + "]", MutualCommandTest::command);
        ImagePlus made = WindowManager.getCurrentImage();
        assertEquals("moving registered", made.getTitle());
        assertFalse(moving.isLocked());
        StringWriter err = new StringWriter();
        assertEquals(0, Main.run(new PrintWriter(new StringWriter()), new PrintWriter(err), "mutual", "--fixed",
                folder.resolve("fixed.tif").toString(), "--moving", folder.resolve("moving.tif").toString(), "--output",
                folder.resolve("o.tif").toString(), "--transforms", folder.resolve("s.json").toString(), "--backend",
                "CPU"), err.toString());
        ImagePlus shell = IJ.openImage(folder.resolve("o.tif").toString());
        for (int z = 1; z <= 20; z++) {
            assertArrayEquals((short[]) made.getStack().getPixels(z), (short[]) shell.getStack().getPixels(z));
        }
        assertEquals(matrices("m.json"), matrices("s.json"));
        assertEquals(2, Files.readAllLines(folder.resolve("m.csv")).size());
    }

    private String matrices(String name) throws Exception {
        String text = new String(Files.readAllBytes(folder.resolve(name)), "UTF-8");
        return text.substring(text.indexOf("\"voxels\""));
    }

    private static Void command() {
        new MutualCommand().run("");
        return null;
    }

    private static void assertFails(String options, String why) throws Exception {
        IJ.getErrorMessage();
        InMacro.call(options, MutualCommandTest::command);
        String said = String.valueOf(IJ.getErrorMessage());
        assertTrue(said.contains(why), said);
    }

    @Test
    void whatDoesNotGoIsAnError() throws Exception {
        BatchMode.open(moving);
        assertFails("fixed=fixed.tif", "the only open image");
        Interpreter.addBatchModeImage(fixed);
        WindowManager.setTempCurrentImage(moving);
        String[][] cases = {{"fixed=moving.tif", "must be another image"}, {"fixed=gone.tif", "no open image"},
            {"bins=16", "fixed: missing"}, {"fixed=fixed.tif model=Elastic", "model Elastic: must be one of Rigid"},
            {"fixed=fixed.tif bins=8", "bins 8: must be"}, {"fixed=fixed.tif initial=Nowhere", "initial Nowhere: must be"},
            {"fixed=fixed.tif dimensions=2D", "fixed.tif has 20 slices"},
            {"fixed=fixed.tif transforms=[" + folder.resolve("t.csv") + "]", "CSV holds transforms of images"}};
        for (String[] one : cases) {
            assertFails(one[0], one[1]);
            assertFalse(moving.isLocked());
        }
        assertFalse(Files.exists(folder.resolve("t.csv")));
    }

    private static boolean isSearching(Thread thread) {
        for (StackTraceElement at : thread.getStackTrace()) {
            if (at.getClassName().equals("endorama.jni.NativeMutual") && at.getMethodName().equals("register")) {
                return true;
            }
        }
        return false;
    }

    /** Escape shows the best result so far, marked as such. */
    @Test
    void escapeKeepsTheBestSoFar() throws Exception {
        BatchMode.open(moving, fixed);
        Thread searching = Thread.currentThread();
        Thread pressing = new Thread(() -> {
            while (!isSearching(searching)) {
                Thread.yield();
            }
            IJ.setKeyDown(KeyEvent.VK_ESCAPE);
        });
        pressing.setDaemon(true);
        pressing.start();
        // This number of starts would take minutes.
        InMacro.call("fixed=fixed.tif starts=4000 levels=1 table=[" + folder.resolve("t.csv") + "]",
                MutualCommandTest::command);
        pressing.join();
        assertEquals("moving registered (stopped)", Interpreter.getLastBatchModeImage().getTitle());
        assertTrue(Files.readAllLines(folder.resolve("t.csv")).get(1).startsWith("1,stopped,0,"));
        assertFalse(moving.isLocked());
    }
}
