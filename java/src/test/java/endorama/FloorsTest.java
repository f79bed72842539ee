package endorama;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Packages are layered: each names only lower ones, by imports or by full names; only layers above core use ImageJ and AWT,
 * and one alone uses SciJava.
 */
class FloorsTest {
    private static final Path SOURCES = Paths.get(System.getProperty("endorama.basedir", "."), "java/src/main/java/endorama");
    private static final Pattern NAMED = Pattern.compile("\\bendorama\\.((?:[a-z]\\w*\\.)+)[A-Z*]");
    private static final Pattern FOREIGN = Pattern.compile("\\b(?:ij|java\\.awt|javax\\.\\w+)\\.[\\w.*]+");
    private static final int MOST_FILES = 40;

    /** From the bottom up: a package, and those that it may name. */
    private static final String[] FLOORS = {
        "jni:",
        "core.common: jni",
        "core.files:",
        "core.options: jni",
        "core.frames: jni core.common core.options",
        "core.transforms: jni core.common core.files core.options core.frames",
        "core.volumes: core.files core.options core.frames core.transforms",
        "core.engine: jni core.common core.options core.frames core.transforms",
        "core.paint: jni core.common core.files core.options core.frames core.transforms",
        "core.zarr: core.common core.files core.frames core.transforms core.paint",
        "core.mosaic: jni core.common core.files core.options core.frames core.transforms core.engine core.paint",
        "core.live: core.common core.frames core.options core.mosaic",
        "core.chains: jni core.common core.files core.options core.frames core.transforms core.engine",
        "core.exposures: jni core.common core.options core.frames core.transforms core.engine core.chains",
        "core.fourier: jni core.common core.options core.frames core.transforms core.engine core.chains core.exposures",
        "core.mutual: jni core.common core.files core.options core.frames core.transforms core.volumes core.engine"
            + " core.fourier",
        "core.equalize: jni core.common core.options core.frames core.transforms core.engine",
        "picture: core",
        "report: jni core picture",
        "plugin: core picture report",
        "scijava: core plugin",
        "cli: jni core picture report",
    };

    private static Map<String, List<String>> floors() {
        Map<String, List<String>> floors = new LinkedHashMap<String, List<String>>();
        for (String row : FLOORS) {
            String names = row.substring(row.indexOf(':') + 1).trim();
            floors.put(row.substring(0, row.indexOf(':')),
                    names.isEmpty() ? Collections.<String>emptyList() : Arrays.asList(names.split(" ")));
        }
        return floors;
    }

    private static boolean isAmong(String name, List<String> names) {
        return names.contains(name) || name.startsWith("core.") && names.contains("core");
    }

    /** The names in a source text that its package may not use. */
    private static List<String> faults(String floor, String text) {
        List<String> faults = new ArrayList<String>();
        Matcher named = NAMED.matcher(text);
        while (named.find()) {
            String other = named.group(1).substring(0, named.group(1).length() - 1);
            if (!other.equals(floor) && !isAmong(other, floors().get(floor))) {
                faults.add(floor + " names " + other);
            }
        }
        Matcher foreign = FOREIGN.matcher(floor.equals("jni") || floor.startsWith("core.") ? text : "");
        while (foreign.find()) {
            faults.add(floor + " names " + foreign.group());
        }
        if (!floor.equals("scijava") && text.contains("org.scijava.")) {
            faults.add(floor + " names org.scijava");
        }
        return faults;
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).collect(Collectors.toList());
        }
    }

    private static String floor(Path file) {
        return SOURCES.relativize(file.getParent()).toString().replace(file.getFileSystem().getSeparator(), ".");
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }

    @Test
    void everyFloorStandsOnLowerOnes() {
        List<String> lower = new ArrayList<String>();
        for (Map.Entry<String, List<String>> floor : floors().entrySet()) {
            for (String name : floor.getValue()) {
                assertTrue(lower.contains(name) || name.equals("core") && !floor.getKey().startsWith("core"),
                        floor.getKey() + ": " + name);
            }
            lower.add(floor.getKey());
        }
    }

    @Test
    void everyPackageHasItsFloorAndSaysWhatItIs() throws IOException {
        TreeSet<String> found = new TreeSet<String>();
        for (Path file : files(SOURCES)) {
            if (!file.endsWith("package-info.java")) {
                found.add(floor(file));
                assertTrue(Files.exists(file.resolveSibling("package-info.java")), floor(file));
            }
        }
        assertEquals(new TreeSet<String>(floors().keySet()), found);
    }

    @Test
    void packagesNameOnlyLowerOnes() throws IOException {
        List<String> faults = new ArrayList<String>();
        for (Path file : files(SOURCES)) {
            if (!file.endsWith("package-info.java")) {
                for (String fault : faults(floor(file), text(file))) {
                    faults.add(file.getFileName() + ": " + fault);
                }
            }
        }
        assertEquals(Collections.emptyList(), faults);
    }

    @Test
    void faultsAreFound() {
        assertEquals(Collections.singletonList("core.frames names core.mosaic"),
                faults("core.frames", "import endorama.core.mosaic.MosaicSession;\nimport endorama.core.options.Option;\n"));
        assertEquals(Collections.singletonList("core.transforms names core.paint"),
                faults("core.transforms", "return endorama.core.paint.Panorama.SCALE;"));
        assertEquals(Collections.singletonList("jni names core.common"), faults("jni", "import endorama.core.common.*;"));
        assertEquals(Collections.singletonList("core.files names java.awt.Window"),
                faults("core.files", "import java.awt.Window;"));
        assertEquals(Collections.singletonList("plugin names org.scijava"),
                faults("plugin", "import org.scijava.command.Command;"));
        assertEquals(Collections.emptyList(), faults("scijava", "import org.scijava.command.Command;"));
        assertEquals(Collections.emptyList(), faults("cli", "import ij.IJ;\nimport endorama.core.mutual.MutualRow;"));
    }

    @Test
    void packagesAreSmall() throws IOException {
        for (String floor : floors().keySet()) {
            int count = files(SOURCES.resolve(floor.replace('.', '/'))).size();
            assertTrue(!floor.startsWith("core.") || count <= MOST_FILES, floor + ": " + count);
        }
    }
}
