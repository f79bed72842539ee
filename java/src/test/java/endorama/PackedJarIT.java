package endorama;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Scanner;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar as users put it into plugins/. */
class PackedJarIT {
    private static final File JAR = new File(System.getProperty("endorama.jar"));
    private static final File LIB = new File(System.getProperty("endorama.lib"));

    @TempDir
    Path folder;

    @Test
    void holdsWhatItNeedsAndNothingThatClashes() throws IOException {
        assertTrue(JAR.getName().contains("_"), "ImageJ would not look into " + JAR);
        boolean library = false;
        try (JarFile jar = new JarFile(JAR)) {
            assertTrue(jar.getEntry("plugins.config") != null);
            assertTrue(jar.getEntry("META-INF/json/org.scijava.plugin.Plugin") != null, "SciJava would find no command");
            assertEquals("ALL-UNNAMED", jar.getManifest().getMainAttributes().getValue("Enable-Native-Access"));
            for (JarEntry entry : Collections.list(jar.entries())) {
                String name = entry.getName();
                library |= name.matches("native/linux-\\w+/libendorama-[0-9.]+\\.so");
                assertTrue(!name.endsWith(".class") || name.startsWith("endorama/"), name);
            }
        }
        assertTrue(library, "no native library in " + JAR);
    }

    @Test
    void loadsInAFreshJavaMachine() throws Exception {
        assertEquals(0, run("endorama.cli.Main", "info"));
        assertEquals(0, run("endorama.cli.Main", "demo-sequence", "--frames", "4", "--width", "200", "--height",
                "160", "--output", folder.resolve("demo.tif").toString()));
        assertEquals(0, run("endorama.cli.Main", "mosaic", "--input", folder.resolve("demo.tif").toString(),
                "--output", folder.resolve("panorama.png").toString()));
        assertTrue(Files.size(folder.resolve("panorama.png")) > 1000);
    }

    @Test
    void twoAtOnceDoNotDisturbEachOther() throws Exception {
        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            processes.add(start("endorama.cli.Main", "info"));
        }
        for (Process process : processes) {
            assertEquals(0, process.waitFor());
        }
    }

    /** ImageJ makes a new class loader at Help > Refresh Menus. */
    @Test
    void loadsInTwoClassLoaders() throws Exception {
        URL[] urls = {JAR.toURI().toURL(), ij().toURI().toURL()};
        Class<?> before = null;
        for (int i = 0; i < 2; i++) {
            URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getSystemClassLoader().getParent());
            Class<?> info = loader.loadClass("endorama.plugin.InfoCommand");
            assertNotSame(before, info);
            before = info;
            String text = (String) info.getMethod("exec").invoke(null);
            assertTrue(text.contains("self-check     passed"), text);
        }
    }

    /** Plain ImageJ, which has nothing of SciJava, can make every command of the menu. */
    @Test
    void commandsOfTheMenuNeedNoSciJava() throws Exception {
        URL[] urls = {JAR.toURI().toURL(), ij().toURI().toURL()};
        int commands = 0;
        try (JarFile jar = new JarFile(JAR); URLClassLoader plain =
                new URLClassLoader(urls, ClassLoader.getSystemClassLoader().getParent());
                Scanner lines = new Scanner(jar.getInputStream(jar.getEntry("plugins.config")), "UTF-8")) {
            assertThrows(LinkageError.class, () -> plain.loadClass("endorama.scijava.Info").getDeclaredConstructor());
            while (lines.hasNextLine()) {
                String[] parts = lines.nextLine().split("\", ");
                if (parts.length == 2) {
                    Class<?> command = plain.loadClass(parts[1]);
                    command.getMethods();
                    command.getDeclaredConstructor().newInstance();
                    commands++;
                }
            }
        }
        assertTrue(commands > 10, commands + " commands");
    }

    private static File ij() {
        for (File file : LIB.listFiles()) {
            if (file.getName().startsWith("ij-1.")) {
                return file;
            }
        }
        throw new AssertionError("no ij in " + LIB);
    }

    private int run(String... arguments) throws Exception {
        Process process = start(arguments);
        int code = process.waitFor();
        if (code != 0) {
            System.err.println(new String(Files.readAllBytes(folder.resolve("log.txt")), StandardCharsets.UTF_8));
        }
        return code;
    }

    private Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(Arrays.asList(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                "-Djava.awt.headless=true", "-cp", JAR + File.pathSeparator + ij()));
        command.addAll(Arrays.asList(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log.txt").toFile())).start();
    }
}
