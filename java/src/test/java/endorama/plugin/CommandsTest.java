package endorama.plugin;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.cli.Main;
import endorama.core.common.Progress;
import endorama.core.frames.TestVideos;
import endorama.core.mosaic.FrameRow;
import endorama.core.mosaic.Link;
import endorama.core.mosaic.Links;
import endorama.core.mosaic.MosaicSession;
import endorama.core.options.MosaicParameters;
import endorama.core.options.OptionException;
import endorama.core.transforms.Transforms;
import endorama.core.transforms.TransformsFile;
import endorama.core.zarr.ZarrFrames;
import ij.IJ;
import ij.ImagePlus;
import ij.ImageStack;
import ij.gui.OvalRoi;
import ij.gui.PolygonRoi;
import ij.io.FileSaver;
import ij.measure.Calibration;
import ij.measure.ResultsTable;
import ij.process.ColorProcessor;
import ij.process.FloatProcessor;
import ij.process.ImageConverter;
import ij.process.StackConverter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands by their functions for scripts. MacroRunnerTest tests macros, MainTest the shell. */
class CommandsTest {
    private static ImagePlus sequence;

    @TempDir
    Path folder;

    @BeforeAll
    static void makeSequence() throws IOException {
        sequence = DemoCommand.exec("width=240 height=200 frames=8 step=4");
    }

    private static ImagePlus copy() {
        return sequence.duplicate();
    }

    @Test
    void demoIsRepeatableAndHasItsTruth() throws IOException {
        Path truth = folder.resolve("truth.csv");
        ImagePlus again = DemoCommand.exec("width=240 height=200 frames=8 step=4 truth=[" + truth + "]");
        assertSamePixels(sequence, again);
        assertEquals(9, Files.readAllLines(truth).size());
    }

    @Test
    void mosaicKeepsInputAndCalibration() throws IOException {
        ImagePlus input = copy();
        Calibration calibration = new Calibration();
        calibration.pixelWidth = 0.25;
        calibration.pixelHeight = 0.25;
        calibration.setUnit("mm");
        input.setCalibration(calibration);
        MosaicOutput output = MosaicCommand.exec(input, "");
        assertSamePixels(sequence, input);
        ImagePlus panorama = output.panorama();
        assertEquals("mm", panorama.getCalibration().getUnit());
        assertEquals(0.25, panorama.getCalibration().pixelWidth);
        assertEquals(output.result().panorama().originX(), panorama.getCalibration().xOrigin);
        assertEquals(output.result().panorama().originY(), panorama.getCalibration().yOrigin);
        assertEquals(24, panorama.getBitDepth());
        assertTrue(panorama.getOverlay().get(0) instanceof PolygonRoi);
        assertEquals(8, output.result().registered());
        assertEquals(8, output.frames().size());
        assertEquals(8, output.transforms().size());
        for (FrameRow row : output.result().rows()) {
            assertEquals(FrameRow.Status.OK, row.status);
        }
    }

    @Test
    void mosaicSavesAnOmeZarr() throws Exception {
        ImagePlus input = copy();
        input.getCalibration().pixelWidth = 0.25;
        input.getCalibration().pixelHeight = 0.25;
        input.getCalibration().setUnit("mm");
        Path file = folder.resolve("p.ome.zarr");
        MosaicOutput output = MosaicCommand.exec(input, "extra=Both ngff=0.5 zarr=[" + file + "]");
        ZarrFrames saved = new ZarrFrames(file.toFile());
        int[] painted = (int[]) output.panorama().getProcessor().getPixels();
        int[] read = (int[]) saved.pixels(0);
        assertEquals(painted.length, read.length);
        for (int i = 0; i < read.length; i++) {
            assertEquals(painted[i] & 0xffffff, read[i] & 0xffffff);
        }
        assertEquals("0.25 millimeter", saved.pixelSize().width + " " + saved.pixelSize().unit);
        assertArrayEquals((short[]) output.extras().get(0).getProcessor().getPixels(),
                (short[]) new ZarrFrames(file.resolve("labels/coverage").toFile()).pixels(0));
        Files.delete(file.resolve(".endorama"));
        String message = assertThrows(IOException.class, () -> MosaicCommand.exec(copy(), "zarr=[" + file + "]")).getMessage();
        assertTrue(message.contains("was not written by Endorama"), message);
        assertThrows(IllegalArgumentException.class, () -> MosaicCommand.exec(copy(), "zarr=[" + folder.resolve("p.tif") + "]"));
    }

