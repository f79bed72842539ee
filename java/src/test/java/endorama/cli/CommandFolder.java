package endorama.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A folder in which commands are run, and which must not change when they are refused. */
abstract class CommandFolder {
    @TempDir
    Path folder;
    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();

    /** A folder X with 6 frames, the same in s.tif, transforms t.csv, and a mask. */
    @BeforeEach
    void inputs() throws IOException {
        System.setProperty("java.awt.headless", "true");
        for (String output : new String[] {"X", "s.tif"}) {
            assertEquals(0, run("demo-sequence --frames 6 --width 200 --height 160 --truth F/t.csv --output F/" + output),
                    err.toString());
        }
        Files.copy(path("X/frame00001.png"), path("mask.png"));
    }

    Path path(String name) {
        return folder.resolve(name);
    }

    /** Runs a command; F/ stands for the folder, and _ for a blank within an argument. */
    int run(String line) {
        return run(new Interrupt(), line);
    }

    int run(Interrupt interrupt, String line) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Main.run(interrupt, new PrintWriter(out, true), new PrintWriter(err, true), words(line));
    }

    String[] words(String line) {
        String[] words = line.split(" ");
        for (int i = 0; i < words.length; i++) {
            words[i] = words[i].replace("F/", folder + "/").replace('_', ' ');
        }
        return words;
    }

    /** Every file with its bytes. */
    private Map<String, List<Byte>> contents() throws IOException {
        Map<String, List<Byte>> contents = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path file : paths.filter(Files::isRegularFile).collect(Collectors.toList())) {
                List<Byte> bytes = new ArrayList<>();
                for (byte b : Files.readAllBytes(file)) {
                    bytes.add(b);
                }
                contents.put(folder.relativize(file).toString(), bytes);
            }
        }
        return contents;
    }

    void assertRefused(String line, String... parts) throws IOException {
        Map<String, List<Byte>> before = contents();
        assertEquals(Main.USAGE, run(line), err.toString());
        for (String part : parts) {
            assertTrue(err.toString().contains(part.replace("F/", folder + "/")), part + " in " + err);
        }
        assertEquals(before, contents());
    }
}
