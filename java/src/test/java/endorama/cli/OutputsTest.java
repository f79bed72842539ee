package endorama.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import endorama.core.transforms.TransformsFile;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that must never be destroyed, and outputs that are written although another one fails. */
class OutputsTest extends CommandFolder {
    private static final Path FULL = Paths.get("/dev/full");

    /** An interrupt at the given number of polls. */
    static Interrupt interruptAfter(int questions) {
        AtomicInteger left = new AtomicInteger(questions);
        return new Interrupt() {
            @Override
            boolean requested() {
                return super.requested() || left.getAndDecrement() <= 0;
            }
        };
    }

    // ------------------------------------------------- links, pipes, devices

    @Test
    void linksStayAndTheirTargetsAreWritten() throws IOException {
        Files.createDirectory(path("there"));
        Files.write(path("there/old.csv"), "old".getBytes(StandardCharsets.UTF_8));
        Files.createSymbolicLink(path("a.csv"), Paths.get("there/old.csv"));
        Files.createSymbolicLink(path("b.csv"), Paths.get("there/new.csv"));
        Files.createSymbolicLink(path("c.csv"), Paths.get("c.csv"));
        assertEquals(0, run("mosaic --input F/X --output F/p.png --transforms F/a.csv --table F/b.csv"), err.toString());
        assertTrue(Files.isSymbolicLink(path("a.csv")) && Files.isSymbolicLink(path("b.csv")));
        assertEquals(6, TransformsFile.read(path("there/old.csv").toFile()).size());
        assertEquals(7, Files.readAllLines(path("there/new.csv")).size());
        assertRefused("mosaic --input F/X --output F/p.png --table F/c.csv", "c.csv cannot be written");
    }

    @Test
    void pipesAreWrittenToAndStay() throws Exception {
        assertEquals(0, new ProcessBuilder("mkfifo", path("pipe").toString()).start().waitFor());
        FutureTask<List<String>> reader = new FutureTask<>(() -> Files.readAllLines(path("pipe")));
        new Thread(reader).start();
        assertEquals(0, run("quality --input F/X --transforms F/t.csv --table F/pipe"), err.toString());
        assertEquals("frame,reference,quality", reader.get().get(0));
        assertFalse(Files.isRegularFile(path("pipe")));
    }

    @Test
    void standardOutputIsNotReplaced() throws Exception {
        JavaProcess java = new JavaProcess(folder);
        Path file = path("stdout.txt");
        assertEquals(0, java.runTo(ProcessBuilder.Redirect.to(file.toFile()), main("quality --input F/X --transforms"
                + " F/t.csv --table /dev/stdout")), java.output);
        List<String> lines = Files.readAllLines(file);
        assertEquals("frame,reference,quality", lines.get(0));
        assertTrue(lines.get(lines.size() - 1).startsWith("quality  "), lines.toString());
        assertEquals(7, lines.size());
    }

    @Test
    void resultsThatNobodyGetsAreAFailure() throws Exception {
        assumeTrue(Files.exists(FULL));
        JavaProcess java = new JavaProcess(folder);
        assertEquals(2, java.runTo(ProcessBuilder.Redirect.to(FULL.toFile()), main("quality --input F/X --transforms"
                + " F/t.csv")));
        assertTrue(java.output.contains("endorama: standard output cannot be written"), java.output);
        Files.write(path("m.ijm"), "print('x');".getBytes(StandardCharsets.UTF_8));
        assertEquals(1, java.runTo(ProcessBuilder.Redirect.to(FULL.toFile()), "endorama.cli.MacroRunner",
                path("m.ijm").toString()));
        assertTrue(java.output.contains("standard output cannot be written"), java.output);
    }

    private String[] main(String line) {
        List<String> words = new ArrayList<>(java.util.Arrays.asList(words(line)));
        words.add(0, "endorama.cli.Main");
        return words.toArray(new String[0]);
    }

    // ---------------------------------------------------- independent outputs

