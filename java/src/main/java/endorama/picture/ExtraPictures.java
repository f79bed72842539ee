package endorama.picture;

import endorama.core.paint.Panorama;
import ij.ImagePlus;
import ij.measure.Calibration;
import ij.process.ShortProcessor;

/** The extra pictures of a panorama: 16 bit, 0 where nothing is painted. */
public final class ExtraPictures {
    private ExtraPictures() {
    }

    /** The number of frames at each pixel; null if it was not asked for. */
    public static ImagePlus coverage(Panorama panorama, String title) {
        return panorama.coverageRows() == null ? null : picture(panorama, title, panorama.coverage());
    }

    /** The standard deviation of the pose at each pixel, calibrated in px of the first frame; null if it was not asked for. */
    public static ImagePlus uncertainty(Panorama panorama, String title) {
        if (panorama.uncertaintyRows() == null) {
            return null;
        }
        ImagePlus picture = picture(panorama, title, panorama.uncertainty());
        picture.getCalibration().setFunction(Calibration.STRAIGHT_LINE, new double[] {0, Panorama.UNCERTAINTY_STEP}, "px");
        return picture;
    }

    private static ImagePlus picture(Panorama panorama, String title, short[] values) {
        ImagePlus picture = new ImagePlus(title, new ShortProcessor(panorama.width(), panorama.height(), values, null));
        picture.resetDisplayRange();
        return picture;
    }
}
