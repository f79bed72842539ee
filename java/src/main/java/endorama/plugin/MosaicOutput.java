package endorama.plugin;

import endorama.core.mosaic.MosaicResult;
import ij.ImagePlus;
import ij.gui.Plot;
import ij.measure.ResultsTable;
import java.util.Collections;
import java.util.List;

/** The results of the mosaic command. */
public final class MosaicOutput {
    private final List<ImagePlus> panoramas;
    private final List<ImagePlus> extras;
    private final MosaicResult result;
    private final RuntimeException failure;

    MosaicOutput(List<ImagePlus> panoramas, List<ImagePlus> extras, MosaicResult result, RuntimeException failure) {
        this.failure = failure;
        this.panoramas = Collections.unmodifiableList(panoramas);
        this.extras = Collections.unmodifiableList(extras);
        this.result = result;
    }

    /** The panorama with most frames; null if nothing was painted. */
    public ImagePlus panorama() {
        return panoramas.isEmpty() ? null : panoramas.get(0);
    }

    /**
     * The panoramas of all connected components, the largest first, with the camera path as overlay and the calibration of the
     * sequence.
     */
    public List<ImagePlus> panoramas() {
        return panoramas;
    }

    /**
     * The pictures that {@code extra} asks for, panorama after panorama: coverage (number of frames at a pixel), then
     * uncertainty (standard deviation of its pose, px of the first frame).
     */
    public List<ImagePlus> extras() {
        return extras;
    }

    /** One row a frame. */
    public ResultsTable frames() {
        return Tables.frames(result);
    }

    /** One row a frame: its matrix, and whether that is an estimate. */
    public ResultsTable transforms() {
        return Tables.transforms(result);
    }

    /** The vignetting, from the brightest point to the field's farthest pixel; null where it is not known. */
    public Plot lightCurve() {
        if (result.light() == null || !result.light().isKnown()) {
            return null;
        }
        double[] brightness = result.light().curve();
        double[] distance = new double[brightness.length];
        for (int i = 0; i < distance.length; i++) {
            distance[i] = (double) i / (distance.length - 1);
        }
        Plot plot = new Plot("Light of the scope", "distance from the brightest place (farthest pixel: 1)", "brightness");
        plot.setLimits(0, 1, 0, 1.05);
        plot.add("line", distance, brightness);
        return plot;
    }

    /** The result of the run, whose panoramas are closed: their pixels are in the images. */
    public MosaicResult result() {
        return result;
    }

    /** The error that ended the run early, or left a picture out; null if there is none. */
    public RuntimeException failure() {
        return failure;
    }
}
