package endorama.plugin;

import endorama.core.chains.ChainTable;
import endorama.core.exposures.ExposureResult;
import ij.ImagePlus;
import ij.measure.ResultsTable;

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
        return Tables.table(ChainTable.EXPOSURES, result.rows());
    }

    public ExposureResult result() {
        return result;
    }
}
