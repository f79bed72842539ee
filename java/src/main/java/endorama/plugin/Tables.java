package endorama.plugin;

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
        List<List<Object>> cells = new ArrayList<List<Object>>();
        List<String> columns = FrameTable.columns(result.rows());
        for (FrameRow row : result.rows()) {
            cells.add(FrameTable.cells(row, columns, result.width(), result.height()));
        }
        return table(columns, cells);
    }

    /** The table of a file of transforms. */
    static ResultsTable transforms(MosaicResult result) {
        List<List<Object>> cells = new ArrayList<List<Object>>();
        List<String> columns = FrameTable.columns(result.rows());
        double lens = result.lens();
        List<String> wanted = new ArrayList<String>(TRANSFORM_COLUMNS);
        wanted.addAll(columns.subList(FrameTable.COLUMNS.size(), columns.size()));
        List<String> titles = new ArrayList<String>(wanted);
        if (lens != 0) {
            titles.add("lens");
        }
        for (FrameRow row : result.rows()) {
            List<Object> all = FrameTable.cells(row, columns, result.width(), result.height());
            List<Object> some = new ArrayList<Object>();
            for (String column : wanted) {
                some.add(all.get(columns.indexOf(column)));
            }
            if (lens != 0) {
                some.add(lens);
            }
            cells.add(some);
        }
        return table(titles, cells);
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
