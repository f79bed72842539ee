package endorama.plugin;

import endorama.core.chains.ChainTable;
import endorama.core.fourier.FourierResult;
import ij.ImagePlus;
import ij.measure.ResultsTable;

/** The results of Fourier registration. */
public final class FourierOutput {
    private final ImagePlus image;
    private final FourierResult result;

    FourierOutput(ImagePlus image, FourierResult result) {
        this.image = image;
        this.result = result;
    }

    /** The aligned frames or their overlay; null if only transforms were asked for, or no frame could be registered. */
    public ImagePlus image() {
        return image;
    }

    /** One row a frame. */
    public ResultsTable table() {
        return Tables.table(ChainTable.FOURIER, result.rows());
    }

    public FourierResult result() {
        return result;
    }
}
