package endorama.plugin;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.options.OptionException;
import endorama.core.paint.Panorama;
import endorama.picture.ExtraPictures;
import endorama.picture.ImageSlices;
import ij.ImagePlus;
import ij.ImageStack;
import ij.WindowManager;
import ij.measure.Calibration;
import ij.process.ImageProcessor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** New images with the settings of the source image. */
final class Images {
    private Images() {
    }

    /** The open images except this one. */
    static List<ImagePlus> others(ImagePlus image) {
        List<ImagePlus> others = new ArrayList<ImagePlus>();
        int[] open = WindowManager.getIDList();
        for (int i = 0; open != null && i < open.length; i++) {
            ImagePlus other = WindowManager.getImage(open[i]);
            if (other != null && other != image) {
                others.add(other);
            }
        }
        return others;
    }

    /**
     * The open image with a title.
     *
     * @throws OptionException that names the key, if there is none, or are several
     */
    static ImagePlus titled(String key, String title) {
        return titled(key, title, null);
    }

    /** The open image of a title among all but one; null leaves out none. */
    static ImagePlus titled(String key, String title, ImagePlus but) {
        if (title.isEmpty()) {
            throw new OptionException(key, key + ": missing; give the title of an open image");
        }
        ImagePlus found = null;
        for (ImagePlus image : others(but)) {
            if (title.equals(image.getTitle())) {
                if (found != null) {
                    throw new OptionException(key, key + " " + title + ": several open images have this title");
                }
                found = image;
            }
        }
        if (found == null) {
            throw new OptionException(key, key + " " + title + ": no " + (but == null ? "" : "other ")
                    + "open image has this title");
        }
        return found;
    }

    static ImageProcessor processor(Panorama panorama) {
        return ImageSlices.processor(panorama.pixels(), panorama.width(), panorama.height());
    }

    /** Copies colours, display range and calibration of the source; the origin is that of the first frame. */
    static void keepSettings(ImagePlus image, ImagePlus source, Panorama panorama) {
        keepSettings(image, source, 0, 0);
        place(image.getCalibration(), panorama);
    }

    /** Adds the extra pictures of a panorama with this title. */
    static void addExtras(List<ImagePlus> extras, ImagePlus source, Panorama panorama, String title) {
        ImagePlus[] pictures = {ExtraPictures.coverage(panorama, title + " coverage"),
            ExtraPictures.uncertainty(panorama, title + " uncertainty")};
        for (ImagePlus picture : pictures) {
            if (picture != null) {
                keepGeometry(picture, source, panorama);
                extras.add(picture);
            }
        }
    }

    /** Copies pixel sizes and origin only, not the calibration of values. */
    private static void keepGeometry(ImagePlus image, ImagePlus source, Panorama panorama) {
        Calibration values = image.getCalibration();
        Calibration calibration = source.getCalibration().copy();
        place(calibration, panorama);
        image.setCalibration(calibration);
        // Set last: ImageJ drops it when a calibration comes from an image of another bit depth.
        image.getCalibration().setFunction(values.getFunction(), values.getCoefficients(), values.getValueUnit());
    }

    private static void place(Calibration calibration, Panorama panorama) {
        double x = calibration.xOrigin;
        calibration.xOrigin = panorama.transform().applyX(x, calibration.yOrigin);
        calibration.yOrigin = panorama.transform().applyY(x, calibration.yOrigin);
        calibration.pixelWidth /= panorama.scale();
        calibration.pixelHeight /= panorama.scale();
    }

    /** Copies colours, display range and calibration; x and y: position of the first frame's first pixel. */
    static void keepSettings(ImagePlus image, ImagePlus source, int x, int y) {
        if (image.getBitDepth() != 24) {
            ImageProcessor settings = source.getProcessor();
            image.getProcessor().setColorModel(settings.getColorModel());
            image.getStack().setColorModel(settings.getColorModel());
            image.setDisplayRange(source.getDisplayRangeMin(), source.getDisplayRangeMax());
        }
        Calibration calibration = source.getCalibration().copy();
        calibration.xOrigin += x;
        calibration.yOrigin += y;
        image.setCalibration(calibration);
    }

    /** The frames as a stack, read one by one: at least the first, and no more once the progress is cancelled. */
    static ImageStack stack(FrameSource frames, IntFunction<String> label, Progress progress) throws FrameReadException {
        ImageStack stack = new ImageStack(frames.width(), frames.height());
        for (int i = 0; i < frames.count() && (i == 0 || !progress.cancelled()); i++) {
            stack.addSlice(label.apply(i), ImageSlices.processor(frames.pixels(i), frames.width(), frames.height()));
            progress.progress(i + 1, frames.count());
        }
        return stack;
    }

    /** "liver.tif" and "panorama" give "liver panorama". */
    static String title(ImagePlus source, String what) {
        return source.getTitle().replaceFirst("\\.[A-Za-z0-9]{1,5}$", "") + " " + what;
    }
}
