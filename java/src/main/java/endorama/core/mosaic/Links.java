package endorama.core.mosaic;

import endorama.core.files.AtomicFile;
import endorama.core.files.Csv;
import endorama.core.files.FileFormatException;
import endorama.core.files.TextFile;
import endorama.core.options.OptionValues;
import endorama.core.transforms.Transform;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The links between the frames of a sequence, as a table that people mend: CSV, one row a link, with the columns {@code
 * frame_a,frame_b,use,m00,m01,m02,m10,m11,m12,deviation,origin}. Frames are numbered from 1. {@code use} is 1, or 0 of a link
 * that does not count. The matrix takes the centre of a pixel of frame b to coordinates of frame a. Where one of the links is a
 * homography, {@code m20,m21,m22} follow m12: its last row. Numbers read back equal, in every locale.
 */
public final class Links {
    /** The key of the option that names a table. */
    public static final String KEY = "links";
    private static final List<String> FIRST =
            Arrays.asList("frame_a", "frame_b", "use", "m00", "m01", "m02", "m10", "m11", "m12");
    private static final List<String> LAST_ROW = Arrays.asList("m20", "m21", "m22");
    private static final List<String> LAST = Arrays.asList("deviation", "origin");
    /** Limit of the elements of a matrix, and of a deviation, px. */
    private static final double LARGEST = 1e12;

    /** The name of the table in messages: its file. */
    private final String name;
    private final List<Link> links;

    public Links(List<Link> links) {
        this("links", links);
    }

    private Links(String name, List<Link> links) {
        this.name = name;
        this.links = Collections.unmodifiableList(new ArrayList<Link>(links));
    }

    /** The links, in the order of the table. */
    public List<Link> all() {
        return links;
    }

    /**
     * Checks, before a long computation, that the links are of a sequence.
     *
     * @param frames numbers of its frames, ascending
     * @param excluded numbers of those that were left out by hand
     * @throws IllegalArgumentException if a link, whether it counts or not, is of none of them
     */
    void check(int[] frames, int[] excluded) {
        for (Link link : links) {
            for (int frame : new int[] {link.a, link.b}) {
                if (!isAmong(frames, frame) && !isAmong(excluded, frame)) {
                    throw new IllegalArgumentException(name + ": a link of the frames " + link.a + " and " + link.b + ": frame "
                            + frame + " is none of the " + frames.length + " that are registered, " + frames[0] + " to "
                            + frames[frames.length - 1] + "; the table is of another sequence, or of other frames of it");
                }
            }
        }
    }

    private static boolean isAmong(int[] frames, int frame) {
        return Arrays.binarySearch(frames, frame) >= 0;
    }

    /** The links that count, of links that {@link #check} admits; those of frames that were left out by hand do not. */
    List<Link> inUse(int[] excluded) {
        List<Link> used = new ArrayList<Link>();
        for (Link link : links) {
            if (link.use && !isAmong(excluded, link.a) && !isAmong(excluded, link.b)) {
                used.add(link);
            }
        }
        return used;
    }

    // ----------------------------------------------------------------- writing

    /** Writes the table; the file is there whole or not at all. */
    public void write(File file) throws IOException {
        AtomicFile.write(file, text());
    }

    private String text() {
        boolean projective = false;
        for (Link link : links) {
            projective |= link.transform.isHomography();
        }
        StringBuilder text = new StringBuilder();
        Csv.line(text, columns(projective));
        for (Link link : links) {
            List<Object> cells = new ArrayList<Object>(Arrays.<Object>asList(link.a, link.b, link.use ? 1 : 0));
            for (double number : Arrays.copyOf(link.transform.toArray(), projective ? 9 : 6)) {
                cells.add(number);
            }
            cells.add(link.deviation);
            cells.add(link.origin);
            Csv.line(text, cells);
        }
        return text.toString();
    }

    private static List<String> columns(boolean projective) {
        List<String> columns = new ArrayList<String>(FIRST);
        columns.addAll(projective ? LAST_ROW : Collections.<String>emptyList());
        columns.addAll(LAST);
        return columns;
    }

