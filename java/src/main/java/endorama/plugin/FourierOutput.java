package endorama.plugin;

import endorama.core.chains.ChainRow;
import endorama.core.chains.ChainTable;
import endorama.core.fourier.FourierResult;
import ij.ImagePlus;
import ij.measure.ResultsTable;
import java.util.ArrayList;
import java.util.List;

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
        List<List<Object>> cells = new ArrayList<List<Object>>();
        for (ChainRow row : result.rows()) {
            cells.add(ChainTable.FOURIER.cells(row));
        }
        return Tables.table(ChainTable.FOURIER.columns(), cells);
    }

    public FourierResult result() {
        return result;
    }
}
