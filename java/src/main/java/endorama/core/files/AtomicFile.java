package endorama.core.files;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Files that are there whole or not at all: written beside their place, then renamed. Symbolic links stay, and what they
 * lead to is written; devices and pipes are written as they are.
 */
public final class AtomicFile {
    /** Writes the content to a stream. */
    public interface Content {
        /** Writes everything. */
        void writeTo(OutputStream out) throws IOException;
    }

    private AtomicFile() {
    }

    /**
     * Finds out, before a long computation, whether a file can be written later; leaves nothing behind, also nothing
     * that a killed run had left there.
     *
     * @throws IOException that names the file and says why not
     */
    public static void check(File file) throws IOException {
        try {
            Path target = OutputTarget.of(file);
            if (Files.isDirectory(target)) {
                throw new IOException("it is a folder");
            }
            if (Files.exists(target) && !Files.isWritable(target)) {
                throw new IOException("it is protected");
            }
            if (!OutputTarget.isStream(target)) {
                PartFile.sweep(folder(target));
                PartFile.create(target).close();
            }
        } catch (IOException e) {
            throw failure(file, e);
        }
    }

    /** It is a pipe or device, or leads to one: it can be written from its start to its end only. */
    public static boolean isStream(File file) throws IOException {
        return OutputTarget.isStream(OutputTarget.of(file));
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
        try {
            Path target = OutputTarget.of(file);
            if (OutputTarget.isStream(target)) {
                stream(target, content);
            } else {
                replace(target, content);
            }
        } catch (StoppedException e) {
            throw e;
        } catch (IOException e) {
            throw failure(file, e);
        }
    }

    /** Leaves nothing behind of the files that are being written, when the Java machine is about to end. */
    public static void giveUp() {
        PartFile.deleteOwn();
    }

    private static void replace(Path target, Content content) throws IOException {
        folder(target);
        try (PartFile part = PartFile.create(target)) {
            content.writeTo(part.out());
            part.moveTo(target);
        }
    }

    /** Standard output and error stay open, as more may follow. */
    private static void stream(Path target, Content content) throws IOException {
        FileDescriptor standard = OutputTarget.standard(target);
        if (standard == null) {
            // Appending: a terminal or pipe of the system's own makes no difference, a file is not cut off.
            try (OutputStream out = new FileOutputStream(target.toFile(), true)) {
                content.writeTo(out);
            }
            return;
        }
        (standard == FileDescriptor.out ? System.out : System.err).flush();
        OutputStream out = new FileOutputStream(standard);
        content.writeTo(out);
    }

    private static Path folder(Path target) throws IOException {
        Path folder = target.getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw new IOException("there is no folder " + folder);
        }
        return folder;
    }

    private static IOException failure(File file, IOException e) {
        return new IOException(file + " cannot be written: " + reason(e), e);
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
