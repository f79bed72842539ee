package endorama.core;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Files that are there whole or not at all: written beside their place, then renamed. */
public final class AtomicFile {
    /** Writes the content to a stream. */
    public interface Content {
        /** Writes everything. */
        void writeTo(OutputStream out) throws IOException;
    }

    private AtomicFile() {
    }

    /**
     * Finds out, before a long computation, whether a file can be written later; leaves nothing behind.
     *
     * @throws IOException that names the file and says why not
     */
    public static void check(File file) throws IOException {
        Path target = file.getAbsoluteFile().toPath();
        if (Files.isDirectory(target)) {
            throw new IOException(file + " cannot be written: it is a folder");
        }
        if (Files.exists(target) && !Files.isWritable(target)) {
            throw new IOException(file + " cannot be written: it is protected");
        }
        Files.delete(temporary(file, target));
    }

    /** Writes text as UTF-8. */
    public static void write(File file, final String text) throws IOException {
        write(file, new Content() {
            @Override
            public void writeTo(OutputStream out) throws IOException {
                out.write(text.getBytes(StandardCharsets.UTF_8));
            }
        });
    }

    /** Writes whatever content writes. On failure the old file, if any, stays as it was. */
    public static void write(File file, Content content) throws IOException {
        Path target = file.getAbsoluteFile().toPath();
        Path part = temporary(file, target);
        try {
            try (OutputStream out = Files.newOutputStream(part)) {
                content.writeTo(out);
            }
            move(part, target);
        } catch (IOException e) {
            throw new IOException(file + " cannot be written: " + reason(e), e);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private static Path temporary(File file, Path target) throws IOException {
        Path folder = target.getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw new IOException(file + " cannot be written: there is no folder " + folder);
        }
        try {
            // Not createTempFile: its files are for the owner alone, and outputs are for whom the umask says.
            return Files.createFile(folder.resolve("." + target.getFileName() + "." + Long.toHexString(
                    System.nanoTime()) + ".part"));
        } catch (IOException e) {
            throw new IOException(file + " cannot be written: " + reason(e), e);
        }
    }

    private static void move(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static String reason(IOException e) {
        String kind = e.getClass().getSimpleName();
        if (kind.equals("AccessDeniedException")) {
            return "permission denied";
        }
        if (e.getMessage() == null) {
            return kind;
        }
        return kind.equals("IOException") ? e.getMessage() : kind + " " + e.getMessage();
    }
}
