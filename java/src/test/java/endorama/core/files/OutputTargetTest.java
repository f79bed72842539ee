package endorama.core.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Targets of symbolic links. */
class OutputTargetTest {
    @TempDir
    Path folder;

    /** Chains of 40 and 41 links to a missing file: links are followed up to the limit of Linux. */
    @Test
    void linksAreFollowedAsFarAsTheSystemDoes() throws Exception {
        Path target = folder.resolve("0");
        for (int i = 1; i <= 41; i++) {
            Files.createSymbolicLink(folder.resolve("" + i), target.getFileSystem().getPath("" + (i - 1)));
        }
        assertEquals(target, OutputTarget.of(folder.resolve("40").toFile()));
        assertThrows(FileSystemLoopException.class, () -> OutputTarget.of(folder.resolve("41").toFile()));
        Files.createFile(target);
        assertEquals(target.toRealPath(), folder.resolve("40").toRealPath());
        assertThrows(FileSystemException.class, () -> folder.resolve("41").toRealPath());
    }
}