    @ParameterizedTest
    @CsvSource({"transforms,full.csv", "table,full.csv", "json,full.csv", "output,full.png", "rois,full.zip",
        "overlay,full.png", "film,full.avi"})
    void outputsDoNotCostOneAnother(String lost, String link) throws IOException {
        assumeTrue(Files.exists(FULL));
        Files.createSymbolicLink(path(link), FULL);
        String line = "mosaic --input F/X --output F/p.png --transforms F/a.csv --table F/b.csv --json F/c.json"
                + " --rois F/d.zip --overlay F/e.png --film F/f.avi";
        assertEquals(2, run(line.replaceAll("--" + lost + " \\S+", "--" + lost + " F/" + link)), err.toString());
        assertTrue(err.toString().contains(path(link) + " cannot be written"), err.toString());
        Map<String, String> files = new TreeMap<>();
        files.put("output", "p.png");
        files.put("transforms", "a.csv");
        files.put("table", "b.csv");
        files.put("json", "c.json");
        files.put("rois", "d.zip");
        files.put("overlay", "e.png");
        files.put("film", "f.avi");
        for (Map.Entry<String, String> file : files.entrySet()) {
            assertEquals(!file.getKey().equals(lost), Files.exists(path(file.getValue())), file.getValue());
        }
        assertTrue(Files.isSymbolicLink(path(link)));
        Files.delete(path(link));
        assertTrue(out.toString().contains("6 ok, 0 doubtful, 0 not registered"), out.toString());
    }

