package endorama.core.files;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Folders of many files that are there whole or not at all: written as {@code NAME.part} beside the target, which then takes
 * its name. A run that is killed or fails leaves {@code NAME.part}, and the next one goes on with it. A folder in which
 * anything was not written by this class is never replaced.
 */
public final class AtomicFolder {
    /** A file in the folder that says who wrote it, and the kind of its content. Locked while the folder is written. */
    private static final String MARK = ".endorama";
    private static final String WRITER = "written by Endorama, which replaces this folder when it writes it again\n";
    private static final int LONGEST_MARK = 1 << 16;

    /** Writes the content of a folder. */
    public interface Content {
        /** Writes every file, or keeps those that are there from a run that did not end. */
        void writeTo(Path part) throws IOException;
    }

    private AtomicFolder() {
    }

    /**
     * Checks, before a long computation, that a folder can be written later.
     *
     * @param known says whether a name in the folder, or a path of two names, is one that is written
     * @throws IOException that names the folder and says why not
     */
    public static void check(File folder, Predicate<String> known) throws IOException {
        try {
            Path target = OutputTarget.of(folder);
            Path above = AtomicFile.folder(target);
            if (!Files.isWritable(above)) {
                throw new IOException("permission denied in " + above);
            }
            for (Path one : new Path[] {target, part(target), old(target)}) {
                checkOurs(one, known);
            }
        } catch (IOException e) {
            throw AtomicFile.failure(folder, e);
        }
    }

    /**
     * Writes a folder.
     *
     * @param kind of the content: what a run left is used only by a run with the same
     * @param known as for {@link #check}
     * @throws StoppedException as the content throws it
     * @throws IOException that names the folder; an older one is as it was
     */
    public static void write(File folder, String kind, Predicate<String> known, Content content) throws IOException {
        check(folder, known);
        try {
            Path target = OutputTarget.of(folder);
            Path part = part(target);
            if (!Files.isDirectory(part)) {
                Files.createDirectory(part);
            }
            fill(part, WRITER + kind + "\n", to -> {
                try {
                    content.writeTo(to);
                } catch (StoppedException e) {
                    throw e;
                } catch (IOException e) {
                    throw new IOException(AtomicFile.reason(e) + "; what is written stays in " + to.getFileName()
                            + ", and the same command goes on with it", e);
                }
            });
            replace(target, part);
        } catch (StoppedException e) {
            throw e;
        } catch (IOException e) {
            throw AtomicFile.failure(folder, e);
        }
    }

    private static void fill(Path part, String mark, Content content) throws IOException {
        try (FileChannel channel = FileChannel.open(part.resolve(MARK), StandardOpenOption.CREATE, StandardOpenOption.READ,
                StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            if (!lock(channel)) {
                throw new IOException("another run is writing " + part);
            }
            ByteBuffer before = ByteBuffer.allocate((int) Math.min(LONGEST_MARK, channel.size()));
            channel.read(before, 0);
            if (!mark.equals(new String(before.array(), StandardCharsets.UTF_8))) {
                clear(part);
                channel.truncate(0);
                channel.write(ByteBuffer.wrap(mark.getBytes(StandardCharsets.UTF_8)), 0);
            }
            content.writeTo(part);
        }
    }

    /** Locks the file until it is closed; false if another run has done so. */
    private static boolean lock(FileChannel channel) {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        } catch (IOException e) {
            return true; // The file system has no locks.
        }
    }

    private static String text(Path mark) throws IOException {
        return Files.size(mark) > LONGEST_MARK ? "" : new String(Files.readAllBytes(mark), StandardCharsets.UTF_8);
    }

    private static void replace(Path target, Path part) throws IOException {
        Path old = old(target);
        if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            delete(old);
            Files.move(target, old);
        }
        Files.move(part, target);
        delete(old);
    }

    private static Path part(Path target) {
        return target.resolveSibling(target.getFileName() + ".part");
    }

    private static Path old(Path target) {
        return target.resolveSibling(target.getFileName() + ".old");
    }

    /** Refuses what this class has not written. */
    private static void checkOurs(Path folder, Predicate<String> known) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(folder + " is there, and is no folder");
        }
        List<String> names = names(folder);
        Path mark = folder.resolve(MARK);
        boolean marked = Files.isRegularFile(mark, LinkOption.NOFOLLOW_LINKS);
        if (!names.isEmpty() && !(marked && (names.size() == 1 || text(mark).startsWith(WRITER)))) {
            throw new IOException(folder + " was not written by Endorama; move it away, or write elsewhere");
        }
        for (String name : names) {
            if (!name.equals(MARK) && !known.test(name)) {
                throw new IOException(folder + " holds " + name + ", which Endorama has not written; move it away, or write"
                        + " elsewhere");
            }
        }
    }

    /** The names in a folder, and in the folders in it. */
    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> found = Files.walk(folder, 2)) {
            return found.filter(path -> !path.equals(folder))
                    .map(path -> folder.relativize(path).toString().replace(File.separatorChar, '/')).sorted()
                    .collect(Collectors.toList());
        }
    }

    private static void clear(Path folder) throws IOException {
        for (String name : names(folder)) {
            if (!name.equals(MARK) && name.indexOf('/') < 0) {
                delete(folder.resolve(name));
            }
        }
    }

    /** Deletes a folder; links are deleted, not followed. */
    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(folder, new SimpleFileVisitor<Path>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path inner, IOException e) throws IOException {
                if (e != null) {
                    throw e;
                }
                Files.delete(inner);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
