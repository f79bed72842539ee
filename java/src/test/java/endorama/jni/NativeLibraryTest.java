package endorama.jni;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of the jar for each system, and the deletion of its copies. */
class NativeLibraryTest {
    @TempDir
    Path folder;

    @Test
    void namesPlatformsAsTheJarDoes() {
        assertEquals("linux-amd64", NativeLibrary.platform("Linux", "amd64"));
        assertEquals("linux-amd64", NativeLibrary.platform("Linux", "x86_64"));
        assertEquals("linux-aarch64", NativeLibrary.platform("Linux", "aarch64"));
        assertEquals("windows-amd64", NativeLibrary.platform("Windows 11", "amd64"));
        assertEquals("windows-amd64", NativeLibrary.platform("Windows Server 2022", "amd64"));
        assertEquals("macos-aarch64", NativeLibrary.platform("Mac OS X", "aarch64"));
        assertEquals("macos-amd64", NativeLibrary.platform("Mac OS X", "x86_64"));
    }

    @Test
    void looksForTheFileOfThePlatform() {
        String version = NativeLibrary.VERSION;
        assertEquals("/native/linux-amd64/libendorama-" + version + ".so", NativeLibrary.resource("linux-amd64"));
        assertEquals("/native/windows-amd64/endorama-" + version + ".dll", NativeLibrary.resource("windows-amd64"));
        assertEquals("/native/macos-aarch64/libendorama-" + version + ".dylib",
                NativeLibrary.resource("macos-aarch64"));
    }

    /** Where a file in use cannot be deleted, a later start does so; copies of machines that are starting stay. */
    @Test
    void deletesCopiesThatAreOld() throws IOException {
        Path young = Files.createFile(folder.resolve("young.dll"));
        Path old = Files.createFile(folder.resolve("old.dll"));
        Files.setLastModifiedTime(old, FileTime.fromMillis(1000));
        NativeLibrary.deleteOlder(young, 2000);
        NativeLibrary.deleteOlder(old, 2000);
        NativeLibrary.deleteOlder(folder.resolve("missing.dll"), 2000);
        assertTrue(Files.exists(young));
        assertFalse(Files.exists(old));
    }

    /** Prints the environment of a separate Java machine after loading. */
    public static final class Loading {
        private Loading() {
        }

        public static void main(String[] args) {
            NativeLibrary.load();
            // Not decided yet, because the variable was removed again.
            System.out.println("undecided " + WaitPolicy.enter());
            WaitPolicy.leave();
        }
    }

    private String load(String variable, String value) throws Exception {
        File log = folder.resolve("log").toFile();
        ProcessBuilder java = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xcheck:jni", "-cp",
                System.getProperty("java.class.path"), Loading.class.getName());
        java.environment().remove("OMP_WAIT_POLICY");
        java.environment().remove("GOMP_SPINCOUNT");
        // Makes libgomp print its settings.
        java.environment().put("OMP_DISPLAY_ENV", "verbose");
        if (variable != null) {
            java.environment().put(variable, value);
        }
        assertEquals(0, java.redirectErrorStream(true).redirectOutput(log).start().waitFor());
        return new String(Files.readAllBytes(log.toPath()), StandardCharsets.UTF_8);
    }

    @Test
    void waitingThreadsSleep() throws Exception {
        assumeTrue(NativeLibrary.platform().startsWith("linux"), "no library for that");
        assumeTrue(System.getProperty(NativeLibrary.PROPERTY) == null, "a library was named");
        String said = load(null, null);
        assertTrue(said.contains("OMP_WAIT_POLICY = 'PASSIVE'"), said);
        assertTrue(said.contains("GOMP_SPINCOUNT = '0'"), said);
        assertTrue(said.contains("undecided true"), said);
    }

    @Test
    void whatTheUserSaysOfWaitingHolds() throws Exception {
        assumeTrue(NativeLibrary.platform().startsWith("linux"), "no library for that");
        assumeTrue(System.getProperty(NativeLibrary.PROPERTY) == null, "a library was named");
        String said = load("OMP_WAIT_POLICY", "active");
        assertTrue(said.contains("OMP_WAIT_POLICY = 'ACTIVE'") && said.contains("undecided false"), said);
        said = load("GOMP_SPINCOUNT", "77");
        assertTrue(said.contains("GOMP_SPINCOUNT = '77'") && said.contains("undecided false"), said);
    }
}
