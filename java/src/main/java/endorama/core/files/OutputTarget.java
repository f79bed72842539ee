package endorama.core.files;

import java.io.File;
import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/** The final target of an output: symbolic links resolved to a file, a device, a pipe, or an open descriptor. */
final class OutputTarget {
    /** Longest chain of symbolic links, the limit of Linux. */
    private static final int MOST_LINKS = 40;

    private OutputTarget() {
    }

    /** The target of a path, which need not exist; of an open descriptor its entry in /proc. */
    static Path of(File file) throws IOException {
        Path path = file.getAbsoluteFile().toPath();
        for (int links = 0; Files.isSymbolicLink(path); links++) {
            if (isDescriptor(path)) {
                return descriptor(path);
            }
            if (links == MOST_LINKS) {
                throw new FileSystemLoopException(path.toString());
            }
            path = path.resolveSibling(Files.readSymbolicLink(path));
        }
        return path;
    }

    /** The target is a pipe or device: it cannot be replaced, only written to. */
    static boolean isStream(Path target) {
        return standard(target) != null
                || Files.exists(target) && !Files.isRegularFile(target) && !Files.isDirectory(target);
    }

    /** Standard output or error; null if the target is neither. */
    static FileDescriptor standard(Path target) {
        if (!isDescriptor(target)) {
            return null;
        }
        String number = target.getFileName().toString();
        return number.equals("1") ? FileDescriptor.out : number.equals("2") ? FileDescriptor.err : null;
    }

    private static boolean isDescriptor(Path path) {
        try {
            return path.getParent() != null
                    && path.getParent().toRealPath().equals(Paths.get("/proc/self/fd").toRealPath());
        } catch (IOException e) {
            return false;
        }
    }

    /** The path of an open descriptor; refused for files, as descriptors of Java cannot be told from those of the caller. */
    private static Path descriptor(Path path) throws IOException {
        if (standard(path) == null && Files.isRegularFile(path)) {
            throw new IOException("it is a file that is open already; give its own name");
        }
        return path;
    }
}