    /** Matching uses equalized frames, and the originals are painted: the saved transforms give the same panorama. */
    @Test
    void enhancedMatchingPaintsTheOriginals() throws IOException {
        String file = "transforms=[" + folder.resolve("enhanced.csv") + "]";
        MosaicOutput enhanced = MosaicCommand.exec(copy(), "enhance painting=Union " + file);
        assertEquals(8, enhanced.result().registered());
        assertNotEquals(MosaicCommand.exec(copy(), "").result().transforms(), enhanced.result().transforms());
        assertSamePixels(enhanced.panorama(), ApplyCommand.exec(copy(), "painting=Union " + file));
    }

    /** A file of TurboReg holds one pair. */
    @Test
    void transformsThatAFileCannotHoldAreRefusedBefore() throws IOException {
        String files = "transforms=[" + folder.resolve("TurboReg.txt") + "] table=[" + folder.resolve("t.csv") + "]";
        assertThrows(OptionException.class, () -> MosaicCommand.exec(copy(), files));
        assertThrows(OptionException.class, () -> ExposuresCommand.exec(copy(), files));
        assertThrows(OptionException.class, () -> FourierCommand.exec(copy(), files));
        assertThrows(OptionException.class, () -> DemoCommand.exec("width=64 height=64 frames=3 truth=["
                + folder.resolve("TurboReg.txt") + "]"));
        assertEquals(0, folder.toFile().list().length);
        MosaicCommand.exec(copy(), files + " frames=1-2");
        assertEquals(2, TransformsFile.read(folder.resolve("TurboReg.txt").toFile()).size());
    }

    /** What was mended by hand is repeated by a line of a macro. */
    @Test
    void linksAndExcludedFramesAreOptionsOfAMacro() throws IOException {
        MosaicSession session = new MosaicSession(new StackSource(copy(), 2), MosaicParameters.defaults(), Progress.NONE)
                .pairsAlone();
        session.run().close();
        List<Link> mended = new ArrayList<Link>();
        for (Link link : session.registered().links().all()) {
            mended.add(link.use(link.a != 4 && link.b != 4));
        }
        new Links(mended).write(folder.resolve("mended.csv").toFile());
        String links = "links=[" + folder.resolve("mended.csv") + "]";
        MosaicOutput output = MosaicCommand.exec(copy(), links);
        assertEquals(FrameRow.Status.NOT_PLACED, output.result().rows().get(3).status);
        assertEquals(7, output.result().registered());
        MosaicOutput without = MosaicCommand.exec(copy(), links + " exclude=4");
        assertEquals(7, without.result().rows().size());
        assertEquals("excluded", without.frames().getStringValue("status", 3));
        assertEquals(8, without.frames().size());
        assertThrows(IllegalArgumentException.class, () -> MosaicCommand.exec(copy(), links + " frames=1-3"));
    }

    @Test
    void everyPartIsAnImage() throws IOException {
        ImagePlus both = copy();
        ImagePlus other = DemoCommand.exec("width=240 height=200 frames=10 step=4 seed=77");
        for (int i = 1; i <= 10; i++) {
            both.getStack().addSlice(other.getStack().getProcessor(i));
        }
        both.setStack(both.getStack());
        MosaicOutput output = MosaicCommand.exec(both, "");
        assertEquals(2, output.panoramas().size(), output.result().summary());
        for (int part = 1; part <= 2; part++) {
            ImagePlus panorama = output.panoramas().get(part - 1);
            assertTrue(panorama.getTitle().contains("panorama " + part), panorama.getTitle());
            assertEquals(output.result().panoramas().get(part - 1).width(), panorama.getWidth());
        }
        assertEquals(8, output.result().framesOf(2), output.result().summary());
        assertEquals(2, output.transforms().getValue("part", 0));
    }