    // ----------------------------------------------------------------- reading

    /** The table that the option links of a command names; null: it names none. */
    public static Links of(OptionValues values) throws IOException {
        String file = values.getFile(KEY);
        return file.isEmpty() ? null : read(new File(file));
    }

    /** @throws FileFormatException that names the file, the line, the value, and what is allowed */
    public static Links read(File file) throws IOException {
        List<String> lines = TextFile.lines(file);
        List<String> header = lines.isEmpty() ? Collections.<String>emptyList() : Csv.split(lines.get(0));
        boolean projective = header.equals(columns(true));
        if (!projective && !header.equals(columns(false))) {
            throw new FileFormatException(file + ", line 1: not a table of links: it begins with \""
                    + TextFile.excerpt(lines.isEmpty() ? "" : lines.get(0)) + "\", must begin with "
                    + String.join(",", columns(false)) + ", or with m20,m21,m22 after m12");
        }
        List<Link> links = new ArrayList<Link>();
        for (int i = 1; i < lines.size(); i++) {
            if (!lines.get(i).trim().isEmpty()) {
                links.add(new Row(file + ", line " + (i + 1) + ": ", header, Csv.split(lines.get(i))).link(projective));
            }
        }
        return new Links(file.toString(), links);
    }

    /** A line of the table. */
    private static final class Row {
        private final String where;
        private final List<String> columns;
        private final List<String> cells;

        Row(String where, List<String> columns, List<String> cells) throws FileFormatException {
            this.where = where;
            this.columns = columns;
            this.cells = cells;
            if (cells.size() != columns.size()) {
                throw new FileFormatException(where + cells.size() + " columns, needed " + columns.size()
                        + "; the file may be truncated");
            }
        }

        private String cell(String column) {
            return cells.get(columns.indexOf(column));
        }

        private FileFormatException wrong(String column, String allowed) {
            return new FileFormatException(where + column + " \"" + TextFile.excerpt(cell(column)) + "\": must be " + allowed);
        }

        Link link(boolean projective) throws FileFormatException {
            int a = frame("frame_a");
            int b = frame("frame_b");
            if (a == b) {
                throw wrong("frame_b", "another frame than frame_a");
            }
            double deviation = number("deviation");
            if (!(deviation > 0)) {
                throw wrong("deviation", "above 0 px");
            }
            if (!cell("use").matches("[01]")) {
                throw wrong("use", "1 (the link counts) or 0");
            }
            if (!Link.ORIGINS.contains(cell("origin"))) {
                throw wrong("origin", String.join(", ", Link.ORIGINS));
            }
            return new Link(a, b, cell("use").equals("1"), matrix(projective), deviation, cell("origin"));
        }

        private int frame(String column) throws FileFormatException {
            if (!cell(column).matches("[1-9]\\d{0,8}")) {
                throw wrong(column, "the number of a frame, from 1");
            }
            return Integer.parseInt(cell(column));
        }

        private double number(String column) throws FileFormatException {
            try {
                double value = Double.parseDouble(cell(column));
                if (Math.abs(value) <= LARGEST) {
                    return value;
                }
            } catch (NumberFormatException e) {
                // reported below with the text
            }
            throw wrong(column, "a number within +-" + LARGEST);
        }

        private Transform matrix(boolean projective) throws FileFormatException {
            double[] m = {0, 0, 0, 0, 0, 0, 0, 0, 1};
            for (int i = 0; i < (projective ? 9 : 6); i++) {
                m[i] = number(i < 6 ? FIRST.get(3 + i) : LAST_ROW.get(i - 6));
            }
            Transform matrix = m[6] == 0 && m[7] == 0 && m[8] == 1 ? Transform.of(m)
                    : Transform.of(Transform.Kind.HOMOGRAPHY, m);
            if (!matrix.isInvertible()) {
                throw new FileFormatException(where + "the matrix " + matrix + " cannot be inverted");
            }
            return matrix;
        }
    }
}