    @Test
    void filesOfAFolderDoNotCostOneAnother() throws IOException {
        Files.createDirectories(path("out/frame00002.png"));
        assertEquals(2, run("ahe --input F/X --output F/out"), err.toString());
        assertTrue(err.toString().contains("frame00002.png cannot be written"), err.toString());
        assertTrue(Files.isRegularFile(path("out/frame00001.png")) && Files.isRegularFile(path("out/frame00006.png")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"mosaic --input F/X --output F/old.png --transforms F/old.csv --table F/old2.csv",
        "exposures --input F/X --transforms F/old.csv --table F/old2.csv --output F/old.tif",
        "quality --input F/X --transforms F/t.csv --table F/old.csv",
        "sweep --input F/X --ranges landmarks=6 --table F/old.csv",
        "apply --input F/X --transforms F/t.csv --output F/old.png",
        "apply --input F/X --transforms F/t.csv --mode Aligned_stack --output F/old.tif",
        "demo-sequence --frames 9 --output F/old.tif --truth F/old.csv"})
    void interruptNeverPutsNothingInPlaceOfSomething(String line) throws IOException {
        for (int questions = 0; questions < 12; questions++) {
            for (String name : new String[] {"old.csv", "old2.csv", "old.png", "old.tif"}) {
                Files.write(path(name), "old".getBytes(StandardCharsets.UTF_8));
            }
            int code = run(interruptAfter(questions), line);
            assertEquals(Main.INTERRUPTED, code == 0 ? 130 : code, questions + ": " + err);
            assertTrue(code == 0 || err.toString().contains("interrupted"), err.toString());
            for (String name : new String[] {"old.csv", "old2.csv"}) {
                List<String> lines = Files.readAllLines(path(name));
                boolean kept = lines.get(0).equals("old");
                assertTrue(kept || lines.size() > 2 || lines.size() > 1 && !line.startsWith("mosaic"), questions + ": "
                        + lines);
            }
            assertTrue(Files.size(path("old.png")) == 3 || ImageFiles.read(path("old.png").toFile()).width > 0);
            assertTrue(Files.size(path("old.tif")) == 3 || new TiffStack(path("old.tif").toFile()).count() > 0);
        }
    }

    /** Ctrl-C while a pyramid is written ends that; Ctrl-C before it leaves the results to be written. */
    @Test
    void pyramidsAreStopped() throws IOException {
        Interrupt whileWriting = new Interrupt() {
            @Override
            boolean requested() {
                for (StackTraceElement at : Thread.currentThread().getStackTrace()) {
                    if (at.getClassName().endsWith("PyramidTiff")) {
                        request();
                    }
                }
                return super.requested();
            }
        };
        String line = "mosaic --input F/X --output F/p.ome.tif --transforms F/p.csv --extra Both";
        assertEquals(Main.INTERRUPTED, run(whileWriting, line), err.toString());
        assertTrue(err.toString().contains("p.ome.tif: interrupted while it was written; it is as it was before"),
                err.toString());
        assertTrue(out.toString().contains("frames      6 ok"), out.toString());
        assertFalse(Files.exists(path("p.ome.tif")) || Files.exists(path("p-coverage.ome.tif")));
        assertEquals(7, Files.readAllLines(path("p.csv")).size());
        Interrupt before = new Interrupt() {
            @Override
            boolean requested() {
                return super.requested() || out.toString().isEmpty() && registered();
            }

            /** The light is known, and there is no panorama yet. */
            private boolean registered() {
                if (err.toString().contains("light ")) {
                    request();
                }
                return super.requested();
            }
        };
        assertEquals(Main.INTERRUPTED, run(before, line), err.toString());
        assertTrue(Files.size(path("p.ome.tif")) > 1000, err.toString());
    }

    // ----------------------------------------------------- unfinished files

    @Test
    void killedRunsLeaveNothingForLong() throws Exception {
        JavaProcess java = new JavaProcess(folder);
        Files.createDirectory(path("out"));
        Process process = java.start(ProcessBuilder.Redirect.to(path("log").toFile()), main("demo-sequence --output"
                + " F/out/big.tif --frames 5000 --width 400 --height 300 --step 0"));
        while (process.isAlive() && !parts().stream().anyMatch(name -> path("out/" + name).toFile().length() > 0)) {
            Thread.sleep(5);
        }
        assertEquals(0, run("quality --input F/X --transforms F/t.csv --table F/out/a.csv"), err.toString());
        assertEquals(1, parts().size(), "a run that lives was robbed");
        process.destroyForcibly().waitFor();
        assertEquals(1, parts().size());
        Files.write(path("out/.foreign.part"), new byte[1]);
        assertEquals(0, run("quality --input F/X --transforms F/t.csv --table F/out/a.csv"), err.toString());
        assertEquals("[.foreign.part]", parts().toString());
    }

    private List<String> parts() {
        String[] names = new File(folder.toFile(), "out").list((dir, name) -> name.endsWith(".part"));
        return java.util.Arrays.asList(names == null ? new String[0] : names);
    }

    /** Cancelling a command may interrupt its thread: the results must still be written. */
    @Test
    void interruptedThreadsCanWrite() throws IOException {
        byte[] before = Files.readAllBytes(path("t.csv"));
        Thread.currentThread().interrupt();
        try {
            TransformsFile.write(path("again.csv").toFile(), TransformsFile.read(path("t.csv").toFile()),
                    (Map<String, Object>) null, null);
        } finally {
            assertTrue(Thread.interrupted());
        }
        assertArrayEquals(before, Files.readAllBytes(path("again.csv")));
    }

    @Test
    void interruptedDemoSequenceEndsSoon() throws Exception {
        JavaProcess java = new JavaProcess(folder);
        Path log = path("log");
        Process process = java.start(ProcessBuilder.Redirect.to(log.toFile()), main("demo-sequence --output F/big.tif"
                + " --frames 4000"));
        Thread.sleep(1500);
        process.destroy();
        long start = System.nanoTime();
        assertEquals(143, java.end(process, log), java.output);
        double seconds = (System.nanoTime() - start) / 1e9;
        assertTrue(seconds < 4, seconds + " s: " + java.output);
        assertFalse(Files.exists(path("big.tif")));
    }

    /** Runs 60 frames of 1.2 MB in a heap of 48 MB. */
    @ParameterizedTest
    @ValueSource(strings = {"apply --transforms F/t.csv --mode Aligned_stack --output F/out.tif",
        "ahe --output F/out.tif", "exposures --output F/out.tif"})
    void stacksStream(String line) throws Exception {
        assertEquals(0, run("demo-sequence --frames 60 --width 640 --height 480 --truth F/t.csv --output F/long.tif"));
        JavaProcess java = new JavaProcess(folder);
        java.heap = "48m";
        int code = java.run(main(line + " --input F/long.tif"));
        assertTrue(code == 0 || code == 6, java.output); // not every one of these frames has an exposure to align
        assertEquals(60, new TiffStack(path("out.tif").toFile()).count());
    }
}
