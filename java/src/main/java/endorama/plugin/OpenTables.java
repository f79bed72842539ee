package endorama.plugin;

import endorama.core.files.Csv;
import endorama.core.files.FileFormatException;
import endorama.core.transforms.Transforms;
import endorama.core.transforms.TransformsFile;
import ij.ImagePlus;
import ij.WindowManager;
import ij.measure.ResultsTable;
import ij.text.TextWindow;
import java.awt.Frame;
import java.awt.Window;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Tables of transforms in open windows, which can stand for a file of transforms. */
final class OpenTables {
    private static final String TRANSFORMS = " transforms";

    private OpenTables() {
    }

    /** The title of the table of an image, or else of another open table of transforms; null if there is none. */
    static String ofTransforms(ImagePlus image) {
        String own = image == null ? "" : Images.title(image, TRANSFORMS.trim());
        String other = null;
        for (Window window : WindowManager.getAllNonImageWindows()) {
            String title = window instanceof TextWindow ? ((Frame) window).getTitle() : "";
            if (title.equals(own)) {
                return own;
            }
            other = title.endsWith(TRANSFORMS) ? title : other;
        }
        return other;
    }

    /** The transforms of a file or, if there is no such file, of the table with this title. */
    static Transforms transforms(String fileOrTitle) throws IOException {
        File file = new File(fileOrTitle);
        Frame window = file.exists() ? null : WindowManager.getFrame(fileOrTitle);
        ResultsTable table = window instanceof TextWindow
                ? ((TextWindow) window).getTextPanel().getResultsTable() : null;
        if (table == null && !file.exists()) {
            throw new FileFormatException("transforms " + fileOrTitle + ": no file, and no title of an open table");
        }
        return table == null ? TransformsFile.read(file) : of(table, fileOrTitle);
    }

    static Transforms of(ResultsTable table, String title) throws IOException {
        List<String> columns = new ArrayList<String>();
        for (String heading : table.getHeadings()) {
            columns.add(heading);
        }
        List<String> lines = new ArrayList<String>(Arrays.asList(line(columns)));
        for (int row = 0; row < table.size(); row++) {
            List<Object> cells = new ArrayList<Object>();
            for (String column : columns) {
                cells.add(table.getValue(column, row));
            }
            lines.add(line(cells));
        }
        return TransformsFile.parse(lines, "table " + title);
    }

    private static String line(List<?> cells) {
        StringBuilder text = new StringBuilder();
        Csv.line(text, cells);
        return text.toString().trim();
    }
}
