package endorama.plugin;

import endorama.core.chains.ChainRow;
import endorama.core.chains.ChainTable;
import endorama.core.exposures.ExposureResult;
import ij.ImagePlus;
import ij.measure.ResultsTable;
import java.util.ArrayList;
import java.util.List;

/** The results of aligning exposures. */
public final class ExposuresOutput {
    private final ImagePlus aligned;
    private final ExposureResult result;

    ExposuresOutput(ImagePlus aligned, ExposureResult result) {
        this.aligned = aligned;
        this.result = result;
    }

    /** The aligned frames; null if only transforms were asked for, or no frame could be aligned. */
    public ImagePlus aligned() {
        return aligned;
    }

    /** One row a frame. */
    public ResultsTable table() {
        List<List<Object>> cells = new ArrayList<List<Object>>();
        for (ChainRow row : result.rows()) {
            cells.add(ChainTable.EXPOSURES.cells(row));
        }
        return Tables.table(ChainTable.EXPOSURES.columns(), cells);
    }

    public ExposureResult result() {
        return result;
    }
}
