package endorama.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.volumes.Grid;
import endorama.core.volumes.NiftiFile;
import endorama.core.volumes.RealValues;
import endorama.core.volumes.TestVolumes;
import endorama.core.volumes.Volume;
import ij.IJ;
import ij.ImagePlus;
import ij.ImageStack;
import ij.process.ShortProcessor;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command "mutual" of the shell on files of every kind; MutualCommandTest has the tests common to both. */
class MutualTaskTest {
    private static final TestVolumes PHANTOM = new TestVolumes(8, 40);
    private static final Grid FIXED = TestVolumes.centred(40, 38, 20, 2, 2, 4);
    private static final Grid MOVING = TestVolumes.centred(28, 28, 28, 3, 3, 3);
    private static final double[] BACK = TestVolumes.map(-6, -3, 2, -2);

    @TempDir
    Path folder;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void volumes() throws IOException {
        NiftiFile.write(file("a.nii"), TestVolumes.source(40, 38, PHANTOM.slices(FIXED, null, false)), FIXED, 1,
                RealValues.SAME);
        NiftiFile.write(file("b.nii.gz"), TestVolumes.source(28, 28, PHANTOM.slices(MOVING, BACK, true)), MOVING, 1,
                new RealValues(0.25, -100));
    }

    private File file(String name) {
        return folder.resolve(name).toFile();
    }

