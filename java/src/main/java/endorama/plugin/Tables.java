package endorama.plugin;

import endorama.core.FrameRow;
import endorama.core.FrameTable;
import ij.measure.ResultsTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Results as ImageJ's tables, in windows of their own: the user's "Results" are left alone. */
final class Tables {
    private static final List<String> TRANSFORM_COLUMNS =
            Arrays.asList("frame", "m00", "m01", "m02", "m10", "m11", "m12", "registered", "part", "deviation", "key",
                    "c00", "c01", "c02", "c10", "c11", "c12");

    private Tables() {
    }

    static ResultsTable frames(List<FrameRow> rows) {
        List<List<Object>> cells = new ArrayList<List<Object>>();
        for (FrameRow row : rows) {
            cells.add(FrameTable.cells(row));
        }
        return table(FrameTable.COLUMNS, cells);
    }

    /** What a file of transforms holds. */
    static ResultsTable transforms(List<FrameRow> rows) {
        List<List<Object>> cells = new ArrayList<List<Object>>();
        for (FrameRow row : rows) {
            List<Object> all = FrameTable.cells(row);
            List<Object> some = new ArrayList<Object>();
            for (String column : TRANSFORM_COLUMNS) {
                some.add(all.get(FrameTable.COLUMNS.indexOf(column)));
            }
            cells.add(some);
        }
        return table(TRANSFORM_COLUMNS, cells);
    }

    /** cells: numbers, or anything else as text. */
    static ResultsTable table(List<String> columns, List<? extends List<?>> rows) {
        ResultsTable table = new ResultsTable();
        table.setPrecision(5);
        table.showRowNumbers(false);
        for (List<?> row : rows) {
            table.incrementCounter();
            for (int i = 0; i < columns.size(); i++) {
                Object cell = row.get(i);
                if (cell instanceof Number) {
                    table.addValue(columns.get(i), ((Number) cell).doubleValue());
                } else {
                    table.addValue(columns.get(i), String.valueOf(cell));
                }
            }
        }
        return table;
    }
}
