package endorama.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.exposures.TestExposures;
import endorama.core.mosaic.MosaicSession;
import endorama.plugin.AheCommand;
import endorama.plugin.DemoCommand;
import endorama.plugin.ExposuresCommand;
import endorama.plugin.MosaicCommand;
import ij.IJ;
import ij.ImagePlus;
import ij.ImageStack;
import ij.io.FileSaver;
import ij.process.ByteProcessor;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Macros in a separate Java machine: ImageJ's classes must not be loaded before they are patched. */
class MacroRunnerTest {
    @TempDir
    Path folder;

    private String output;

    private int run(String... arguments) throws IOException, InterruptedException {
        return run(new JavaProcess(folder), arguments);
    }

    private int run(JavaProcess process, String... arguments) throws IOException, InterruptedException {
        String[] all = new String[1 + arguments.length];
        all[0] = "endorama.cli.MacroRunner";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        int code = process.run(all);
        output = process.output;
        return code;
    }

    private String macro(String text) throws IOException {
        Path file = folder.resolve("test.ijm");
        Files.write(file, text.getBytes(StandardCharsets.UTF_8));
        return file.toString();
    }

    private String example(String name) {
        return new File(System.getProperty("endorama.basedir", "."), "macros/" + name).getPath();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "0 | print('fine');",
        "0 | newImage('a', '8-bit', 20, 20, 1); run('Invert'); if (getValue('Mean') != 0) exit('not inverted');",
        "0 | if (true) exit;",
        "0 | return 'text';",
        "1 | exit('went wrong');",
        "1 | x = nowhere + 1;",
        "1 | run('No Such Command...');",
        "1 | open('/no/such/file.tif');",
        "1 | print(",
        "1 | run('Mosaic Endoscopic Sequence...');",
        "1 | run('Endoscopic Demo Sequence...', 'frames=1'); print('went' + ' on');",
        "1 | run('Endoscopic Demo Sequence...', 'path=Nowhere');",
        "1 | run('Endoscopic Demo Sequence...', 'size=3');",
        "0 | run('Endorama Info...');",
        "1 | run('Adaptive Equalization...');",
        "1 | newImage('a', '8-bit ramp', 20, 20, 1); run('Adaptive Equalization...', 'window=4'); print('went' + ' on');",
        "1 | newImage('a', '32-bit ramp', 20, 20, 1); run('Adaptive Equalization...'); print('went' + ' on');",
        "0 | newImage('a', '8-bit ramp', 20, 20, 1); run('Adaptive Equalization...', 'window=5');",
    })
    void exitCodeTellsWhetherItWorked(int code, String text) throws Exception {
        assertEquals(code, run(macro(text.replace('\'', '"'))), () -> output);
        assertTrue(!output.contains("went on"), output);
    }

    @Test
    void errorNamesWhatIsAllowed() throws Exception {
        assertEquals(1, run(macro("run(\"Endoscopic Demo Sequence...\", \"path=Nowhere\");")));
        assertTrue(output.contains("path Nowhere: must be one of Loop, Sweep, Spiral"), output);
    }

    /** ImageJ alone would ignore the missing class, and go on. */
    @Test
    void missingClassStopsTheMacro() throws Exception {
        JavaProcess process = new JavaProcess(folder);
        process.without(MosaicSession.class);
        String text = "setBatchMode(true); run('Endoscopic Demo Sequence...', 'width=100 height=80 frames=3');"
                + " run('Mosaic Endoscopic Sequence...', ''); print('went' + ' on');";
        assertEquals(1, run(process, macro(text.replace('\'', '"'))), () -> output);
        assertTrue(output.contains("endorama/core/mosaic/MosaicSession") && output.contains("install it anew"), output);
        assertTrue(!output.contains("went on"), output);
    }

    /** The function for scripts gives the pixels that a macro saves in another Java machine. */
    @Test
    void macroGivesThePixelsOfTheScript() throws Exception {
        String options = "template=21 landmarks=7 painting=Ring rim=3 field=Whole";
        Path saved = folder.resolve("panorama.png");
        String text = "setBatchMode(true); run('Endoscopic Demo Sequence...', 'width=240 height=200 frames=8');"
                + " run('Mosaic Endoscopic Sequence...', '" + options + "'); Overlay.remove;"
                + " saveAs('PNG', getArgument());";
        assertEquals(0, run(macro(text.replace('\'', '"')), saved.toString()), () -> output);
        ImagePlus sequence = DemoCommand.exec("width=240 height=200 frames=8");
        ImagePlus panorama = MosaicCommand.exec(sequence, options).panorama();
        assertArrayEquals(colours(panorama), colours(IJ.openImage(saved.toString())));
    }

    @Test
    void usageAndUnreadableMacro() throws Exception {
        assertEquals(2, run());
        assertEquals(0, run("--help"));
        assertEquals(3, run(folder.resolve("none.ijm").toString()));
    }

    @Test
    void demoExample() throws Exception {
        Path results = folder.resolve("my results");
        assertEquals(0, run(example("demo-mosaic.ijm"), results.toString()), () -> output);
        for (String name : new String[] {"truth.csv", "transforms.csv", "frames.csv", "quality.csv"}) {
            assertTrue(Files.size(results.resolve(name)) > 100, name);
        }
        List<String> transforms = Files.readAllLines(results.resolve("transforms.csv"));
        assertTrue(transforms.get(0).startsWith("frame,m00,m01,m02,m10,m11,m12"), transforms.get(0));
        assertEquals(21, transforms.size());
        assertTrue(output.contains("aligned stack of 20 frames"), output);
        assertTrue(Files.size(results.resolve("panorama.png")) > 10000 && Files.size(results.resolve("applied.png")) > 10000);
    }

    @Test
    void otherChannelExample() throws Exception {
        assertEquals(0, run(example("other-channel.ijm"), folder.toString()), () -> output);
        assertTrue(Files.size(folder.resolve("colours.png")) > 1000);
    }

    /** The macro also gives the result of the function for scripts in this Java machine. */
    @Test
    void exposuresExample() throws Exception {
        assertEquals(0, run(example("exposures.ijm"), folder.toString()), () -> output);
        assertTrue(Files.size(folder.resolve("exposures.jpg")) > 1000);
        assertEquals(5, Files.readAllLines(folder.resolve("shifts.csv")).size());
        ImagePlus sequence = DemoCommand.exec("width=400 height=320 frames=4 path=Sweep step=9 rotation=0 zoom=0"
                + " highlights=0 flicker=0");
        double[] gains = {0.45, 0.8, 1.4, 2.2};
        for (int i = 0; i < gains.length; i++) {
            sequence.getStack().getProcessor(i + 1).multiply(gains[i]);
        }
        ExposuresCommand.exec(sequence, "subpixel table=[" + folder.resolve("script.csv") + "]");
        assertEquals(Files.readAllLines(folder.resolve("script.csv")), Files.readAllLines(folder.resolve("shifts.csv")));
    }

    @Test
    void macroAlignsThePixelsOfTheScript() throws Exception {
        TestExposures scene = new TestExposures(4);
        ImageStack stack = new ImageStack(TestExposures.W, TestExposures.H);
        stack.addSlice("a", new ByteProcessor(TestExposures.W, TestExposures.H, scene.grey(0, 0, 0.6, 1)));
        stack.addSlice("b", new ByteProcessor(TestExposures.W, TestExposures.H, scene.grey(6, -9, 1.7, 0.7)));
        ImagePlus image = new ImagePlus("pair", stack);
        String options = "search=20 reference=2 output=[Crop to common] subpixel";
        assertTrue(new FileSaver(image).saveAsTiffStack(folder.resolve("in.tif").toString()));
        String text = "setBatchMode(true); open('" + folder.resolve("in.tif") + "'); run('Align Exposures...', '" + options
                + "'); saveAs('Tiff', getArgument());";
        Path saved = folder.resolve("out.tif");
        assertEquals(0, run(macro(text.replace('\'', '"')), saved.toString()), () -> output);
        ImagePlus expected = ExposuresCommand.exec(image, options).aligned();
        ImagePlus found = IJ.openImage(saved.toString());
        assertEquals(expected.getStackSize(), found.getStackSize());
        for (int i = 1; i <= 2; i++) {
            assertArrayEquals((byte[]) expected.getStack().getPixels(i), (byte[]) found.getStack().getPixels(i));
        }
    }

    /** The command also finds the motion of the second view. */
    @Test
    void rotationExample() throws Exception {
        assertEquals(0, run(example("rotation.ijm"), folder.toString()), () -> output);
        assertTrue(Files.size(folder.resolve("rotation.jpg")) > 1000);
        List<String> lines = Files.readAllLines(folder.resolve("table.csv"));
        assertEquals(2, lines.size());
        String[] cells = lines.get(1).split(",");
        assertEquals(-37, Double.parseDouble(cells[2]), 0.1);
        assertEquals(1 / 1.4, Double.parseDouble(cells[3]), 0.002);
        assertEquals("ok", cells[10]);
    }

    /** The command finds the motion of the phantom. */
    @Test
    void modalitiesExample() throws Exception {
        assertEquals(0, run(example("modalities.ijm"), folder.toString()), () -> output);
        assertTrue(Files.size(folder.resolve("modalities.jpg")) > 1000);
        String[] cells = Files.readAllLines(folder.resolve("table.csv")).get(1).split(",");
        assertEquals("ok", cells[1]);
        assertEquals(11, Double.parseDouble(cells[8]), 0.15);
        assertEquals(2 * Math.hypot(7, 5), Double.parseDouble(cells[7]), 0.4);
    }

    @Test
    void sweepExample() throws Exception {
        Path table = folder.resolve("sweep.csv");
        assertEquals(0, run(example("sweep.ijm"), table.toString()), () -> output);
        assertEquals(1 + 3 * 2, Files.readAllLines(table).size());
    }

    /** A filter gives the same in a macro as in a script: with the word stack, a variable, and undo. */
    @Test
    void filterGivesThePixelsOfTheScript() throws Exception {
        Path saved = folder.resolve("equalized.tif");
        String text = "setBatchMode(true); side = 21; run('Endoscopic Demo Sequence...', 'width=120 height=100 frames=3');"
                + " run('Adaptive Equalization...', 'window=side limit=4 stack'); saveAs('Tiff', getArgument());"
                + " newImage('a', '8-bit ramp', 40, 30, 1); before = getValue('Mean');"
                + " run('Adaptive Equalization...', 'window=5'); if (getValue('Mean') == before) exit('not equalized');"
                + " run('Undo'); if (getValue('Mean') != before) exit('not undone');";
        assertEquals(0, run(macro(text.replace('\'', '"')), saved.toString()), () -> output);
        ImagePlus script = AheCommand.exec(DemoCommand.exec("width=120 height=100 frames=3"),
                "window=21 limit=4 stack");
        ImagePlus macro = IJ.openImage(saved.toString());
        assertEquals(3, macro.getStackSize());
        for (int i = 1; i <= 3; i++) {
            macro.setSlice(i);
            script.setSlice(i);
            assertArrayEquals(colours(script), colours(macro));
        }
    }

    @Test
    void equalizeExample() throws Exception {
        assertEquals(0, run(example("equalize.ijm"), folder.toString()), () -> output);
        assertEquals(5, IJ.openImage(folder.resolve("equalized.tif").toString()).getStackSize());
        ImagePlus comparison = IJ.openImage(folder.resolve("comparison.png").toString());
        ImagePlus frame = DemoCommand.exec("width=360 height=288 frames=2");
        for (String options : new String[] {null, "window=63 limit=0", "window=63"}) {
            ImagePlus part = new ImagePlus("", frame.getStack().getProcessor(1).duplicate());
            comparison.setRoi((options == null ? 0 : options.contains("limit") ? 1 : 2) * 360, 0, 360, 288);
            assertArrayEquals(colours(options == null ? part : AheCommand.exec(part, options)),
                    colours(comparison.crop()), options);
        }
    }

    /** Colours without alpha, which a file does not keep. */
    private static int[] colours(ImagePlus image) {
        return Arrays.stream((int[]) image.getProcessor().convertToRGB().getPixels()).map(p -> p & 0xffffff).toArray();
    }

    /** Ctrl-C is Escape for the running command, and ends the macro; the results up to then are saved. */
    @Test
    void interruptedMacroKeepsWhatIsDone() throws Exception {
        Main.run(new java.io.PrintWriter(System.out), new java.io.PrintWriter(System.err), "demo-sequence", "--output",
                folder.resolve("s.tif").toString(), "--frames", "200", "--width", "320", "--height", "240");
        String macro = macro(("open('F/s.tif'); id = getImageID(); for (i = 0; i < 1000; i++) { selectImage(id);"
                + " run('Mosaic Endoscopic Sequence...', 'threads=1 transforms=[F/' + i + '.csv]'); }").replace("F/", folder + "/"));
        JavaProcess java = new JavaProcess(folder);
        Path log = folder.resolve("log");
        Process process = java.start(ProcessBuilder.Redirect.to(log.toFile()), "endorama.cli.MacroRunner", macro);
        while (!Files.exists(folder.resolve("0.csv")) && process.isAlive()) {
            Thread.sleep(20);
        }
        Thread.sleep(300);
        process.destroy();
        long start = System.nanoTime();
        assertEquals(143, java.end(process, log), java.output);
        double seconds = (System.nanoTime() - start) / 1e9;
        assertTrue(seconds < 5, seconds + " s: " + java.output);
        assertTrue(java.output.contains("interrupted"), java.output);
        for (File file : folder.toFile().listFiles((dir, name) -> name.endsWith(".csv"))) {
            assertTrue(Files.readAllLines(file.toPath()).size() > 2, file.toString());
        }
    }
}
