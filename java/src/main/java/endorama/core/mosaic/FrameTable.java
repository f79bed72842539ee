package endorama.core.mosaic;

import endorama.core.files.Table;
import endorama.core.transforms.Transform;
import endorama.core.transforms.TransformsFile;
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

    /** The table of these rows of frames of width x height px; homographies, if there are any, add columns at the end. */
    public static Table<FrameRow> of(List<FrameRow> rows, int width, int height) {
        boolean projective = false;
        for (FrameRow row : rows) {
            projective |= row.transform.isHomography() || chained(row).isHomography();
        }
        if (!projective) {
            return new Table<FrameRow>(row -> cells(row, width, height), COLUMNS);
        }
        List<String> columns = new ArrayList<String>(COLUMNS);
        columns.addAll(TransformsFile.HOMOGRAPHY);
        columns.addAll(TransformsFile.CHAINED_HOMOGRAPHY);
        return new Table<FrameRow>(row -> {
            List<Object> cells = new ArrayList<Object>(cells(row, width, height));
            TransformsFile.addNumbers(cells, row.transform.eight());
            TransformsFile.addNumbers(cells, chained(row).eight());
            return cells;
        }, columns);
    }
}
