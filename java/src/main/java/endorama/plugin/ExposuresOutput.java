package endorama.plugin;

import endorama.core.exposures.ExposureResult;
import endorama.core.exposures.ExposureRow;
import endorama.core.exposures.ExposureTable;
import ij.ImagePlus;
import ij.measure.ResultsTable;
import java.util.ArrayList;
import java.util.List;

/** What aligning exposures makes. */
public final class ExposuresOutput {
    private final ImagePlus aligned;
    private final ExposureResult result;

    ExposuresOutput(ImagePlus aligned, ExposureResult result) {
        this.aligned = aligned;
        this.result = result;
    }

    /** The frames in their places; null if only transforms were asked for, or nothing could be aligned. */
    public ImagePlus aligned() {
        return aligned;
    }

    /** A row for each frame. */
    public ResultsTable table() {
        List<List<Object>> cells = new ArrayList<List<Object>>();
        for (ExposureRow row : result.rows()) {
            cells.add(ExposureTable.cells(row));
        }
        return Tables.table(ExposureTable.COLUMNS, cells);
    }

    public ExposureResult result() {
        return result;
    }
}
