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
 * Files that are written whole or not at all: to a temporary file beside the target, which is then renamed. Symbolic links
 * stay, and their targets are written; devices and pipes are written directly.
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
     * Checks, before a long computation, that a file can be written later; leaves nothing behind, and deletes the leftovers of
     * killed runs.
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

    /** The file is or leads to a pipe or device, which can be written only from start to end. */
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

    /** Deletes the temporary files of unfinished outputs, when the Java machine is about to end. */
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

    /** Standard output and error stay open for what follows. */
    private static void stream(Path target, Content content) throws IOException {
        FileDescriptor standard = OutputTarget.standard(target);
        if (standard == null) {
            // Appending does not truncate a file that a shell redirects to, and makes no difference for a terminal or pipe.
            try (OutputStream out = new FileOutputStream(target.toFile(), true)) {
                content.writeTo(out);
            }
            return;
        }
        (standard == FileDescriptor.out ? System.out : System.err).flush();
        OutputStream out = new FileOutputStream(standard);
        content.writeTo(out);
    }

    static Path folder(Path target) throws IOException {
        Path folder = target.getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw new IOException("there is no folder " + folder);
        }
        return folder;
    }

    static IOException failure(File file, IOException e) {
        return new IOException(file + " cannot be written: " + reason(e), e);
    }

    static String reason(IOException e) {
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
