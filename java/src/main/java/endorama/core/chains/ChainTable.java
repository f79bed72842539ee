package endorama.core.chains;

import endorama.core.files.AtomicFile;
import endorama.core.files.Csv;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/** The table of a kind of chains: its columns, the cells of a row, and CSV. */
public final class ChainTable {
    /** The table of exposures. */
    public static final ChainTable EXPOSURES = new ChainTable(
            r -> Arrays.<Object>asList(r.frame, r.reference, r.dx, r.dy, r.x, r.y, r.peak, r.certainty, r.mismatch, r.usable,
                    r.predicted ? 1 : 0, r.status.toString(), r.registered ? 1 : 0, r.backend),
            "frame", "reference", "dx", "dy", "x", "y", "peak", "certainty", "mismatch", "usable", "predicted", "status",
            "registered", "backend");
    /** The table of Fourier registration. */
    public static final ChainTable FOURIER = new ChainTable(
            r -> Arrays.<Object>asList(r.frame, r.reference, r.angle, r.scale, r.dx, r.dy, r.peak, r.ratio, r.overlap, r.ncc,
                    r.status.toString(), r.registered ? 1 : 0, r.backend),
            "frame", "reference", "angle", "scale", "dx", "dy", "peak", "ratio", "overlap", "ncc", "status", "registered",
            "backend");

    private final Function<ChainRow, List<Object>> cells;
    private final List<String> columns;

    private ChainTable(Function<ChainRow, List<Object>> cells, String... columns) {
        this.cells = cells;
        this.columns = Collections.unmodifiableList(Arrays.asList(columns));
    }

    /** Names of the columns. */
    public List<String> columns() {
        return columns;
    }

    /** The cells of a row, in the order of the columns: Integer, Double or String. */
    public List<Object> cells(ChainRow row) {
        return cells.apply(row);
    }

    /** Writes the table as CSV; the file is there whole or not at all. */
    public void write(File file, List<ChainRow> rows) throws IOException {
        StringBuilder text = new StringBuilder();
        Csv.line(text, columns);
        for (ChainRow row : rows) {
            Csv.line(text, cells(row));
        }
        AtomicFile.write(file, text.toString());
    }
}
