package endorama.plugin;

import ij.ImageListener;
import ij.ImagePlus;
import java.util.Arrays;

/**
 * Edit &gt; Undo brings back the pixels of a slice, but not the range that they were shown in. This watches an image of 16
 * bits after a change of both: where its pixels are as before, so is the range; where they are changed again, so is it. It
 * ends with the image, or as soon as its pixels are something else.
 */
final class DisplayUndo implements ImageListener {
    /** The pixels, and how they were shown. */
    private static final class Look {
        private final int pixels;
        private final double min;
        private final double max;

        Look(ImagePlus image) {
            pixels = pixels(image);
            min = image.getDisplayRangeMin();
            max = image.getDisplayRangeMax();
        }

        boolean show(ImagePlus image, int now) {
            if (now != pixels) {
                return false;
            }
            if (image.getDisplayRangeMin() != min || image.getDisplayRangeMax() != max) {
                image.setDisplayRange(min, max);
                image.updateAndDraw();
            }
            return true;
        }
    }

    private final ImagePlus image;
    private final Look before;
    private Look after;
    /** What was last seen; the user may change the range in between. */
    private int last;

    /** Takes note of an image of 16 bits before it is changed. */
    DisplayUndo(ImagePlus image) {
        this.image = image;
        before = new Look(image);
    }

    private static int pixels(ImagePlus image) {
        return Arrays.hashCode((short[]) image.getProcessor().getPixels());
    }

    /** It is changed. */
    void watch() {
        after = new Look(image);
        last = after.pixels;
        ImagePlus.addImageListener(this);
    }

    @Override
    public void imageUpdated(ImagePlus updated) {
        if (updated != image) {
            return;
        }
        int now = image.getBitDepth() == 16 ? pixels(image) : last + 1;
        if (now == last) {
            return;
        }
        last = now;
        if (!before.show(image, now) && !after.show(image, now)) {
            ImagePlus.removeImageListener(this);
        }
    }

    @Override
    public void imageOpened(ImagePlus opened) {
    }

    @Override
    public void imageClosed(ImagePlus closed) {
        if (closed == image) {
            ImagePlus.removeImageListener(this);
        }
    }
}
