package endorama.core.mutual;

import endorama.core.files.AtomicFile;
import endorama.core.files.Csv;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The table of registration by mutual information: its columns, the cells of a row, and CSV. */
public final class MutualTable {
    /** Names of the columns. */
    public static final List<String> COLUMNS = Collections.unmodifiableList(Arrays.asList("frame", "status",
            "registered", "before", "after", "overlap", "certainty", "shift", "turn", "scale", "evaluations", "starts",
            "stop", "time", "levels", "backend"));

    private MutualTable() {
    }

    /** The cells of a row, in the order of the columns: Integer, Double or String. Times in ms. */
    public static List<Object> cells(MutualRow r) {
        return Arrays.<Object>asList(r.frame, r.status.toString(), r.isRegistered() ? 1 : 0, r.before, r.after, r.overlap,
                r.certainty, r.shift, r.turn, r.scale, r.evaluations, r.starts, r.stop, 1000 * r.seconds, r.levels,
                r.backend);
    }

    /** Writes the table as CSV; the file is there whole or not at all. */
    public static void write(File file, List<MutualRow> rows) throws IOException {
        StringBuilder text = new StringBuilder();
        Csv.line(text, COLUMNS);
        for (MutualRow row : rows) {
            Csv.line(text, cells(row));
        }
        AtomicFile.write(file, text.toString());
    }
}
