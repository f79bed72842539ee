package endorama.core.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A temporary file replaces its target, on systems that move open files and on those that do not. */
class PartFileTest {
    private static final byte[] TEXT = "frame,m00".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    File folder;

    @Test
    void takesItsPlaceOpenAndClosed() throws IOException {
        for (boolean closed : new boolean[] {false, true}) {
            Path target = folder.toPath().resolve("t-" + closed + ".csv");
            Files.write(target, new byte[] {1, 2, 3});
            try (PartFile part = PartFile.create(target)) {
                part.out().write(TEXT);
                part.moveTo(target, closed);
                assertArrayEquals(TEXT, Files.readAllBytes(target));
                if (closed) {
                    assertThrows(IOException.class, () -> part.out().write(1));
                }
            }
            assertArrayEquals(TEXT, Files.readAllBytes(target));
        }
        assertEquals(2, folder.list().length);
    }

    @Test
    void leavesNothingWhereItWasNotMoved() throws IOException {
        Path target = folder.toPath().resolve("t.csv");
        try (PartFile part = PartFile.create(target)) {
            part.out().write(TEXT);
        }
        assertEquals(0, folder.list().length);
    }
}