    @Test
    void extrasAreImages() throws IOException {
        assertTrue(MosaicCommand.exec(copy(), "").extras().isEmpty());
        ImagePlus input = copy();
        input.getCalibration().pixelWidth = 0.5;
        MosaicOutput output = MosaicCommand.exec(input, "extra=Both");
        assertEquals(2, output.extras().size());
        ImagePlus coverage = output.extras().get(0);
        ImagePlus uncertainty = output.extras().get(1);
        assertTrue(coverage.getTitle().endsWith("panorama coverage"), coverage.getTitle());
        assertTrue(uncertainty.getTitle().endsWith("panorama uncertainty"), uncertainty.getTitle());
        assertEquals(output.panorama().getWidth(), coverage.getWidth());
        assertEquals(8, coverage.getStatistics().max);
        Calibration calibration = uncertainty.getCalibration();
        assertEquals(0.5, calibration.pixelWidth);
        assertEquals(output.panorama().getCalibration().xOrigin, calibration.xOrigin);
        assertEquals("px", calibration.getValueUnit());
        assertEquals(0.37, calibration.getCValue(37), 1e-6);
        ImagePlus alone = MosaicCommand.exec(copy(), "extra=Uncertainty").extras().get(0);
        assertSamePixels(uncertainty, alone);
    }

    @Test
    void outlinesAreOnDemand() throws IOException {
        int without = MosaicCommand.exec(copy(), "").panorama().getOverlay().size();
        assertEquals(without + 8, MosaicCommand.exec(copy(), "outlines").panorama().getOverlay().size());
    }

    @Test
    void savedTransformsGiveTheSamePanorama() throws IOException {
        for (String name : new String[] {"t.csv", "t.json"}) {
            String file = "transforms=[" + folder.resolve(name) + "]";
            ImagePlus panorama = MosaicCommand.exec(copy(), "painting=Union " + file).panorama();
            ImagePlus applied = ApplyCommand.exec(copy(), "painting=Union " + file);
            assertSamePixels(panorama, applied);
            ImagePlus aligned = ApplyCommand.exec(copy(), file + " mode=[Aligned stack]");
            assertEquals(8, aligned.getStackSize());
            assertEquals(240, aligned.getWidth());
            assertEquals("demo 3", aligned.getStack().getSliceLabel(3));
        }
    }

    @Test
    void qualityOfGoodTransformsIsHigh() throws IOException {
        String file = "transforms=[" + folder.resolve("t.csv") + "]";
        MosaicCommand.exec(copy(), file);
        ResultsTable table = QualityCommand.exec(copy(), file + " distance=2 table=[" + folder.resolve("q.csv") + "]");
        assertEquals(6, table.size());
        for (int row = 0; row < table.size(); row++) {
            assertTrue(table.getValue("quality", row) > 0.7, "pair " + row);
        }
        assertEquals(7, Files.readAllLines(folder.resolve("q.csv")).size());
    }

    @Test
    void sweepHasARowForEachCombination() throws IOException {
        ResultsTable table = SweepCommand.exec(copy(), "ranges=[template=15-31:8 landmarks=6,8]");
        assertEquals(6, table.size());
        assertTrue(table.getValue("quality", 0) > 0.5);
    }

    @Test
    void greyDepthsAreKept() throws IOException {
        ImagePlus grey = copy();
        new StackConverter(grey).convertToGray8();
        assertEquals(8, MosaicCommand.exec(grey, "").panorama().getBitDepth());
        ImagePlus deep = grey.duplicate();
        ImageConverter.setDoScaling(true);
        new StackConverter(deep).convertToGray16();
        deep.setDisplayRange(10, 200);
        ImagePlus panorama = MosaicCommand.exec(deep, "").panorama();
        assertEquals(16, panorama.getBitDepth());
        assertEquals(10, panorama.getDisplayRangeMin());
        assertEquals(200, panorama.getDisplayRangeMax());
    }

