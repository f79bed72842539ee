package endorama.core.files;

import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/** A kind of table: its columns, the cells of a row, and CSV. */
public final class Table<R> {
    private final Function<R, List<Object>> cells;
    private final List<String> columns;

    /** @param cells of a row, in the order of the columns: Integer, Double or String */
    public Table(Function<R, List<Object>> cells, List<String> columns) {
        this.cells = cells;
        this.columns = Collections.unmodifiableList(columns);
    }

    public Table(Function<R, List<Object>> cells, String... columns) {
        this(cells, Arrays.asList(columns));
    }

    /** Names of the columns. */
    public List<String> columns() {
        return columns;
    }

    /** The cells of a row, in the order of the columns. */
    public List<Object> cells(R row) {
        return cells.apply(row);
    }

    /** Writes the table as CSV; the file is written completely or not at all. */
    public void write(File file, List<R> rows) throws IOException {
        StringBuilder text = new StringBuilder();
        Csv.line(text, columns);
        for (R row : rows) {
            Csv.line(text, cells(row));
        }
        AtomicFile.write(file, text.toString());
    }
}
