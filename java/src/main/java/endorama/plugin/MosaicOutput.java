package endorama.plugin;

import endorama.core.MosaicResult;
import ij.ImagePlus;
import ij.measure.ResultsTable;
import java.util.Collections;
import java.util.List;

/** What the mosaic command makes. */
public final class MosaicOutput {
    private final List<ImagePlus> panoramas;
    private final MosaicResult result;

    MosaicOutput(List<ImagePlus> panoramas, MosaicResult result) {
        this.panoramas = Collections.unmodifiableList(panoramas);
        this.result = result;
    }

    /** That of most frames; null if nothing was painted. */
    public ImagePlus panorama() {
        return panoramas.isEmpty() ? null : panoramas.get(0);
    }

    /**
     * With the camera path as overlay and the calibration of the sequence: one of every part of the sequence that could
     * not be tied to another, the largest first.
     */
    public List<ImagePlus> panoramas() {
        return panoramas;
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
