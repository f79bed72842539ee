package endorama.plugin;

import endorama.core.chains.ChainTable;
import endorama.core.exposures.ExposureResult;
import ij.ImagePlus;
import ij.measure.ResultsTable;

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
        return Tables.table(ChainTable.EXPOSURES, result.rows());
    }

    public ExposureResult result() {
        return result;
    }
}
