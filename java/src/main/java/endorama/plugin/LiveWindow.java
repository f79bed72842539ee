package endorama.plugin;

import endorama.core.mosaic.MosaicListener;
import endorama.core.paint.Panorama;
import ij.IJ;
import ij.ImagePlus;
import ij.macro.Interpreter;
import java.awt.Point;
import java.awt.Window;
import java.util.function.Supplier;

/** Shows the growing panorama. Copying it may take at most a fifth of the time. */
final class LiveWindow implements MosaicListener {
    private static final long SHORTEST_PAUSE = 250000000L;

    private final ImagePlus source;
    private ImagePlus image;
    private long next;

    private LiveWindow(ImagePlus source) {
        this.source = source;
    }

    /** A window; in batch mode or without a display it shows nothing. */
    static LiveWindow of(ImagePlus source) {
        boolean visible = IJ.getInstance() != null && !Interpreter.isBatchMode();
        return new LiveWindow(visible ? source : null);
    }

    @Override
    public void panorama(Supplier<Panorama> snapshot) {
        long start = System.nanoTime();
        if (source == null || image != null && start < next) {
            return;
        }
        Panorama panorama = snapshot.get();
        if (panorama == null) {
            return;
        }
        if (image == null) {
            image = new ImagePlus(Images.title(source, "panorama (growing)"), Images.processor(panorama));
            Images.keepSettings(image, source, panorama);
            image.show();
        } else if (image.getWindow() != null) {
            image.setProcessor(Images.processor(panorama));
            Images.keepSettings(image, source, panorama);
            image.updateAndDraw();
        }
        long end = System.nanoTime();
        next = end + Math.max(SHORTEST_PAUSE, 4 * (end - start));
    }

    /** Replaces the window by the result, if there is one. */
    void replaceBy(ImagePlus result) {
        Window window = image == null ? null : image.getWindow();
        Point place = window == null ? null : window.getLocation();
        if (image != null) {
            image.changes = false;
            image.close();
        }
        if (result != null) {
            result.show();
            if (place != null && result.getWindow() != null) {
                result.getWindow().setLocation(place);
            }
        }
    }
}
