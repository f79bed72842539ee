package endorama.core.exposures;

import endorama.core.files.AtomicFile;
import endorama.core.files.Csv;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The table of shifts: its columns, the cells of a row, and CSV. */
public final class ExposureTable {
    /** Names of the columns. */
    public static final List<String> COLUMNS = Collections.unmodifiableList(Arrays.asList("frame", "reference",
            "dx", "dy", "x", "y", "peak", "certainty", "mismatch", "usable", "predicted", "status", "registered",
            "backend"));

    private ExposureTable() {
    }

    /** The cells of a row, in the order of the columns: Integer, Double or String. */
    public static List<Object> cells(ExposureRow r) {
        return Arrays.<Object>asList(r.frame, r.reference, r.dx, r.dy, r.x, r.y, r.peak, r.certainty, r.mismatch,
                r.usable, r.predicted ? 1 : 0, r.status.toString(), r.registered ? 1 : 0, r.backend);
    }

    /** Writes the table as CSV; the file is there whole or not at all. */
    public static void write(File file, List<ExposureRow> rows) throws IOException {
        StringBuilder text = new StringBuilder();
        Csv.line(text, COLUMNS);
        for (ExposureRow row : rows) {
            Csv.line(text, cells(row));
        }
        AtomicFile.write(file, text.toString());
    }
}
