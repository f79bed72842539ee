package endorama.core.mosaic;

import endorama.core.files.AtomicFile;
import endorama.core.files.Csv;
import endorama.core.transforms.Transform;
import endorama.core.transforms.TransformsFile;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The frame table: its columns, the cells of a row, and CSV. */
public final class FrameTable {
    /** Names of the columns. */
    public static final List<String> COLUMNS = Collections.unmodifiableList(Arrays.asList("frame", "status", "reference",
            "dx", "dy", "m00", "m01", "m02", "m10", "m11", "m12", "landmarks", "found", "used", "coefficient",
            "quality", "registered", "computed", "reused", "time_ms", "backend", "part", "doubtful", "deviation",
            "key", "c00", "c01", "c02", "c10", "c11", "c12"));

    /** Further columns where there are homographies. */
    private static final List<String> HOMOGRAPHIES;

    static {
        List<String> names = new ArrayList<String>(TransformsFile.HOMOGRAPHY);
        names.addAll(TransformsFile.CHAINED_HOMOGRAPHY);
        HOMOGRAPHIES = Collections.unmodifiableList(names);
    }

    private FrameTable() {
    }

    /** The cells of a row of frames of width x height px, in the order of the columns: Integer, Double or String. */
    public static List<Object> cells(FrameRow r, int width, int height) {
        Transform m = r.transform.nearestAffine(width, height);
        Transform c = chained(r).nearestAffine(width, height);
        return Arrays.<Object>asList(r.frame, r.status.toString(), r.reference, r.dx, r.dy, m.m00, m.m01, m.m02,
                m.m10, m.m11, m.m12, r.landmarks, r.found, r.used, r.coefficient, r.quality, r.registered ? 1 : 0,
                r.computed, r.reused, Math.round(r.timeMs * 1000) / 1000.0, r.backend, r.part, r.doubtful ? 1 : 0,
                r.deviation, r.keyFrame ? 1 : 0, c.m00, c.m01, c.m02, c.m10, c.m11, c.m12);
    }

    private static Transform chained(FrameRow r) {
        return r.chained == null ? r.transform : r.chained;
    }

    /** The columns of a table of these rows; with homographies, if there are any, further ones at the end. */
    public static List<String> columns(List<FrameRow> rows) {
        boolean projective = false;
        for (FrameRow row : rows) {
            projective |= row.transform.isHomography() || chained(row).isHomography();
        }
        List<String> columns = new ArrayList<String>(COLUMNS);
        columns.addAll(projective ? HOMOGRAPHIES : Collections.<String>emptyList());
        return columns;
    }

    /** The cells of a row of frames of width x height px, in the order of columns that begin with {@link #COLUMNS}. */
    public static List<Object> cells(FrameRow row, List<String> columns, int width, int height) {
        List<Object> cells = new ArrayList<Object>(cells(row, width, height));
        if (columns.size() > COLUMNS.size()) {
            TransformsFile.addNumbers(cells, row.transform.eight());
            TransformsFile.addNumbers(cells, chained(row).eight());
        }
        return cells;
    }

    /** Writes the table of frames of width x height px as CSV; the file is there whole or not at all. */
    public static void write(File file, List<FrameRow> rows, int width, int height) throws IOException {
        StringBuilder text = new StringBuilder();
        List<String> columns = columns(rows);
        Csv.line(text, columns);
        for (FrameRow row : rows) {
            Csv.line(text, cells(row, columns, width, height));
        }
        AtomicFile.write(file, text.toString());
    }
}
