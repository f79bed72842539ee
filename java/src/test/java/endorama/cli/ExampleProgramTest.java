package endorama.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import endorama.jni.NativeDevices;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** native/example/panorama.c, built with the installed library, gives the bytes of the command. */
class ExampleProgramTest extends CommandFolder {
    private static final Path BUILD = Paths.get(System.getProperty("endorama.native.build"));

    private Path installed;
    private Path libraries;

    @BeforeEach
    void program() throws Exception {
        installed = path("installed");
        call(null, null, "cmake", "--install", BUILD.toString(), "--prefix", installed.toString());
        libraries = find("libendorama.so").getParent();
        String source = Paths.get(System.getProperty("endorama.basedir")).resolve("native/example/panorama.c").toString();
        call(null, null, compiler(), "-std=c11", "-I" + installed.resolve("include"), source, "-o", path("panorama").toString(),
                "-L" + libraries, "-lendorama");
        writeFrames();
    }

    @Test
    void onTheCpu() throws Exception {
        assertSame("cpu");
    }

    @Test
    void onADevice() throws Exception {
        if (NativeDevices.count() == 0) {
            System.err.println("SKIP ExampleProgramTest.onADevice: no CUDA device");
        }
        assumeTrue(NativeDevices.count() > 0, "no device");
        assertSame("cuda");
    }

    private void assertSame(String backend) throws Exception {
        call(path("frames.ppm"), path("program.ppm"), path("panorama").toString(), backend);
        assertEquals(0, run("mosaic --input F/X --output F/command.png --backend " + backend.toUpperCase()), err.toString());
        byte[] wanted = ppm(path("command.png"));
        assertTrue(wanted.length > 3 * 200 * 160, "" + wanted.length);
        assertArrayEquals(wanted, Files.readAllBytes(path("program.ppm")));
    }

    /** The compiler that the library was built with. */
    private static String compiler() throws IOException {
        String key = "CMAKE_C_COMPILER:";
        for (String line : Files.readAllLines(BUILD.resolve("CMakeCache.txt"))) {
            if (line.startsWith(key)) {
                return line.substring(line.indexOf('=') + 1);
            }
        }
        throw new AssertionError("no " + key + " in " + BUILD);
    }

    private Path find(String name) throws IOException {
        try (Stream<Path> files = Files.walk(installed)) {
            return files.filter(file -> file.endsWith(name)).findFirst().get();
        }
    }

    /** Runs a program to its end; in, out: files, or null. */
    private void call(Path in, Path out, String... command) throws Exception {
        Path log = path("log.txt");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile())
                .redirectOutput((out == null ? path("output.txt") : out).toFile());
        builder.environment().put("LD_LIBRARY_PATH", "" + libraries);
        if (in != null) {
            builder.redirectInput(in.toFile());
        }
        int code = builder.start().waitFor();
        assertEquals(0, code, () -> Arrays.toString(command) + ": " + said(log));
    }

    private static String said(Path log) {
        try {
            return new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private void writeFrames() throws IOException {
        List<Path> files;
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (Stream<Path> images = Files.list(path("X"))) {
            files = new ArrayList<>(images.sorted().collect(Collectors.toList()));
        }
        assertEquals(6, files.size());
        for (Path file : files) {
            all.write(ppm(file));
        }
        Files.write(path("frames.ppm"), all.toByteArray());
    }

    private static byte[] ppm(Path image) throws IOException {
        BufferedImage pixels = ImageIO.read(image.toFile());
        String head = "P6 " + pixels.getWidth() + " " + pixels.getHeight() + " 255\n";
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(head.getBytes(StandardCharsets.US_ASCII));
        for (int y = 0; y < pixels.getHeight(); y++) {
            for (int x = 0; x < pixels.getWidth(); x++) {
                int rgb = pixels.getRGB(x, y);
                out.write(rgb >> 16);
                out.write(rgb >> 8);
                out.write(rgb);
            }
        }
        return out.toByteArray();
    }
}
