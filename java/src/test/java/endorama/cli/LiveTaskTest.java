package endorama.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.frames.FrameReadException;
import endorama.core.live.LiveFrame;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The command live: its inputs, its files, and how it ends. */
class LiveTaskTest extends CommandFolder {
    private static final int WIDTH = 200;
    private static final int HEIGHT = 160;

    /** Six moving frames with 8 px between them, as raw bytes. */
    private void raw(Path file) throws IOException {
        assertEquals(0, run("demo-sequence --frames 6 --step 8 --width 200 --height 160 --output F/moving"), err.toString());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 1; i <= 6; i++) {
            for (int pixel : (int[]) ImageFiles.read(path("moving/frame0000" + i + ".png").toFile()).pixels) {
                bytes.write(pixel >> 16);
                bytes.write(pixel >> 8);
                bytes.write(pixel);
            }
        }
        Files.write(file, bytes.toByteArray());
    }

    /** Each way to give the same frames gives the same files. */
    @Test
    void filesPipesAndFoldersGiveTheSame() throws IOException {
        raw(path("raw.rgb"));
        assertEquals(0, run("live --input F/moving --output F/a.png --transforms F/a.csv --report F/a.html --preview F/p.png"
                + " --table F/t2.csv --json F/a.json"), err.toString());
        assertTrue(out.toString().contains("live        6 frames, "), out.toString());
        assertTrue(out.toString().contains(" 0 dropped, 0 not found; "), out.toString());
        assertTrue(out.toString().contains("verdict     "), out.toString());
        Image preview = ImageFiles.read(path("p.png").toFile());
        assertTrue(preview.width >= WIDTH / 2 && preview.height >= HEIGHT, preview.width + " x " + preview.height);
        String report = new String(Files.readAllBytes(path("a.html")), StandardCharsets.UTF_8);
        assertTrue(report.contains("seconds") && !report.contains("cannot be read"));
        assertEquals(0, run("live --input F/raw.rgb --format rgb24 --size 200x160 --output F/b.png --transforms F/b.csv"),
                err.toString());
        assertArrayEquals(Files.readAllBytes(path("a.png")), Files.readAllBytes(path("b.png")));
        assertEquals(0, run(new ByteArrayInputStream(Files.readAllBytes(path("raw.rgb"))),
                "live --input - --format rgb24 --size 200x160 --every --output F/c.png"), err.toString());
        assertArrayEquals(Files.readAllBytes(path("a.png")), Files.readAllBytes(path("c.png")));
        Files.write(path("moving/END"), new byte[0]);
        assertEquals(0, run("live --input F/moving --watch --output F/d.png --options F/a.json"), err.toString());
        assertArrayEquals(Files.readAllBytes(path("a.png")), Files.readAllBytes(path("d.png")));
        assertEquals(0, run("live --input F/moving --rate 50 --every --output F/e.png"), err.toString());
        assertArrayEquals(Files.readAllBytes(path("a.png")), Files.readAllBytes(path("e.png")));
    }

    @Test
    void aDamagedStreamLeavesWhatCameBefore() throws IOException {
        raw(path("raw.rgb"));
        byte[] all = Files.readAllBytes(path("raw.rgb"));
        Files.write(path("cut.rgb"), java.util.Arrays.copyOf(all, all.length - 100));
        assertEquals(Main.PARTIAL, run("live --input F/cut.rgb --format rgb24 --size 200x160 --output F/o.png"), err.toString());
        assertTrue(err.toString().contains("frame 6 is cut off: 95900 of 96000 bytes"), err.toString());
        assertTrue(Files.exists(path("o.png")));
    }

    /** Runs a command with this standard input. */
    private int run(InputStream in, String line) {
        InputStream before = System.in;
        try {
            System.setIn(in);
            return run(line);
        } finally {
            System.setIn(before);
        }
    }

    /** A stream that cannot be read. */
    private static InputStream broken() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("Input/output error");
            }
        };
    }

    @Test
    void aStreamThatBreaksIsNoWrongOption() throws IOException {
        raw(path("raw.rgb"));
        byte[] all = Files.readAllBytes(path("raw.rgb"));
        String command = "live --input - --format rgb24 --size 200x160 --every --output F/o.png";
        assertEquals(Main.INPUT, run(broken(), command), err.toString());
        assertTrue(err.toString().contains("standard input: it cannot be read: Input/output error"), err.toString());
        assertFalse(Files.exists(path("o.png")));
        assertEquals(Main.PARTIAL, run(new SequenceInputStream(new ByteArrayInputStream(all), broken()), command), err.toString());
        assertTrue(Files.exists(path("o.png")));
        // One frame and a half is no result, not even one in part.
        assertEquals(Main.NOTHING, run(new ByteArrayInputStream(all, 0, all.length / 4), command), err.toString());
        assertTrue(err.toString().contains("frame 2 is cut off"), err.toString());
    }

    /** Its folder was writable when the run began. */
    @Test
    void aPreviewThatCannotBeWrittenIsAnOutput() throws IOException {
        raw(path("raw.rgb"));
        InputStream blocking = new ByteArrayInputStream(Files.readAllBytes(path("raw.rgb"))) {
            @Override
            public synchronized int read(byte[] into, int from, int n) {
                path("p.png").toFile().mkdir();
                return super.read(into, from, n);
            }
        };
        assertEquals(Main.USAGE, run(blocking, "live --input - --format rgb24 --size 200x160 --every --output F/o.png"
                + " --preview F/p.png"), err.toString());
        assertTrue(err.toString().contains("p.png cannot be written"), err.toString());
        assertTrue(Files.exists(path("o.png")));
    }

    @Test
    void whatCannotBeReadIsSaid() throws IOException {
        Files.write(path("no.y4m"), "RIFF".getBytes(StandardCharsets.US_ASCII));
        Files.write(path("none.y4m"), "YUV4MPEG2 W20 H20\n".getBytes(StandardCharsets.US_ASCII));
        String[][] bad = {{"F/gone", "no such file"}, {"F/no.y4m", "no.y4m: it is no YUV4MPEG2"}, {"F/none.y4m", "no frame came"},
            {"F/t.csv", "no YUV4MPEG2"}};
        for (String[] one : bad) {
            assertEquals(Main.INPUT, run("live --input " + one[0] + " --output F/o.png"), err.toString());
            assertTrue(err.toString().contains(one[1]), err.toString());
            assertFalse(Files.exists(path("o.png")));
        }
        Files.createDirectory(path("empty"));
        assertEquals(Main.INPUT, run("live --input F/empty --watch --idle 0.3 --output F/o.png"), err.toString());
    }

    /** The panorama is what the frames show, and a line says that this is little. */
    @Test
    void aStillScopeMakesAPanorama() throws IOException {
        Files.createDirectory(path("still"));
        for (int i = 0; i < 4; i++) {
            Files.copy(path("X/frame00001.png"), path("still/" + i + ".png"));
        }
        assertEquals(Main.DONE, run("live --input F/still --output F/o.png"), err.toString());
        assertTrue(err.toString().contains("the scope moved by 0.0 px of a frame at most"), err.toString());
        Image panorama = ImageFiles.read(path("o.png").toFile());
        assertEquals(WIDTH, panorama.width, 40);
        assertEquals(HEIGHT, panorama.height, 40);
    }

    @Test
    void oneFrameMakesNoPanorama() throws IOException {
        Files.createDirectory(path("one"));
        Files.copy(path("X/frame00001.png"), path("one/1.png"));
        assertEquals(Main.NOTHING, run("live --input F/one --output F/o.png"), err.toString());
        assertTrue(err.toString().contains("no two frames fit together (1 came)"), err.toString());
        assertFalse(Files.exists(path("o.png")));
    }

    /** A watched folder that is removed ends the run: its panorama is written, and the message names the folder. */
    @Test
    void aFolderThatIsRemovedEndsTheFrames() throws IOException {
        raw(path("raw.rgb"));
        Thread removing = new Thread(() -> {
            try {
                while (!Files.exists(path("p.png"))) {
                    Thread.sleep(20);
                }
                Files.move(path("moving"), path("away"));
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        removing.start();
        assertEquals(Main.PARTIAL, run("live --input F/moving --watch --output F/o.png --preview F/p.png"), err.toString());
        assertTrue(err.toString().contains("moving: the folder is no longer there"), err.toString());
        assertTrue(Files.exists(path("o.png")));
    }

    @Test
    void anInterruptBeforeTheFirstFrameWritesNothing() {
        Interrupt interrupt = new Interrupt();
        interrupt.request();
        assertEquals(Main.INTERRUPTED, run(interrupt, "live --input F/X --watch --output F/o.png"), err.toString());
        assertFalse(Files.exists(path("o.png")));
    }

    @Test
    void whatDoesNotGoTogetherIsRefused() throws IOException {
        assertRefused("live --output F/o.png", "--input");
        assertRefused("live --input F/X", "--output: missing");
        assertRefused("live --input F/s.tif --watch --output F/o.png", "--watch: goes with --input FOLDER alone");
        assertRefused("live --input - --format rgb24 --output F/o.png", "--format: goes with --size");
        assertRefused("live --input - --size 20x20 --output F/o.png", "--size: goes with --format");
        assertRefused("live --input - --size 20 --format rgb24 --output F/o.png", "size 20: must be WIDTHxHEIGHT");
        assertRefused("live --input - --size 20x20 --format yuv --output F/o.png", "must be gray8, gray16, rgb24 or bgr24");
        assertRefused("live --input F/X --size 20x20 --format rgb24 --output F/o.png", "not with a folder");
        assertRefused("live --input - --rate 5 --output F/o.png", "--rate: goes with a file");
        assertRefused("live --input F/X --watch --rate 5 --output F/o.png", "--rate: goes with a file");
        assertRefused("live --input F/X --rate 0 --output F/o.png", "rate 0");
        assertRefused("live --input F/X --idle -1 --output F/o.png", "idle -1");
        assertRefused("live --input F/X --preview F/p.jpg", "must end in .png");
        assertRefused("live --input F/X --output F/o.jpg", "must end in .png");
        assertRefused("live --input F/X --watch --preview F/X/p.png", "lies in the folder that is watched");
        assertRefused("live --input F/X --output F/o.png --preview F/o.png", "o.png");
        assertRefused("live --input F/X --field Selection --output F/o.png", "field Selection");
        assertRefused("live --input F/X --step 0.05 --output F/o.png", "step");
        assertRefused("live --input F/X --view 10 --output F/o.png", "view");
    }

    /** Images that nobody writes any more are not waited for, each for the moment that says so. */
    @Test
    void imagesThatHavePiledUpAreTakenAtOnce() throws Exception {
        Path folder = Files.createDirectory(path("piled"));
        for (int i = 0; i < 40; i++) {
            File file = Files.copy(path("X/frame00001.png"), folder.resolve(i + ".png")).toFile();
            assertTrue(file.setLastModified(System.currentTimeMillis() - 10000));
        }
        Files.write(folder.resolve(WatchedFolder.END), new byte[0]);
        long start = System.nanoTime();
        try (WatchedFolder frames = new WatchedFolder(folder.toFile())) {
            for (int i = 0; i < 40; i++) {
                assertEquals(i + ".png", frames.next().label);
            }
            assertNull(frames.next());
        }
        assertEquals(0, (System.nanoTime() - start) / 1e9, 40 * 0.04);
    }

    /** A file is taken when it is whole, in the order of names; one that stays damaged is left out. */
    @Test
    void aFolderIsWatched() throws Exception {
        Path folder = Files.createDirectory(path("watched"));
        byte[] png = Files.readAllBytes(path("X/frame00002.png"));
        Files.copy(path("X/frame00001.png"), folder.resolve("f1.png"));
        Files.write(folder.resolve("f2.png"), java.util.Arrays.copyOf(png, png.length / 2));
        Files.write(folder.resolve("notes.txt"), png);
        try (WatchedFolder frames = new WatchedFolder(folder.toFile())) {
            LiveFrame first = frames.next();
            assertEquals("f1.png", first.label);
            assertEquals(WIDTH, first.width);
            Thread writer = new Thread(() -> {
                try {
                    Thread.sleep(400);
                    Files.write(folder.resolve("f2.png"), png);
                    Files.copy(path("X/frame00003.png"), folder.resolve("f10.png"));
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            writer.start();
            LiveFrame second = frames.next();
            assertEquals("f2.png", second.label);
            assertArrayEquals((int[]) ImageFiles.read(path("X/frame00002.png").toFile()).pixels, (int[]) second.pixels());
            assertEquals("f10.png", frames.next().label);
            Files.write(folder.resolve("f11.png"), java.util.Arrays.copyOf(png, 100));
            assertThrows(FrameReadException.class, frames::next);
            Files.write(folder.resolve(WatchedFolder.END), new byte[0]);
            assertNull(frames.next());
        }
        assertThrows(FrameReadException.class, () -> new WatchedFolder(path("gone").toFile()));
    }
}
