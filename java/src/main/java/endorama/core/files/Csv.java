package endorama.core.files;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Lines of comma separated values, the same in every locale. */
public final class Csv {
    private Csv() {
    }

    /** Appends one line. Cells with a comma, quote or line end are quoted. */
    public static void line(StringBuilder text, List<?> cells) {
        for (int i = 0; i < cells.size(); i++) {
            String cell = String.valueOf(cells.get(i));
            if (cell.matches("(?s).*[,\"\r\n].*")) {
                cell = '"' + cell.replace("\"", "\"\"") + '"';
            }
            text.append(i == 0 ? "" : ",").append(cell);
        }
        text.append('\n');
    }

    /** The cells of one line, without blanks around them. */
    public static List<String> split(String line) {
        List<List<String>> rows = rows(line);
        List<String> cells = new ArrayList<String>();
        for (String cell : rows.isEmpty() ? Collections.singletonList("") : rows.get(0)) {
            cells.add(cell.trim());
        }
        return cells;
    }

    /**
     * The rows of a whole text, whose quoted cells may hold line ends, with the blanks around cells.
     *
     * @return without empty lines
     */
    public static List<List<String>> rows(String text) {
        List<List<String>> rows = new ArrayList<List<String>>();
        List<String> row = new ArrayList<String>();
        StringBuilder cell = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i <= text.length(); i++) {
            char c = i < text.length() ? text.charAt(i) : '\n';
            boolean ends = i == text.length();
            if (quoted && c == '"' && i + 1 < text.length() && text.charAt(i + 1) == '"') {
                cell.append('"');
                i++;
            } else if (c == '"' && !ends) {
                quoted = !quoted;
            } else if (quoted && !ends) {
                cell.append(c);
            } else if (c == ',' || c == '\n') {
                row.add(cell.toString());
                cell.setLength(0);
                if (c == '\n' && (row.size() > 1 || !row.get(0).isEmpty())) {
                    rows.add(row);
                }
                row = c == '\n' ? new ArrayList<String>() : row;
            } else if (c != '\r') {
                cell.append(c);
            }
        }
        return rows;
    }
}
