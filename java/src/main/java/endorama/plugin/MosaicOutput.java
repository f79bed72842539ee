package endorama.plugin;

import endorama.core.MosaicResult;
import ij.ImagePlus;
import ij.measure.ResultsTable;

/** What the mosaic command makes. */
public final class MosaicOutput {
    private final ImagePlus panorama;
    private final MosaicResult result;

    MosaicOutput(ImagePlus panorama, MosaicResult result) {
        this.panorama = panorama;
        this.result = result;
    }

    /** With the camera path as overlay and the calibration of the sequence; null if nothing was painted. */
    public ImagePlus panorama() {
        return panorama;
    }

    /** A row for each frame. */
    public ResultsTable frames() {
        return Tables.frames(result.rows());
    }

    /** A row for each frame: its matrix, and whether that is an estimate. */
    public ResultsTable transforms() {
        return Tables.transforms(result.rows());
    }

    public MosaicResult result() {
        return result;
    }
}
