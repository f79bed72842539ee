package endorama.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every sequence of a folder gets its panorama, whatever happens to the others. */
class MosaicBatchTest {
    @TempDir
    Path folder;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void headless() {
        System.setProperty("java.awt.headless", "true");
    }

    private int run(String... args) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), args);
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    private void sequence(String name) {
        assertEquals(0, run("demo-sequence", "--output", path(name), "--frames", "4", "--width", "240", "--height", "200",
                "--step", "4"), err.toString());
    }

    private int batch(String... more) {
        String[] args = new String[5 + more.length];
        System.arraycopy(new String[] {"mosaic", "--batch", path("in"), "--output", path("out")}, 0, args, 0, 5);
        System.arraycopy(more, 0, args, 5, more.length);
        return run(args);
    }

    private List<String> summary() throws IOException {
        return Files.readAllLines(folder.resolve("out/summary.csv"));
    }

    @Test
    void oneThatFailsDoesNotStopTheRestAndResumeDoesOnlyWhatIsMissing() throws IOException {
        Files.createDirectories(folder.resolve("in/10 bad"));
        Files.createDirectories(folder.resolve("in/notes"));
        Files.write(folder.resolve("in/10 bad/a.png"), new byte[] {1, 2, 3, 4, 5});
        sequence("in/2");
        sequence("in/c.tif");
        assertEquals(Main.PARTIAL, batch("--jobs", "3"), err.toString());
        assertEquals(4, summary().size(), summary().toString());
        assertTrue(summary().get(1).startsWith("2,done,0,4,"), summary().get(1));
        assertTrue(summary().get(2).startsWith("10 bad,failed,3,0,"), summary().get(2));
        assertTrue(summary().get(3).startsWith("c,done,0,4,"), summary().get(3));
        assertTrue(out.toString().endsWith("verdict     look at these: 1 of 3 sequences are not good (10 bad). Next: open their"
                + " .report.html in " + path("out") + System.lineSeparator()), out.toString());
        assertTrue(err.toString().contains("left out: " + path("in/notes") + ": no png"), err.toString());
        assertTrue(err.toString().contains("endorama: 10 bad: ") && err.toString().contains("a.png"), err.toString());
        for (String ending : new String[] {".png", ".transforms.csv", ".frames.csv"}) {
            assertTrue(Files.size(folder.resolve("out/c" + ending)) > 100, ending);
        }
        assertEquals(0, run("mosaic", "--input", path("in/2"), "--output", path("alone.png")), err.toString());
        assertArrayEquals(Files.readAllBytes(folder.resolve("alone.png")), Files.readAllBytes(folder.resolve("out/2.png")));

        FileTime before = Files.getLastModifiedTime(folder.resolve("out/2.png"));
        Files.delete(folder.resolve("out/c.png"));
        Files.delete(folder.resolve("in/10 bad/a.png"));
        assertEquals(Main.DONE, batch("--resume"), err.toString());
        assertTrue(Files.exists(folder.resolve("out/c.png")));
        assertEquals(before, Files.getLastModifiedTime(folder.resolve("out/2.png")));
        assertTrue(out.toString().contains("2 done, 0 in part, 0 failed"), out.toString());

        assertEquals(Main.DONE, batch("--resume", "--painting", "Ring"), err.toString());
        assertFalse(before.equals(Files.getLastModifiedTime(folder.resolve("out/2.png"))));
    }

    @Test
    void whatDoesNotGoTogetherIsRefused() throws IOException {
        Files.createDirectories(folder.resolve("in"));
        assertEquals(Main.INPUT, batch());
        assertTrue(err.toString().contains("holds no folder of images"), err.toString());
        sequence("in/a.tif");
        assertRefused("--jobs", "--jobs", "2", "--input", path("in/a.tif"), "--output", path("a.png"));
        assertRefused("jobs 0", "--batch", path("in"), "--output", path("out"), "--jobs", "0");
        assertRefused("--table", "--batch", path("in"), "--output", path("out"), "--table", path("t.csv"));
        assertRefused("another folder", "--batch", path("in"), "--output", path("in"));
        assertRefused("--output", "--batch", path("in"));
        assertRefused("--input", "--output", path("a.png"));
        assertRefused("--output", "--input", path("in/a.tif"));
    }

    private void assertRefused(String says, String... args) {
        String[] all = new String[args.length + 1];
        all[0] = "mosaic";
        System.arraycopy(args, 0, all, 1, args.length);
        assertEquals(Main.USAGE, run(all), err.toString());
        assertTrue(err.toString().contains(says), err.toString());
    }

    /** Without a terminal, progress is a line now and then. */
    @Test
    void aLogHasLinesOfProgress() {
        sequence("a.tif");
        System.setProperty(Console.TERMINAL, "false");
        System.setProperty(Console.PERIOD, "0");
        try {
            assertEquals(0, run("mosaic", "--input", path("a.tif"), "--transforms", path("t.csv")), err.toString());
            assertTrue(err.toString().matches("(?s).*endorama: [\\d.]+ %.*"), err.toString());
            assertFalse(err.toString().contains("\r"), err.toString());
            System.setProperty(Console.TERMINAL, "true");
            assertEquals(0, run("mosaic", "--input", path("a.tif"), "--transforms", path("t.csv")), err.toString());
            assertTrue(err.toString().contains("\r100 %"), err.toString());
        } finally {
            System.clearProperty(Console.TERMINAL);
            System.clearProperty(Console.PERIOD);
        }
    }
}
