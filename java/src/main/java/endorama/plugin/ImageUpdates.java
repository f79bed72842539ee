package endorama.plugin;

import endorama.core.frames.PixelType;
import endorama.core.live.FrameSlot;
import endorama.core.live.LiveFrame;
import endorama.picture.ImageSlices;
import ij.ImageListener;
import ij.ImagePlus;
import ij.process.ImageProcessor;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The pictures that another plugin puts into an image: one at each update that ImageJ tells of, which it does on the thread of
 * events after the update; and where pixels change without a word, which is looked for 100 times a second, when they have
 * settled. Pixels that change while they are copied are waited for until they have settled, too. The image is only read.
 */
final class ImageUpdates implements ImageListener {
    private static final int LOOK_MS = 10;
    /** Looks after which pixels that never settle are taken nevertheless. */
    private static final int UNSETTLED = 3;
    /** Looks without a change after which ImageJ is asked whether the image has other pixels now. */
    private static final int ASK = 50;
    /** Pixels that are compared, about. */
    private static final int COMPARED = 4096;

    private final ImagePlus image;
    private final FrameSlot slot;
    private final ConcurrentLinkedQueue<Object> spare = new ConcurrentLinkedQueue<Object>();
    private volatile boolean stopped;
    private ImageProcessor shown;
    private long taken;
    private long seen;
    private int unsettled;
    private int unchanged;

    ImageUpdates(ImagePlus image, FrameSlot slot) {
        this.image = image;
        this.slot = slot;
    }

    /** Begins with the image as it is. */
    void start() {
        ImagePlus.addImageListener(this);
        imageUpdated(image);
        Thread thread = new Thread(this::look, "Endorama updates");
        thread.setDaemon(true);
        thread.start();
    }

    void stop() {
        stopped = true;
        ImagePlus.removeImageListener(this);
    }

    @Override
    public void imageOpened(ImagePlus opened) {
    }

    @Override
    public void imageClosed(ImagePlus closed) {
        if (closed == image) {
            slot.end(null);
        }
    }

    @Override
    public void imageUpdated(ImagePlus updated) {
        if (updated == image && !stopped) {
            synchronized (this) {
                ask();
                take(false);
            }
        }
    }

    private void look() {
        try {
            while (!stopped) {
                Thread.sleep(LOOK_MS);
                synchronized (this) {
                    compare();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void compare() {
        if (unchanged >= ASK || image.getStackSize() > 1) {
            unchanged = 0;
            ask();
        }
        long now = fingerprint();
        if (now == taken) {
            unchanged++;
            return;
        }
        unchanged = 0;
        unsettled++;
        if (now == seen || unsettled >= UNSETTLED) {
            take(unsettled >= UNSETTLED);
        }
        seen = now;
    }

    private void ask() {
        ImageProcessor now = image.getStackSize() > 1 ? image.getStack().getProcessor(image.getCurrentSlice())
                : image.getProcessor();
        shown = now == null ? shown : now;
    }

    /** A number that differs where some of the pixels do. */
    private long fingerprint() {
        Object pixels = shown == null ? null : shown.getPixels();
        int n = shown == null ? 0 : shown.getPixelCount();
        if (pixels == null) {
            return taken;
        }
        // An odd step meets all columns in turn.
        int step = Math.max(1, n / COMPARED) | 1;
        long sum = System.identityHashCode(pixels);
        for (int i = 0; i < n; i += step) {
            sum = sum * 31 + shown.get(i);
        }
        return sum;
    }

    /** Offers a copy of the pixels; in part those of the next picture, where they change meanwhile, only if that is allowed. */
    private void take(boolean torn) {
        PixelType type = ImageSlices.type(image);
        if (shown == null || shown.getPixels() == null || type == null) {
            return;
        }
        long before = fingerprint();
        Object pixels = image.getType() == ImagePlus.COLOR_256 ? shown.convertToRGB().getPixels() : shown.getPixels();
        int n = shown.getPixelCount();
        if (type.length(pixels) != n) {
            return;
        }
        Object copy = spare.poll();
        copy = copy == null || type.length(copy) != n ? type.array(n) : copy;
        System.arraycopy(pixels, 0, copy, 0, n);
        if (!torn && fingerprint() != before) {
            spare.add(copy);
            return;
        }
        taken = before;
        unsettled = 0;
        offer(new Copied(shown.getWidth(), shown.getHeight(), type, copy));
    }

    private void offer(LiveFrame frame) {
        try {
            stopped |= !slot.offer(frame);
        } catch (InterruptedException e) {
            // The thread may be that of events.
            Thread.currentThread().interrupt();
        }
    }

    /** A copy of the image. */
    private final class Copied extends LiveFrame {
        private final Object pixels;

        Copied(int width, int height, PixelType type, Object pixels) {
            super(width, height, type, "", System.nanoTime());
            this.pixels = pixels;
        }

        @Override
        public Object pixels() {
            return pixels;
        }

        @Override
        public void release() {
            spare.add(pixels);
        }
    }
}
