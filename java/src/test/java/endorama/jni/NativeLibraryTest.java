package endorama.jni;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
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
}
