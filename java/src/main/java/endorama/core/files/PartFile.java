package endorama.core.files;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A temporary file beside its target: {@code .endorama-PROCESS-NUMBER.part}. Locked for as long as its process lives, so that
 * {@link #sweep} recognises the leftovers of killed processes, also where processes cannot see one another (containers, file
 * servers).
 */
final class PartFile implements AutoCloseable {
    private static final String PROCESS = process();
    private static final AtomicLong NUMBER = new AtomicLong();
    /** Temporary files of this process: opening and closing one a second time would give up its lock. */
    private static final Set<Path> OWN = Collections.newSetFromMap(new ConcurrentHashMap<Path, Boolean>());
    /** Windows neither moves nor deletes a file that is open. */
    private static final boolean OPEN_FILES_STAY = File.separatorChar == '\\';
    private static final Set<OpenOption> NO_LINK = Collections.unmodifiableSet(new HashSet<OpenOption>(
            Arrays.asList(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)));

    private final Path path;
    private final FileOutputStream out;

    private PartFile(Path path, FileOutputStream out) {
        this.path = path;
        this.out = out;
    }

    /** Creates an empty temporary file in the folder of the target. */
    static PartFile create(Path target) throws IOException {
        for (;;) {
            Path path = target.resolveSibling(".endorama-" + PROCESS + "-" + NUMBER.incrementAndGet() + ".part");
            OWN.add(path);
            try {
                // createTempFile would restrict access to the owner; outputs follow the umask.
                Files.createFile(path);
                PartFile part = new PartFile(path, new FileOutputStream(path.toFile()));
                if (part.isSafe()) {
                    return part;
                }
                part.close();
            } catch (FileAlreadyExistsException e) {
                OWN.remove(path);
            } catch (IOException e) {
                OWN.remove(path);
                throw e;
            }
        }
    }

    /** Locks the file; false if another process took it for an abandoned one before that. */
    private boolean isSafe() {
        try {
            return out.getChannel().tryLock() != null && Files.exists(path);
        } catch (IOException e) {
            // On a file system without locks nobody can sweep.
            return true;
        }
    }

    OutputStream out() {
        return out;
    }

    /** Replaces the target. The file stays open, as closing it would give up the lock too early. */
    void moveTo(Path target) throws IOException {
        moveTo(target, OPEN_FILES_STAY);
    }

    void moveTo(Path target, boolean closed) throws IOException {
        if (closed) {
            out.close();
        }
        try {
            Files.move(path, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(path, target, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Ends writing, and deletes the file unless it was moved. */
    @Override
    public void close() throws IOException {
        close(OPEN_FILES_STAY);
    }

    private void close(boolean closed) throws IOException {
        try {
            if (closed) {
                out.close();
            }
            Files.deleteIfExists(path);
        } finally {
            out.close();
            OWN.remove(path);
        }
    }

    /** Deletes the unfinished files of this process. */
    static void deleteOwn() {
        for (Path part : OWN) {
            try {
                Files.deleteIfExists(part);
            } catch (IOException e) {
                continue; // The next run tries it again.
            }
        }
    }

    /** Deletes what killed processes left in a folder. */
    static void sweep(Path folder) {
        try (DirectoryStream<Path> parts = Files.newDirectoryStream(folder, ".endorama-*.part")) {
            for (Path part : parts) {
                if (!OWN.contains(part) && Files.isRegularFile(part, LinkOption.NOFOLLOW_LINKS)) {
                    deleteAbandoned(part);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            return; // The result does not depend on it.
        }
    }

    private static void deleteAbandoned(Path part) {
        try (FileChannel channel = FileChannel.open(part, NO_LINK); FileLock lock = channel.tryLock()) {
            if (lock != null) {
                Files.deleteIfExists(part);
            }
        } catch (IOException | OverlappingFileLockException e) {
            return; // Another process uses it.
        }
    }

    /** The process number, for people who find such a file. */
    private static String process() {
        try {
            return new File("/proc/self").getCanonicalFile().getName();
        } catch (IOException e) {
            return "self";
        }
    }
}
