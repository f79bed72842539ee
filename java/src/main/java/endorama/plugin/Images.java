package endorama.plugin;

import ij.ImagePlus;
import ij.measure.Calibration;
import ij.process.ByteProcessor;
import ij.process.ColorProcessor;
import ij.process.ImageProcessor;
import ij.process.ShortProcessor;

/** New images that keep what a user set on the old one. */
final class Images {
    private Images() {
    }

    /** pixels: byte[], short[] or int[] (RGB). */
    static ImageProcessor processor(Object pixels, int width, int height) {
        if (pixels instanceof byte[]) {
            return new ByteProcessor(width, height, (byte[]) pixels);
        }
        if (pixels instanceof short[]) {
            return new ShortProcessor(width, height, (short[]) pixels, null);
        }
        return new ColorProcessor(width, height, (int[]) pixels);
    }

    /**
     * Colours, display range and calibration of the source.
     *
     * @param left where column 0 of the image lies in the coordinates of the first frame
     * @param top the same for row 0
     */
    static void keepLook(ImagePlus image, ImagePlus source, int left, int top) {
        if (image.getBitDepth() != 24) {
            if (image.getStackSize() > 1) {
                image.getStack().setColorModel(source.getProcessor().getColorModel());
            }
            image.getProcessor().setColorModel(source.getProcessor().getColorModel());
            image.setDisplayRange(source.getDisplayRangeMin(), source.getDisplayRangeMax());
        }
        Calibration calibration = source.getCalibration().copy();
        calibration.xOrigin -= left;
        calibration.yOrigin -= top;
        image.setCalibration(calibration);
    }

    /** "liver.tif" and " panorama" give "liver panorama". */
    static String title(ImagePlus source, String what) {
        return source.getShortTitle() + " " + what;
    }
}
