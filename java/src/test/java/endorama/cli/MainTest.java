package endorama.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.TestVideos;
import endorama.core.transforms.TransformsFile;
import ij.ImagePlus;
import ij.io.FileSaver;
import ij.process.ByteProcessor;
import ij.process.FloatProcessor;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MainTest {
    @TempDir
    Path folder;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void headless() {
        System.setProperty("java.awt.headless", "true");
    }

    private int run(String... args) {
        return run(new Interrupt(), args);
    }

    private int run(Interrupt interrupt, String... args) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Main.run(interrupt, new PrintWriter(out, true), new PrintWriter(err, true), args);
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    private void assertFails(int code, String message, String... args) {
        assertEquals(code, run(args), err.toString());
        assertTrue(err.toString().contains(message), err.toString());
    }

    private void sequence(String name, int frames) {
        assertEquals(0, run("demo-sequence", "--output", path(name), "--frames", "" + frames, "--width", "320",
                "--height", "240", "--rotation", "2", "--zoom", "2", "--truth", path("truth.csv")), err.toString());
    }

    /** The three stages give the files of one run; options and range of frames are passed on. */
    @Test
    void stagesGiveTheFilesOfOneRun() throws IOException {
        sequence("seq.tif", 9);
        assertEquals(0, run("mosaic", "--input", path("seq.tif"), "--frames", "2-8", "--painting", "Union", "--output",
                path("a.png"), "--transforms", path("a.csv")), err.toString());
        assertEquals(0, run("register", "--input", path("seq.tif"), "--frames", "2-8", "--painting", "Union", "--pairs",
                path("p.json")), err.toString());
        assertEquals(0, run("solve", "--pairs", path("p.json"), "--places", path("q.json"), "--transforms", path("b.csv")),
                err.toString());
        assertEquals(0, run("paint", "--input", path("seq.tif"), "--places", path("q.json"), "--output", path("c.png"),
                "--transforms", path("c.csv")), err.toString());
        assertFalse(out.toString().contains("doubtful    "), out.toString());
        assertDoubted();
        for (String same : new String[] {"a.csv b.csv", "a.csv c.csv", "a.png c.png"}) {
            String[] names = same.split(" ");
            assertArrayEquals(Files.readAllBytes(folder.resolve(names[0])), Files.readAllBytes(folder.resolve(names[1])), same);
        }
        assertFails(3, "q.json: not a file of pairs", "solve", "--pairs", path("q.json"), "--places", path("r.json"));
        assertFails(3, "p.json: not a file of places", "paint", "--input", path("seq.tif"), "--places", path("p.json"),
                "--output", path("d.png"));
        assertFails(3, "the places are of 7 frames of 320 x 240", "paint", "--input", path("seq.tif"), "--frames", "1-9",
                "--places", path("q.json"), "--output", path("d.png"));
        assertFails(2, "--places", "solve", "--pairs", path("p.json"), "--places", path("p.json"));
        assertFails(2, "--pairs", "register", "--input", path("seq.tif"), "--pairs", path("seq.tif"));
    }

    /** The table of links goes from register to solve and to mosaic; frames that are left out stay in the frame table. */
    @Test
    void linksGoFromStageToStage() throws IOException {
        sequence("seq.tif", 7);
        String[] chosen = {"--input", path("seq.tif"), "--exclude", "4"};
        assertEquals(0, run("register", chosen[0], chosen[1], chosen[2], chosen[3], "--pairs", path("p.json"), "--links",
                path("l.csv")), err.toString());
        assertEquals(0, run("solve", "--pairs", path("p.json"), "--places", path("q.json"), "--transforms", path("a.csv"), "--table",
                path("t.csv")), err.toString());
        assertEquals(0, run("solve", "--pairs", path("p.json"), "--links", path("l.csv"), "--places", path("r.json"),
                "--transforms", path("b.csv")), err.toString());
        assertEquals(0, run("mosaic", chosen[0], chosen[1], chosen[2], chosen[3], "--links", path("l.csv"), "--transforms",
                path("c.csv"), "--output", path("c.png")), err.toString());
        assertEquals(0, run("mosaic", chosen[0], chosen[1], chosen[2], chosen[3], "--links", path("l.csv"), "--transforms",
                path("e.csv")), err.toString());
        for (String same : new String[] {"b.csv", "c.csv", "e.csv"}) {
            assertArrayEquals(Files.readAllBytes(folder.resolve("a.csv")), Files.readAllBytes(folder.resolve(same)), same);
        }
        assertTrue(new String(Files.readAllBytes(folder.resolve("t.csv")), "UTF-8").contains("\n4,excluded,0,"));
        assertTrue(new String(Files.readAllBytes(folder.resolve("l.csv")), "UTF-8").contains("\n3,5,1,"));
        String off = new String(Files.readAllBytes(folder.resolve("l.csv")), "UTF-8").replaceAll("(?m)^(\\d+,\\d+),1,", "$1,0,");
        Files.write(folder.resolve("off.csv"), off.getBytes("UTF-8"));
        assertEquals(6, run("solve", "--pairs", path("p.json"), "--links", path("off.csv"), "--places", path("r.json")));
        assertTrue(out.toString().contains("verdict     broken: no frame could be matched"), out.toString());
        assertTrue(err.toString().contains("6 of 6 frames: frames 1-7 (not placed)"), err.toString());
        assertFails(2, "--links", "solve", "--pairs", path("p.json"), "--links", path("l.csv"), "--places", path("l.csv"));
        assertFails(2, "--links: does not go with --batch", "mosaic", "--batch", folder.toString(), "--output", path("out"),
                "--links", path("l.csv"));
        assertFails(2, "frame 7 is none of the 4", "mosaic", "--input", path("seq.tif"), "--frames", "1-4", "--links", path("l.csv"),
                "--output", path("d.png"));
    }

    /** Names of files and the lens are passed on from stage to stage. */
    @Test
    void stagesKeepNamesAndLens() throws IOException {
        sequence("seq", 4);
        String places = path("TileConfiguration.txt");
        assertEquals(0, run("mosaic", "--input", path("seq"), "--lens", "-4", "--transforms", places), err.toString());
        byte[] wanted = Files.readAllBytes(folder.resolve("TileConfiguration.txt"));
        assertEquals(0, run("mosaic", "--input", path("seq"), "--lens", "-4", "--transforms", path("a.csv")), err.toString());
        assertEquals(0, run("register", "--input", path("seq"), "--lens", "-4", "--pairs", path("p.json")), err.toString());
        assertEquals(0, run("solve", "--pairs", path("p.json"), "--places", path("q.json"), "--transforms", places), err.toString());
        assertTrue(out.toString().contains("places      4 frames: ") && out.toString().contains("verdict     good: all 4 frames"),
                out.toString());
        assertArrayEquals(wanted, Files.readAllBytes(folder.resolve("TileConfiguration.txt")));
        assertEquals(0, run("solve", "--pairs", path("p.json"), "--places", path("q.json"), "--transforms", path("b.csv")));
        assertArrayEquals(Files.readAllBytes(folder.resolve("a.csv")), Files.readAllBytes(folder.resolve("b.csv")));
        assertEquals(0, run("mosaic", "--input", path("seq"), "--lens", "-4", "--plot", path("a.png")), err.toString());
        assertEquals(0, run("paint", "--input", path("seq"), "--places", path("q.json"), "--output", path("p.png"), "--plot",
                path("b.png")), err.toString());
        assertArrayEquals(Files.readAllBytes(folder.resolve("a.png")), Files.readAllBytes(folder.resolve("b.png")));
    }

    /** Marks the rows 3, 4 and 6 in q.json, of frames 4, 5 and 7, as doubtful. */
    private void assertDoubted() throws IOException {
        String[] rows = new String(Files.readAllBytes(folder.resolve("q.json")), "UTF-8").split("(?=\"frame\": *\\d)");
        for (int frame : new int[] {3, 4, 6}) {
            rows[frame] = rows[frame].replaceFirst("\"doubtful\": *false", "\"doubtful\": true");
        }
        Files.write(folder.resolve("doubted.json"), String.join("", rows).getBytes("UTF-8"));
        assertEquals(0, run("paint", "--input", path("seq.tif"), "--places", path("doubted.json"), "--output", path("e.png")),
                err.toString());
        assertTrue(out.toString().contains("doubtful    3 of 7 frames: frames 4-5, frame 7; position uncertain: few"
                + " matching points"), out.toString());
    }

    @Test
    void wholeWay() throws IOException {
        sequence("seq.tif", 8);
        sequence("seq", 8);
        assertEquals(0, run("mosaic", "--painting", "Union", "--input", path("seq.tif"), "--output", path("a.png"),
                "--transforms", path("t.csv"), "--table", path("f.csv"), "--json", path("run.json"), "--threads", "1"), err.toString());
        assertTrue(out.toString().contains("8 ok, 0 doubtful, 0 not registered"), out.toString());
        assertEquals(0, run("mosaic", "--painting", "Union", "--input", path("seq"), "--output", path("b.png")), err.toString());
        assertArrayEquals(Files.readAllBytes(folder.resolve("a.png")), Files.readAllBytes(folder.resolve("b.png")));
        assertEquals(TransformsFile.read(new File(path("t.csv"))).matrices(),
                TransformsFile.read(new File(path("run.json"))).matrices());
        assertEquals(9, Files.readAllLines(folder.resolve("f.csv")).size());
        assertEquals(0, run("apply", "--painting", "Union", "--input", path("seq"), "--transforms", path("t.csv"), "--output", path("c.png")));
        assertArrayEquals(Files.readAllBytes(folder.resolve("a.png")), Files.readAllBytes(folder.resolve("c.png")));
        assertEquals(0, run("apply", "--input", path("seq"), "--transforms", path("t.csv"), "--output", path("d.tif"),
                "--mode", "aligned stack"), err.toString());
        assertEquals(8, new TiffStack(new File(path("d.tif"))).count());
        assertEquals(0, run("quality", "--input", path("seq"), "--transforms", path("t.csv"), "--distance", "2"));
        assertTrue(out.toString().contains("mean of 6 pairs"), out.toString());
        assertEquals(0, run("sweep", "--input", path("seq"), "--ranges", "landmarks=6-7", "--table", path("s.csv")));
        assertEquals(3, Files.readAllLines(folder.resolve("s.csv")).size());
    }

    @Test
    void demo() throws IOException {
        assertEquals(0, run("demo", "--output", path("demo"), "--frames", "10", "--width", "320", "--height", "240",
                "--rotation", "2", "--zoom", "2"), err.toString());
        assertTrue(out.toString().contains("pair error"), out.toString());
        for (String name : Arrays.asList("panorama.png", "transforms.csv", "frames.csv", "truth.csv")) {
            assertTrue(Files.size(folder.resolve("demo").resolve(name)) > 0, name);
        }
    }

    /** One frame of seven is no image: every command reports it and uses the others. */
    @Test
    void lostFramesHaveAnExitCode() throws IOException {
        sequence("seq", 7);
        File[] files = new File(path("seq")).listFiles();
        Arrays.sort(files);
        Files.write(files[3].toPath(), "no picture".getBytes());
        assertFails(Main.PARTIAL, "not in the panorama: 1 of 7 frames: frame 4 (skipped)", "mosaic", "--painting",
                "Union", "--input", path("seq"), "--output", path("a.png"), "--transforms", path("t.csv"));
        assertTrue(out.toString().contains("frames      6 ok, 0 doubtful, 1 not registered"), out.toString());
        assertTrue(out.toString().contains("lost        1 of 7 frames: frame 4 (skipped)"), out.toString());
        assertTrue(Files.size(folder.resolve("a.png")) > 0);
        assertFails(Main.PARTIAL, "1 of 7 frames has no transform", "apply", "--painting", "Union", "--input",
                path("seq"), "--transforms", path("t.csv"), "--output", path("b.png"));
        assertArrayEquals(Files.readAllBytes(folder.resolve("a.png")), Files.readAllBytes(folder.resolve("b.png")));
        assertFails(Main.PARTIAL, "left out", "sweep", "--input", path("seq"), "--ranges", "landmarks=6-7");
        assertFails(Main.PARTIAL, "not every frame is aligned: ", "exposures", "--input", path("seq"), "--transforms",
                path("e.csv"));
        assertEquals(0, run("quality", "--input", path("seq"), "--transforms", path("t.csv")), err.toString());
        Files.write(files[5].toPath(), "no picture".getBytes());
        assertFails(Main.PARTIAL, "left out", "quality", "--input", path("seq"), "--transforms", path("t.csv"));
    }

    @Test
    void usage() {
        assertEquals(0, run("--help"));
        assertTrue(out.toString().contains("Exit codes:"));
        assertEquals(0, run("mosaic", "--help"));
        assertTrue(out.toString().contains("130  interrupted") && out.toString().contains("--cthresh"));
        assertEquals(0, run("--version"));
        assertEquals(2, run());
        assertFails(2, "nonsense", "nonsense");
        assertFails(2, "--output", "mosaic", "--input", "x");
        assertFails(2, "--what", "info", "--what", "x");
        assertFails(2, "template 52: must be", "mosaic", "--input", "x", "--output", "y.png", "--template", "52");
        assertFails(2, "warp Bent: must be", "mosaic", "--input", "x", "--output", "y.png", "--warp", "Bent");
        assertFails(2, "must end in .png", "mosaic", "--input", "x", "--output", "y.jpg");
        assertFails(2, "--plot y.jpg: must end in .png", "mosaic", "--input", "x", "--plot", "y.jpg");
        assertFails(2, "no folder", "mosaic", "--input", "x", "--output", path("none/y.png"));
        assertFails(2, "transforms", "apply", "--input", "x", "--output", path("y.png"));
        sequence("seq.tif", 3);
        assertFails(2, "larger than the field", "mosaic", "--input", path("seq.tif"), "--output", path("y.png"),
                "--template", "255");
        assertFails(2, "warp Homography: goes with method Best alone", "mosaic", "--input", path("seq.tif"), "--output",
                path("y.png"), "--warp", "Homography", "--method", "Paper");
        assertFails(2, "--mask", "mosaic", "--input", path("seq.tif"), "--output", path("y.png"), "--field",
                "Selection");
    }

    @Test
    void badInput() throws IOException {
        assertFails(3, "no such file", "mosaic", "--input", path("none"), "--output", path("y.png"));
        assertFails(3, "no png, jpg", "mosaic", "--input", folder.toString(), "--output", path("y.png"));
        Files.createDirectories(folder.resolve("a sequence"));
        assertFails(3, "mosaic --batch " + folder + " makes a panorama of each", "mosaic", "--input", folder.toString(), "--output",
                path("y.png"));
        Files.write(folder.resolve("x.tif"), new byte[100]);
        assertFails(3, "cannot be read as TIFF", "mosaic", "--input", path("x.tif"), "--output", path("y.png"));
        new FileSaver(new ImagePlus("", new FloatProcessor(64, 64))).saveAsTiff(path("f.tif"));
        assertFails(3, "32-bit float", "mosaic", "--input", path("f.tif"), "--output", path("y.png"));
        new FileSaver(new ImagePlus("", new ByteProcessor(64, 64))).saveAsTiff(path("one.tif"));
        assertFails(3, "at least 2 frames", "mosaic", "--input", path("one.tif"), "--output", path("y.png"));
        Files.write(folder.resolve("t.csv"), "a,b\n".getBytes("UTF-8"));
        assertFails(3, "line 1", "quality", "--input", path("one.tif"), "--transforms", path("t.csv"));
        assertFalse(Files.exists(folder.resolve("y.png")));
    }

    @Test
    void truncatedStackKeepsTheFramesBefore() throws IOException {
        sequence("seq.tif", 8);
        try (RandomAccessFile file = new RandomAccessFile(path("seq.tif"), "rw")) {
            file.setLength(file.length() - 320 * 240 * 3 * 5 / 2);
        }
        int code = run("mosaic", "--input", path("seq.tif"), "--output", path("y.png"));
        assertEquals(Main.PARTIAL, code, err.toString());
        assertTrue(err.toString().contains("truncated"), err.toString());
        assertTrue(out.toString().contains("5 ok, 0 doubtful, 3 not registered"), out.toString() + err);
    }

    @Test
    void blackFramesGiveNothing() throws IOException {
        for (int i = 0; i < 4; i++) {
            ImageFiles.writePng(folder.resolve(i + ".png").toFile(), new ByteProcessor(100, 80));
        }
        assertFails(4, "no frame could be registered", "mosaic", "--input", folder.toString(), "--output",
                path("out.tif"), "--table", path("f.csv"));
        assertEquals(5, Files.readAllLines(folder.resolve("f.csv")).size());
    }

    @Test
    void unusableBackEnd() {
        sequence("seq.tif", 3);
        int code = run("mosaic", "--input", path("seq.tif"), "--output", path("y.png"), "--backend", "CUDA");
        assertTrue(code == 5 && err.toString().contains("CUDA") || code == 0, err.toString());
        assertFails(2, "devices 0,x: must be numbers of devices", "mosaic", "--input", path("seq.tif"), "--output",
                path("y.png"), "--devices", "0,x");
    }

    @Test
    void failingDeviceLosesNothing() throws IOException {
        sequence("seq.tif", 12);
        assertEquals(0, run("mosaic", "--input", path("seq.tif"), "--output", path("a.png"), "--transforms",
                path("a.csv")), err.toString());
        assertTrue(err.toString().contains("backend "), err.toString());
        System.setProperty("endorama.failAfter", "9");
        try {
            assertEquals(0, run("mosaic", "--input", path("seq.tif"), "--output", path("b.png"), "--transforms",
                    path("b.csv")), err.toString());
            assertTrue(err.toString().contains("nothing is lost"), err.toString());
            assertArrayEquals(Files.readAllBytes(folder.resolve("a.png")), Files.readAllBytes(folder.resolve("b.png")));
            List<String> all = Files.readAllLines(folder.resolve("a.csv"));
            assertEquals(all, Files.readAllLines(folder.resolve("b.csv")));
            // The device fails while the first chunk is painted; the registered poses are written along the chain.
            System.setProperty("endorama.failAfter", "15");
            assertFails(5, "device failed", "mosaic", "--input", path("seq.tif"), "--output", path("c.png"),
                    "--transforms", path("c.csv"), "--table", path("c.table.csv"), "--backend", "CPU");
            List<String> done = Files.readAllLines(folder.resolve("c.csv"));
            assertTrue(done.size() > 5, "rows " + done.size());
            for (int i = 1; i < done.size(); i++) {
                String chained = String.join(",", Arrays.asList(all.get(i).split(",")).subList(11, 17));
                assertTrue(done.get(i).startsWith(i + "," + chained + ","), done.get(i) + " is not " + chained);
            }
            assertTrue(Files.readAllLines(folder.resolve("c.table.csv")).get(2).contains(",cpu,"));
        } finally {
            System.clearProperty("endorama.failAfter");
        }
    }

    /** Number of outlines of frames in a file of ROIs. */
    private int outlines(String name) throws IOException {
        try (ZipFile zip = new ZipFile(folder.resolve(name).toFile())) {
            return (int) zip.stream().filter(entry -> entry.getName().matches("frame \\d+\\.roi")).count();
        }
    }

    /** Two scenes, one after the other, give a panorama each, and one file of transforms. */
    @Test
    void severalPanoramasAreNumbered() throws IOException {
        sequence("both", 6);
        assertEquals(0, run("demo-sequence", "--output", path("other"), "--frames", "8", "--width", "320", "--height",
                "240", "--rotation", "2", "--zoom", "2", "--seed", "77"), err.toString());
        for (File file : folder.resolve("other").toFile().listFiles()) {
            Files.move(file.toPath(), folder.resolve("both").resolve("later-" + file.getName()));
        }
        assertEquals(0, run("mosaic", "--painting", "Union", "--input", path("both"), "--output", path("p.png"),
                "--transforms", path("p.csv"), "--plot", path("c.png"), "--report", path("r.html"), "--rois", path("o.zip"),
                "--overlay", path("o.png"), "--film", path("o.avi")), err.toString());
        assertTrue(outlines("o.zip") == 8 && outlines("o-2.zip") == 6, outlines("o.zip") + " and " + outlines("o-2.zip"));
        assertFalse(Arrays.equals(Files.readAllBytes(folder.resolve("o.png")), Files.readAllBytes(folder.resolve("o-2.png"))));
        assertFalse(Arrays.equals(Files.readAllBytes(folder.resolve("o.avi")), Files.readAllBytes(folder.resolve("o-2.avi"))));
        assertTrue(out.toString().contains("verdict     look at these: the frames make 2 panoramas, the largest of 8"), out.toString());
        assertFalse(Arrays.equals(Files.readAllBytes(folder.resolve("c.png")), Files.readAllBytes(folder.resolve("c-2.png"))));
        assertTrue(Files.size(folder.resolve("r.html")) > 1000);
        assertTrue(out.toString().contains("frames      14 ok, 0 doubtful, 0 not registered; 2 panoramas"), out.toString());
        assertTrue(out.toString().contains("panorama 2  6 frames"), out.toString());
        assertFalse(Files.exists(folder.resolve("p-1.png")), "the largest panorama is p.png");
        assertTrue(Files.size(folder.resolve("p-2.png")) > 1000);
        List<String> lines = Files.readAllLines(folder.resolve("p.csv"));
        assertTrue(lines.get(0).startsWith("frame,m00,m01,m02,m10,m11,m12,registered,part,deviation,key,c00"), lines.get(0));
        for (int i = 1; i <= 14; i++) {
            assertEquals(i <= 6 ? "2" : "1", lines.get(i).split(",")[8], lines.get(i));
        }
        assertEquals(6, run("apply", "--painting", "Union", "--input", path("both"), "--transforms", path("p.csv"), "--output", path("q.png")),
                err.toString());
        assertTrue(err.toString().contains("6 frames belong to other panoramas than the first"), err.toString());
        assertArrayEquals(Files.readAllBytes(folder.resolve("p.png")), Files.readAllBytes(folder.resolve("q.png")));
    }

    @Test
    void extrasAreFilesBesideThePanorama() throws IOException {
        sequence("in.tif", 6);
        File files = folder.resolve("files").toFile();
        assertTrue(files.mkdir());
        for (String ending : new String[] {".ome.tif", ".tif", ".png"}) {
            assertEquals(0, run("mosaic", "--input", path("in.tif"), "--output", path("files/p.x" + ending), "--extra",
                    "Both"), err.toString());
            for (String name : new String[] {"p.x", "p.x-coverage", "p.x-uncertainty"}) {
                File file = new File(files, name + ending);
                byte[] head = Files.readAllBytes(file.toPath());
                int magic = head[2] == 0 ? head[3] : head[2];
                assertEquals(ending.equals(".ome.tif") ? 43 : ending.equals(".tif") ? 42 : 'N', magic, file.toString());
            }
        }
        assertEquals(9, files.list().length, Arrays.toString(files.list()));
        ImagePlus uncertainty = new ij.io.Opener().openImage(path("files/p.x-uncertainty.tif"));
        assertEquals("px", uncertainty.getCalibration().getValueUnit());
        assertEquals(1.5, uncertainty.getCalibration().getCValue(150), 1e-6);
        assertEquals(6, new ij.io.Opener().openImage(path("files/p.x-coverage.tif")).getStatistics().max);
    }

    @Test
    void interruptWritesWhatIsDone() throws IOException {
        sequence("seq.tif", 400);
        assertEquals(130, run(OutputsTest.interruptAfter(200), "mosaic", "--input", path("seq.tif"), "--output",
                path("y.png"), "--transforms", path("t.csv"), "--threads", "1"), err.toString());
        assertTrue(Files.readAllLines(folder.resolve("t.csv")).size() < 401, out.toString());
    }

    @Test
    void wordsOfNoOptionAreNamed() {
        assertEquals(2, run("mosaik"));
        assertTrue(err.toString().startsWith("endorama: mosaik: no such command; did you mean mosaic?\n"), err.toString());
        assertEquals(2, run("mosaic", "--input", "my", "folder", "--output", "x.png"));
        assertTrue(err.toString().startsWith("endorama: folder: belongs to no option; a path with blanks needs quotes\n"
                + "Try: endorama mosaic --help"), err.toString());
        assertEquals(2, run("mosaic", "--colour", "red"));
        assertTrue(err.toString().startsWith("endorama: --colour: no such option of mosaic\n"), err.toString());
        assertEquals(2, run("mosaic", "--blend", "yes"));
        assertTrue(err.toString().startsWith("endorama: --blend: no such option of mosaic; see --painting\n"), err.toString());
        assertEquals(2, run("ahe", "--blend", "yes"));
        assertFalse(err.toString().contains("--painting"), err.toString());
        assertEquals(2, run("mosaic", "--tempalte", "31"));
        assertTrue(err.toString().startsWith("endorama: --tempalte: no such option of mosaic; did you mean --template?\n"),
                err.toString());
    }

    @Test
    void info() {
        assertEquals(0, run("info", "--json"), out.toString());
        assertTrue(out.toString().contains("\"self-check\": \"passed"), out.toString());
    }

    @Test
    void namesAreInNaturalOrder() {
        String[] names = {"f10.png", "f2.png", "f02b.png", "F1.png", "f.png"};
        Arrays.sort(names, ImageFolder::compare);
        assertEquals("[f.png, F1.png, f2.png, f02b.png, f10.png]", Arrays.toString(names));
    }

    @Test
    void framesOfOtherSizesAreNamed() throws IOException {
        ImageFiles.writePng(folder.resolve("1.png").toFile(), new ByteProcessor(100, 80));
        ImageFiles.writePng(folder.resolve("2.png").toFile(), new ByteProcessor(90, 80));
        ImageFolder frames = new ImageFolder(folder.toFile());
        String message = "";
        try {
            frames.pixels(1);
        } catch (FrameReadException e) {
            message = e.getMessage();
        }
        assertTrue(message.contains("frame 2") && message.contains("90 x 80"), message);
    }

    /** A video, a range of it, and the same frames from a folder give the same panorama. */
    @Test
    void aVideoIsASequence() throws Exception {
        TestVideos.need();
        sequence("frames", 12);
        TestVideos.ffmpeg("-i", path("frames") + "/frame%05d.png", "-c:v", "ffv1", "-pix_fmt", "bgr0", path("a.mkv"));
        assertEquals(0, run("mosaic", "--input", path("frames"), "--output", path("a.png"), "--frames", "3-11:2",
                "--transforms", path("t.csv")), err.toString());
        assertEquals(6, Files.readAllLines(folder.resolve("t.csv")).size());
        assertEquals(0, run("mosaic", "--input", path("a.mkv"), "--output", path("b.png"), "--frames", "3-11:2"),
                err.toString());
        assertArrayEquals(Files.readAllBytes(folder.resolve("a.png")), Files.readAllBytes(folder.resolve("b.png")));
        assertFails(2, "frames 3-13: the sequence has 12 frames", "mosaic", "--input", path("a.mkv"), "--output",
                path("c.png"), "--frames", "3-13");
    }

    /** The warnings of stage files are printed, first that of the lens. */
    @Test
    void everyWarningHasALine() throws IOException {
        sequence("seq.tif", 4);
        assertEquals(0, run("register", "--input", path("seq.tif"), "--pairs", path("p.json")), err.toString());
        assertEquals(0, run("solve", "--pairs", path("p.json"), "--places", path("q.json")), err.toString());
        String poses = new String(Files.readAllBytes(folder.resolve("q.json")), "UTF-8");
        write("q.json", poses.replaceFirst("\"warnings\":\\[\\]", "\"warnings\":[\"curved\",\"slanted\"]"));
        assertEquals(0, run("paint", "--input", path("seq.tif"), "--places", path("q.json"), "--output", path("a.png")),
                err.toString());
        List<String> lines = Arrays.asList(out.toString().split("\\R"));
        int first = lines.indexOf("warning     curved");
        assertTrue(first > 0 && lines.get(first + 1).equals("warning     slanted"), out.toString());
    }

    /** The curves of the frames are drawn, and the options of a run are used for another one. */
    @Test
    void curvesAreDrawnAndOptionsTakenAgain() throws Exception {
        sequence("frames", 6);
        assertEquals(0, run("mosaic", "--input", path("frames"), "--output", path("a.png"), "--plot", path("p.png"), "--json", path("run.json"), "--rim", "6", "--painting", "Ring", "--frames", "2-"),
                err.toString());
        assertTrue(javax.imageio.ImageIO.read(folder.resolve("p.png").toFile()).getWidth() > 500);

        assertEquals(0, run("mosaic", "--input", path("frames"), "--output", path("b.png"), "--options", path("run.json")),
                err.toString());
        assertArrayEquals(Files.readAllBytes(folder.resolve("a.png")), Files.readAllBytes(folder.resolve("b.png")));
        assertEquals(0, run("mosaic", "--input", path("frames"), "--json", path("again.json"), "--options",
                path("run.json"), "--rim", "4"), err.toString());
        String again = new String(Files.readAllBytes(folder.resolve("again.json")), "UTF-8");
        assertTrue(again.contains("\"rim\": 4") && again.contains("\"painting\": \"Ring\""), again);

        Files.write(folder.resolve("other.json"), "{\"options\": {\"window\": 63}}".getBytes("UTF-8"));
        assertFails(3, "its option window is none of mosaic", "mosaic", "--input", path("frames"), "--output",
                path("c.png"), "--options", path("other.json"));
        assertFails(3, "holds no \"options\"", "mosaic", "--input", path("frames"), "--output", path("c.png"),
                "--options", write("none.json", "{}"));
    }

    private String write(String name, String text) throws IOException {
        Files.write(folder.resolve(name), text.getBytes("UTF-8"));
        return path(name);
    }
}