    @Test
    void virtualStackGivesTheSame() throws IOException {
        ImagePlus lazy = new ImagePlus("lazy", new LazyStack(sequence, n -> { }));
        assertSamePixels(MosaicCommand.exec(copy(), "").panorama(), MosaicCommand.exec(lazy, "").panorama());
    }

    @Test
    void selectionIsTheField() throws IOException {
        ImagePlus input = copy();
        String none = message(() -> MosaicCommand.exec(copy(), "field=Selection"));
        assertTrue(none.contains("area selection"), none);
        input.setRoi(new OvalRoi(40, 20, 160, 160));
        ImagePlus panorama = MosaicCommand.exec(input, "field=Selection rim=0").panorama();
        ImagePlus whole = MosaicCommand.exec(copy(), "field=Whole rim=0").panorama();
        assertTrue(panorama.getWidth() < whole.getWidth());
    }

    @Test
    void unusableImagesAreNamed() {
        ImageStack floats = new ImageStack(64, 64);
        floats.addSlice(new FloatProcessor(64, 64));
        floats.addSlice(new FloatProcessor(64, 64));
        assertTrue(message(() -> MosaicCommand.exec(new ImagePlus("floats", floats), "")).contains("32-bit"));
        ImagePlus single = new ImagePlus("single", new ColorProcessor(64, 64));
        assertTrue(message(() -> MosaicCommand.exec(single, "")).contains("single is a single image"));
        ImagePlus channels = copy();
        new StackConverter(channels).convertToGray8();
        channels.setDimensions(2, 4, 1);
        assertTrue(message(() -> MosaicCommand.exec(channels, "")).contains("2 channels"));
    }

    @Test
    void blackFrameIsReportedNotPainted() throws IOException {
        ImagePlus input = copy();
        input.getStack().getProcessor(4).setColor(0);
        input.getStack().getProcessor(4).fill();
        List<FrameRow> rows = MosaicCommand.exec(input, "").result().rows();
        assertFalse(rows.get(3).registered);
        assertTrue(rows.get(4).registered);
        assertEquals(FrameRow.Status.NO_TEXTURE, rows.get(3).status);
    }

    @Test
    void unwritableFilesAndForeignFilesAreNamed() throws IOException {
        String nowhere = message(() -> MosaicCommand.exec(copy(), "table=[" + folder.resolve("no/table.csv") + "]"));
        assertTrue(nowhere.contains("table.csv cannot be written"), nowhere);
        Path foreign = folder.resolve("foreign.csv");
        Files.write(foreign, "a,b\n1,2\n".getBytes());
        String message = message(() -> ApplyCommand.exec(copy(), "transforms=[" + foreign + "]"));
        assertTrue(message.contains("foreign.csv"), message);
    }

    @Test
    void oneOrManyThreadsGiveTheSame() throws IOException {
        assertSamePixels(MosaicCommand.exec(copy(), "threads=1 backend=CPU").panorama(),
                MosaicCommand.exec(copy(), "threads=7 backend=CPU").panorama());
    }

    @Test
    void shellAndScriptGiveTheSame() throws IOException {
        String options = "template=21 landmarks=7 warp=Affine painting=Ring rim=3";
        String stack = folder.resolve("stack.tif").toString();
        assertTrue(new FileSaver(copy()).saveAsTiffStack(stack));
        List<String> arguments = new ArrayList<>(Arrays.asList("mosaic", "--input", stack, "--output",
                folder.resolve("panorama.tif").toString(), "--transforms", folder.resolve("shell.csv").toString()));
        for (String option : options.split(" ")) {
            arguments.add("--" + option.substring(0, option.indexOf('=')));
            arguments.add(option.substring(option.indexOf('=') + 1));
        }
        StringWriter errors = new StringWriter();
        assertEquals(0, Main.run(new PrintWriter(new StringWriter()), new PrintWriter(errors, true),
                arguments.toArray(new String[0])), errors.toString());
        Path transforms = folder.resolve("script.csv");
        ImagePlus panorama = MosaicCommand.exec(copy(), options + " transforms=[" + transforms + "]").panorama();
        assertSamePixels(panorama, IJ.openImage(folder.resolve("panorama.tif").toString()));
        assertEquals(Files.readAllLines(folder.resolve("shell.csv")), Files.readAllLines(transforms));
    }