    private int run(Interrupt interrupt, String line) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        String[] words = ("mutual " + line).split(" ");
        for (int i = 0; i < words.length; i++) {
            words[i] = words[i].replace("F/", folder + "/").replace('_', ' ');
        }
        return Main.run(interrupt, new PrintWriter(out, true), new PrintWriter(err, true), words);
    }

    private int run(String line) {
        return run(new Interrupt(), line);
    }

    private String text(String name) throws IOException {
        return new String(Files.readAllBytes(folder.resolve(name)), StandardCharsets.UTF_8);
    }

    @Test
    void niftiGoesInAndOut() throws IOException {
        assertEquals(0, run("--fixed F/a.nii --moving F/b.nii.gz --output F/o.nii.gz --transforms F/t.tfm --table F/t.csv"
                + " --overlay F/o.png --backend CPU"), err.toString());
        assertTrue(out.toString().contains("1 of 1 volume registered"), out.toString());
        assertTrue(out.toString().contains("moving      b.nii.gz, 28 x 28 x 28 voxels of 3 x 3 x 3 mm"), out.toString());
        Volume made = NiftiFile.read(file("o.nii.gz"));
        assertArrayEquals(FIXED.world(), made.grid().world(), 1e-5);
        assertEquals(0.25, made.values().slope);
        assertEquals(-100, made.values().intercept);
        assertTrue(text("t.tfm").startsWith("#Insight Transform File V1.0\n"), text("t.tfm"));
        assertTrue(text("t.csv").contains("\n1,ok,1,"), text("t.csv"));
        assertTrue(ImageFiles.read(file("o.png")).width > 100);
        // The transform of this run is the start of another one.
        assertEquals(0, run("--fixed F/a.nii --moving F/b.nii.gz --initial F/t.tfm --starts 1 --transforms F/t.json"));
        assertTrue(text("t.json").contains("\"initial\": \"" + file("t.tfm") + "\""), text("t.json"));
        assertTrue(text("t.json").contains("\"fixed\": \"" + file("a.nii") + "\""), text("t.json"));
    }

    /** A TIFF keeps the fixed image's calibration, and the calibrated values of the moving one. */
    @Test
    void tiffStacksKeepCalibration() throws IOException {
        ImageStack stack = new ImageStack(40, 38);
        for (short[] slice : PHANTOM.slices(FIXED, null, false)) {
            stack.addSlice(new ShortProcessor(40, 38, slice, null));
        }
        ImagePlus image = new ImagePlus("a", stack);
        image.getCalibration().pixelWidth = 0.2;
        image.getCalibration().pixelHeight = 0.2;
        image.getCalibration().pixelDepth = 0.4;
        image.getCalibration().setUnit("cm");
        ImageFiles.writeTiff(file("a.tif"), image);
        assertEquals(0, run("--fixed F/a.tif --moving F/b.nii.gz --output F/o.tif"), err.toString());
        assertTrue(err.toString().contains("a.tif has no position: rows, columns and slices are laid along those of b.nii.gz"),
                err.toString());
        assertTrue(out.toString().contains("fixed       a.tif, 40 x 38 x 20 voxels of 2 x 2 x 4 mm"), out.toString());
        ImagePlus made = IJ.openImage(file("o.tif").getPath());
        assertEquals(20, made.getNSlices());
        assertEquals("cm", made.getCalibration().getUnit());
        assertEquals(0.4, made.getCalibration().pixelDepth, 1e-9);
        made.setSlice(10);
        int raw = made.getProcessor().get(20, 19);
        assertEquals(0.25 * raw - 100, made.getCalibration().getCValue(raw), 1e-3);
        assertTrue(made.getInfoProperty().contains("b.nii.gz onto a.tif"), made.getInfoProperty());
    }

    @Test
    void imagesAreRegisteredInThePlane() throws IOException {
        Grid grid = Grid.spaced(90, 90, 1, 1, 1, 1);
        write("a.png", PHANTOM.slices(grid, TestVolumes.map(0, -45, -45, 0), false)[0]);
        write("b.png", PHANTOM.slices(grid, TestVolumes.map(0, -50, -41, 0), true)[0]);
        assertEquals(0, run("--fixed F/a.png --moving F/b.png --output F/o.png --transforms F/t.csv"), err.toString());
        String[] row = text("t.csv").split("\n")[1].split(",");
        assertEquals(-5, Double.parseDouble(row[3]), 0.3);
        assertEquals(4, Double.parseDouble(row[6]), 0.3);
        assertEquals(90, ImageFiles.read(file("o.png")).width);
        // Each is read as a folder with one slice.
        assertTrue(folder.resolve("in").toFile().mkdir());
        Files.copy(folder.resolve("a.png"), folder.resolve("in/1.png"));
        assertEquals(0, run("--fixed F/in --moving F/b.png --output F/o.nii --mask F/a.png"), err.toString());
    }

    private void write(String name, short[] pixels) throws IOException {
        ImageFiles.writePng(file(name), new ShortProcessor(90, 90, pixels, null));
    }

    @Test
    void whatCannotBeRegisteredHasAnExitCode() throws IOException {
        short[][] flat = new short[28][28 * 28];
        NiftiFile.write(file("flat.nii"), TestVolumes.source(28, 28, flat), MOVING, 1, RealValues.SAME);
        assertEquals(4, run("--fixed F/a.nii --moving F/flat.nii --output F/o.tif --table F/t.csv --overlay F/o.png"),
                err.toString());
        assertTrue(err.toString().contains("nothing could be registered"), err.toString());
        assertTrue(text("t.csv").contains("no content,0,"), text("t.csv"));
        assertFalse(file("o.tif").exists());
        assertTrue(file("o.png").exists());
        assertEquals(3, run("--fixed F/a.nii --moving F/gone.nii"));
        assertTrue(err.toString().contains("gone.nii: no such file"), err.toString());
        Files.write(folder.resolve("text.dat"), "no image at all".getBytes(StandardCharsets.UTF_8));
        assertEquals(3, run("--fixed F/a.nii --moving F/text.dat"));
        assertTrue(err.toString().contains("no image that ImageJ opens"), err.toString());
    }

    @Test
    void wrongUsageIsNamed() throws IOException {
        assertEquals(2, run("--fixed F/a.nii"));
        assertTrue(err.toString().contains("--moving"), err.toString());
        String both = "--fixed F/a.nii --moving F/b.nii.gz ";
        assertEquals(2, run(both + "--output F/o.jpg"));
        assertTrue(err.toString().contains("must end in .tif, .nii or .nii.gz"), err.toString());
        assertEquals(2, run(both + "--transforms F/t.csv"));
        assertTrue(err.toString().contains("CSV holds transforms of images"), err.toString());
        assertEquals(2, run(both + "--transforms F/t.txt"));
        assertEquals(2, run(both + "--initial Header2"));
        assertTrue(err.toString().contains("one of Header, Centre, Moments, Fourier, or a file to read"), err.toString());
        assertEquals(2, run(both + "--initial Fourier"));
        assertEquals(3, run(both + "--initial F/none.tfm"));
        assertEquals(2, run(both + "--bins 15"));
        assertEquals(2, run(both + "--mode Aligned"));
        assertTrue(err.toString().contains("must be one of Registered, Overlay, Transforms only"), err.toString());
        assertEquals(0, run("--help"));
        assertTrue(out.toString().contains("--starts") && out.toString().contains("--overlay"), out.toString());
    }

    @Test
    void inputsAreNeverOverwritten() throws IOException {
        byte[] before = Files.readAllBytes(folder.resolve("a.nii"));
        Files.write(folder.resolve("i.tfm"), before);
        String both = "--fixed F/a.nii --moving F/b.nii.gz --initial F/i.tfm ";
        for (String output : new String[] {"--output F/a.nii", "--output F/b.nii.gz", "--transforms F/i.tfm",
            "--output F/o.nii --table F/o.nii"}) {
            assertEquals(2, run(both + output), output);
            assertTrue(err.toString().contains("would overwrite"), err.toString());
        }
        assertEquals(2, run(both + "--mask F/m.nii --overlay F/x.gif"));
        assertArrayEquals(before, Files.readAllBytes(folder.resolve("a.nii")));
    }

    @Test
    void interruptKeepsTheBestSoFar() throws IOException {
        Interrupt interrupt = OutputsTest.interruptAfter(20 + 28 + 40);
        assertEquals(130, run(interrupt, "--fixed F/a.nii --moving F/b.nii.gz --output F/o.nii --table F/t.csv"
                + " --backend CPU"), err.toString());
        assertTrue(text("t.csv").contains("\n1,stopped,0,"), text("t.csv"));
        assertTrue(file("o.nii").exists());
        interrupt = new Interrupt();
        interrupt.request();
        assertEquals(130, run(interrupt, "--fixed F/a.nii --moving F/b.nii.gz --output F/p.nii --table F/p.csv"));
        assertFalse(file("p.nii").exists() || file("p.csv").exists());
    }
}
