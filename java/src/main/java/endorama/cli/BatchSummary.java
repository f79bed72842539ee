package endorama.cli;

import endorama.core.files.AtomicFile;
import endorama.core.files.Csv;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The table of what batches have made in a folder, one row a name. Several runs may write into one folder at the same time:
 * each reads the table again before it writes, under a lock where the file system has locks, and keeps the others' rows.
 */
final class BatchSummary {
    static final String FILE = "summary.csv";
    private static final String LOCK = ".endorama-summary.lock";
    static final List<String> COLUMNS = Collections.unmodifiableList(Arrays.asList("name", "status", "code",
            "frames", "registered", "doubtful", "panoramas", "width", "height", "quality", "seconds", "verdict",
            "input", "options", "signature", "outputs"));

    private final File file;
    private final File folder;

    /** The table in a folder, which need not be there before it is saved. */
    BatchSummary(File folder) {
        this.folder = folder;
        file = new File(folder, FILE);
    }

    File file() {
        return file;
    }

    /** A cell of a row. */
    static String cell(List<?> row, String column) {
        return String.valueOf(row.get(COLUMNS.indexOf(column)));
    }

    /**
     * The rows of the existing table, by name. Rows of another shape, from older versions or from damage, are left out; bytes
     * that are not UTF-8 become replacement characters, so that such a row matches no name and no input.
     */
    Map<String, List<?>> read() throws IOException {
        Map<String, List<?>> rows = new LinkedHashMap<String, List<?>>();
        if (!file.isFile()) {
            return rows;
        }
        List<List<String>> all = Csv.rows(new String(Files.readAllBytes(file.toPath()), StandardCharsets.UTF_8));
        for (List<String> row : all.subList(Math.min(1, all.size()), all.size())) {
            if (row.size() == COLUMNS.size() && cell(row, "code").matches("\\d{1,3}")) {
                rows.put(row.get(0), row);
            }
        }
        return rows;
    }

    /** Writes these rows, and keeps the existing rows of other names. */
    synchronized void save(Iterable<? extends List<?>> mine) throws IOException {
        synchronized (BatchSummary.class) {
            File lock = new File(folder, LOCK);
            try (FileChannel channel = FileChannel.open(lock.toPath(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock held = lock(channel)) {
                // The lock file stays: a process that waits for it would otherwise hold the lock of a deleted file.
                write(mine);
            }
        }
    }

    /** Null on file systems without locks. */
    private static FileLock lock(FileChannel channel) {
        try {
            return channel.lock();
        } catch (IOException e) {
            return null;
        }
    }

    private void write(Iterable<? extends List<?>> mine) throws IOException {
        Map<String, List<?>> rows = new LinkedHashMap<String, List<?>>();
        for (List<?> row : mine) {
            rows.put(String.valueOf(row.get(0)), row);
        }
        for (Map.Entry<String, List<?>> other : read().entrySet()) {
            rows.putIfAbsent(other.getKey(), other.getValue());
        }
        StringBuilder text = new StringBuilder();
        Csv.line(text, COLUMNS);
        for (List<?> row : rows.values()) {
            Csv.line(text, row);
        }
        AtomicFile.write(file, text.toString());
    }

    // -------------------------------------------------------------- what was read and written

    /** Kind, number, bytes and newest time of the inputs of a run; it differs where any of them changed. */
    static String signature(File input) {
        File[] files = input.isDirectory() ? images(input) : new File[] {input};
        long bytes = 0;
        long newest = 0;
        for (File one : files) {
            bytes += one.length();
            newest = Math.max(newest, one.lastModified());
        }
        return (input.isDirectory() ? "folder " : "file ") + files.length + " " + bytes + " " + newest;
    }

    private static File[] images(File folder) {
        try {
            return ImageFolder.list(folder);
        } catch (IOException e) {
            return new File[0];
        }
    }

    /** Names and sizes in bytes of the files of the folder that were written. */
    static String outputs(Iterable<File> written) {
        List<String> texts = new ArrayList<String>();
        for (File one : written) {
            texts.add(one.length() + " " + one.getName());
        }
        return String.join("/", texts);
    }

    /** All of these files exist, with the size that was written. */
    boolean areThere(String outputs) {
        for (String text : outputs.split("/")) {
            int blank = text.indexOf(' ');
            File one = blank < 1 ? null : new File(folder, text.substring(blank + 1));
            if (one == null || !one.isFile() || !String.valueOf(one.length()).equals(text.substring(0, blank))) {
                return false;
            }
        }
        return true;
    }
}
