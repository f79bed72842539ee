package endorama.core.fourier;

import endorama.core.files.AtomicFile;
import endorama.core.files.Csv;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The table of Fourier registration: its columns, the cells of a row, and CSV. */
public final class FourierTable {
    /** Names of the columns. */
    public static final List<String> COLUMNS = Collections.unmodifiableList(Arrays.asList("frame", "reference",
            "angle", "scale", "dx", "dy", "peak", "ratio", "overlap", "ncc", "status", "registered", "backend"));

    private FourierTable() {
    }

    /** The cells of a row, in the order of the columns: Integer, Double or String. */
    public static List<Object> cells(FourierRow r) {
        return Arrays.<Object>asList(r.frame, r.reference, r.angle, r.scale, r.dx, r.dy, r.peak, r.ratio, r.overlap,
                r.ncc, r.status.toString(), r.registered ? 1 : 0, r.backend);
    }

    /** Writes the table as CSV; the file is there whole or not at all. */
    public static void write(File file, List<FourierRow> rows) throws IOException {
        StringBuilder text = new StringBuilder();
        Csv.line(text, COLUMNS);
        for (FourierRow row : rows) {
            Csv.line(text, cells(row));
        }
        AtomicFile.write(file, text.toString());
    }
}
