package endorama.plugin;

import endorama.core.files.Table;
import endorama.core.mosaic.FrameRow;
import endorama.core.mosaic.FrameTable;
import endorama.core.mosaic.MosaicResult;
import ij.measure.ResultsTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Results as ImageJ's tables, in separate windows: the user's "Results" are left alone. */
final class Tables {
    private static final List<String> TRANSFORM_COLUMNS =
            Arrays.asList("frame", "m00", "m01", "m02", "m10", "m11", "m12", "registered", "part", "deviation", "key",
                    "c00", "c01", "c02", "c10", "c11", "c12");

    private Tables() {
    }

    static ResultsTable frames(MosaicResult result) {
        return table(FrameTable.of(result.rows(), result.width(), result.height()), result.allRows());
    }

    /** The table of a file of transforms. */
    static ResultsTable transforms(MosaicResult result) {
        Table<FrameRow> all = FrameTable.of(result.rows(), result.width(), result.height());
        List<String> columns = new ArrayList<String>(TRANSFORM_COLUMNS);
        columns.addAll(all.columns().subList(FrameTable.COLUMNS.size(), all.columns().size()));
        List<String> titles = new ArrayList<String>(columns);
        if (result.lens() != 0) {
            titles.add("lens");
        }
        return table(new Table<FrameRow>(row -> {
            List<Object> cells = all.cells(row);
            List<Object> some = new ArrayList<Object>();
            for (String column : columns) {
                some.add(cells.get(all.columns().indexOf(column)));
            }
            if (result.lens() != 0) {
                some.add(result.lens());
            }
            return some;
        }, titles), result.rows());
    }

    /** The table in ImageJ: numbers as numbers, other cells as text. */
    static <R> ResultsTable table(Table<R> kind, List<R> rows) {
        ResultsTable table = new ResultsTable();
        table.setPrecision(5);
        table.showRowNumbers(false);
        for (R row : rows) {
            List<Object> cells = kind.cells(row);
            table.incrementCounter();
            for (int i = 0; i < kind.columns().size(); i++) {
                Object cell = cells.get(i);
                if (cell instanceof Number) {
                    table.addValue(kind.columns().get(i), ((Number) cell).doubleValue());
                } else {
                    table.addValue(kind.columns().get(i), String.valueOf(cell));
                }
            }
        }
        return table;
    }
}