    @Test
    void infoNamesTheLibrary() {
        String info = InfoCommand.exec();
        assertTrue(info.contains("0.1.0 from ") && info.contains("self-check     passed"), info);
    }

    private static String message(org.junit.jupiter.api.function.Executable body) {
        return String.valueOf(assertThrows(Exception.class, body).getMessage());
    }

    static void assertSamePixels(ImagePlus one, ImagePlus other) {
        assertEquals(one.getWidth(), other.getWidth());
        assertEquals(one.getHeight(), other.getHeight());
        assertEquals(one.getStackSize(), other.getStackSize());
        for (int i = 1; i <= one.getStackSize(); i++) {
            assertArrayEquals(colours(one, i), colours(other, i));
        }
    }

    /** Colours without alpha, which a file does not keep. */
    private static int[] colours(ImagePlus image, int slice) {
        int[] pixels = (int[]) image.getStack().getProcessor(slice).convertToRGB().getPixels();
        return Arrays.stream(pixels).map(p -> p & 0xffffff).toArray();
    }

    /** The slices are the frames, and drawing into one does not change the next. */
    @Test
    void aVideoIsAVirtualStack() throws Exception {
        TestVideos.need();
        Path clip = folder.resolve("a clip.mov");
        TestVideos.ffmpeg("-f", "lavfi", "-i", "testsrc2=size=96x64:rate=25", "-frames:v", "30", "-c:v", "qtrle",
                clip.toString());
        ImagePlus all = VideoCommand.exec("video=[" + clip + "]");
        ImagePlus some = VideoCommand.exec("video=[" + clip + "] frames=5-25:10");
        assertTrue(all.getStack().isVirtual());
        assertEquals(30, all.getStackSize());
        assertEquals(3, some.getStackSize());
        all.getStack().getProcessor(15).setValue(0);
        all.getStack().getProcessor(15).fill();
        assertArrayEquals((int[]) some.getStack().getProcessor(2).getPixels(),
                (int[]) all.getStack().getProcessor(15).getPixels());
        assertThrows(IOException.class, () -> VideoCommand.exec("video=[" + folder.resolve("none.mp4") + "]"));
    }

    /** Selected frames give the result of a stack of these slices. */
    @Test
    void framesAreChosen() throws IOException {
        ImageStack odd = new ImageStack(240, 200);
        for (int i = 1; i <= 7; i += 2) {
            odd.addSlice(sequence.getStack().getProcessor(i));
        }
        assertSamePixels(MosaicCommand.exec(new ImagePlus("odd", odd), "").panorama(),
                MosaicCommand.exec(copy(), "frames=1-7:2").panorama());
    }

    /** A table in a window gives the result of its file. */
    @Test
    void aTableOfTransformsStandsForItsFile() throws IOException {
        Path file = folder.resolve("t.csv");
        MosaicOutput output = MosaicCommand.exec(copy(), "transforms=[" + file + "]");
        Transforms saved = TransformsFile.read(file.toFile());
        Transforms open = OpenTables.of(output.transforms(), "demo transforms");
        assertEquals(saved.matrices(), open.matrices());
        for (int frame = 1; frame <= 8; frame++) {
            assertEquals(saved.isRegistered(frame), open.isRegistered(frame));
            assertEquals(saved.component(frame), open.component(frame));
        }
        assertEquals("status", output.frames().getHeadings()[1]);
        assertThrows(IOException.class, () -> OpenTables.of(output.frames(), "demo frames"));
        assertEquals("transforms no such table: no file, and no title of an open table",
                assertThrows(IOException.class, () -> OpenTables.transforms("no such table")).getMessage());
    }
}
