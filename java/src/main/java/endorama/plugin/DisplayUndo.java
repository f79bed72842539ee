package endorama.plugin;

import ij.ImageListener;
import ij.ImagePlus;
import java.util.Arrays;

/**
 * Restores the display range with Edit &gt; Undo, which brings back only the pixels of a slice. Watches a 16-bit image after
 * both have changed: when its pixels are those before or after the change, so is the range. Ends with the image, or as soon as
 * its pixels are anything else.
 */
final class DisplayUndo implements ImageListener {
    /** Pixels with their display range. */
    private static final class State {
        private final int pixels;
        private final double min;
        private final double max;

        State(ImagePlus image) {
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
    private final State before;
    private State after;
    /** Hash of the last pixels seen; the user may change the range while they stay. */
    private int last;

    /** Records a 16-bit image before it is changed. */
    DisplayUndo(ImagePlus image) {
        this.image = image;
        before = new State(image);
    }

    private static int pixels(ImagePlus image) {
        return Arrays.hashCode((short[]) image.getProcessor().getPixels());
    }

    /** Records the image after the change, and begins to watch it. */
    void watch() {
        after = new State(image);
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
