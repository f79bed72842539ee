package endorama.plugin;

import endorama.core.common.OnlyStopping;
import endorama.core.common.Progress;
import endorama.core.equalize.EqualizeParameters;
import endorama.core.equalize.Equalizer;
import endorama.core.frames.PixelType;
import endorama.core.transforms.Rect;
import ij.CompositeImage;
import ij.IJ;
import ij.ImagePlus;
import ij.ImageStack;
import ij.gui.Roi;
import ij.process.ImageProcessor;
import ij.process.LUT;
import java.awt.Rectangle;
import java.util.Locale;

/** Equalizes slices of an image: one, all in place, or into a new image. Closing it stops a call on another thread. */
final class SliceEqualizer implements AutoCloseable {
    /** A progress that stops when the thread is interrupted, and shows nothing. */
    static final Progress INTERRUPTED = new OnlyStopping(Progress.NONE) {
        @Override
        public boolean cancelled() {
            return Thread.currentThread().isInterrupted();
        }
    };

    private static final int LARGEST = 65535;

    private final ImagePlus image;
    private final boolean all;
    private final Equalizer equalizer;
    private volatile boolean closed;

    /** @param all the whole stack is meant, not its current slice */
    SliceEqualizer(ImagePlus image, EqualizeParameters parameters, boolean all) {
        this.image = image;
        this.all = all;
        equalizer = new Equalizer(parameters, all ? image.getStackSize() : 1);
    }

    /** @throws IllegalArgumentException that says what the image is, what is needed, and what to do */
    static void check(ImagePlus image) {
        if (image.getType() == ImagePlus.GRAY32) {
            throw new IllegalArgumentException(image.getTitle() + " is a 32-bit image; it must be 8-bit, 16-bit or RGB."
                    + " Set the display range and use Image > Type > 16-bit.");
        }
        if (image.getType() == ImagePlus.COLOR_256) {
            throw new IllegalArgumentException(image.getTitle() + " is an 8-bit colour image; it must be 8-bit grey,"
                    + " 16-bit or RGB. Use Image > Type > RGB Color.");
        }
        Roi roi = image.getRoi();
        if (roi != null && roi.isArea() && isEmpty(roi, image)) {
            Rectangle r = roi.getBounds();
            throw new IllegalArgumentException("selection of " + r.width + " x " + r.height + " at (" + r.x + ", " + r.y
                    + "): must hold pixels of " + image.getTitle() + ", which has " + image.getWidth() + " x "
                    + image.getHeight() + ". Use Edit > Selection > Select None.");
        }
    }

    private static boolean isEmpty(Roi roi, ImagePlus image) {
        for (java.awt.Point p : roi) {
            if (p.x >= 0 && p.y >= 0 && p.x < image.getWidth() && p.y < image.getHeight()) {
                return false;
            }
        }
        return true;
    }

    synchronized void set(EqualizeParameters parameters) {
        equalizer.set(parameters);
    }

    /**
     * Equalizes the rectangle of a processor's selection. A whole 16-bit image gets all grey levels, and their display range; a
     * region keeps the display range of the image, so that it matches its surround.
     *
     * @return false if it was stopped: nothing has changed
     */
    synchronized boolean slice(ImageProcessor ip, final Progress progress) {
        if (closed) {
            return false;
        }
        Rectangle r = ip.getRoi();
        int[] range = isRegion(ip) && ip.getBitDepth() == 16 ? range((short[]) ip.getPixels()) : null;
        PixelType type = ip.getBitDepth() == 8 ? PixelType.GREY8
                : ip.getBitDepth() == 16 ? PixelType.GREY16 : PixelType.RGB32;
        boolean done = equalizer.apply(type, ip.getWidth(), ip.getHeight(), ip.getPixels(),
                new Rect(r.x, r.y, r.x + r.width, r.y + r.height), ip.getPixels(), new OnlyStopping(progress) {
                    @Override
                    public void progress(int rows, int total) {
                        progress.progress(rows, total);
                    }

                    @Override
                    public boolean cancelled() {
                        return closed || progress.cancelled();
                    }
                });
        if (done && range != null) {
            into(range, ip, r);
        } else if (done && type == PixelType.GREY16) {
            ip.setMinAndMax(0, LARGEST);
        }
        return done;
    }

    private static boolean isRegion(ImageProcessor ip) {
        return ip.getMask() != null || !ip.getRoi().equals(new Rectangle(0, 0, ip.getWidth(), ip.getHeight()));
    }

    private static int[] range(short[] pixels) {
        int[] range = {LARGEST, 0};
        for (short pixel : pixels) {
            range[0] = Math.min(range[0], pixel & 0xffff);
            range[1] = Math.max(range[1], pixel & 0xffff);
        }
        return range;
    }

    private static void into(int[] range, ImageProcessor ip, Rectangle r) {
        for (int y = r.y; y < r.y + r.height; y++) {
            for (int x = r.x; x < r.x + r.width; x++) {
                ip.set(x, y, range[0] + (int) Math.round((double) ip.get(x, y) * (range[1] - range[0]) / LARGEST));
            }
        }
    }

    /** Sets the display range after all slices of a 16-bit stack were equalized. */
    void showWhole() {
        if (all && image.getStackSize() > 1) {
            showWhole(image);
        }
    }

    /** Sets the display range in every channel, unless only a region was equalized. */
    private void showWhole(ImagePlus shown) {
        Roi roi = image.getRoi();
        if (image.getBitDepth() != 16 || roi != null && roi.isArea()) {
            return;
        }
        if (shown.isComposite()) {
            LUT[] channels = shown.getLuts();
            for (LUT channel : channels) {
                channel.min = 0;
                channel.max = LARGEST;
            }
            ((CompositeImage) shown).setLuts(channels);
        }
        shown.setDisplayRange(0, LARGEST);
    }

    /** Equalizes the selection, of any shape, of one slice. */
    private boolean selection(ImageProcessor ip, Progress progress) {
        Roi roi = image.getRoi();
        ip.setRoi(roi != null && roi.isArea() ? roi : null);
        if (ip.getMask() != null) {
            ip.snapshot();
        }
        boolean done = slice(ip, progress);
        if (done && ip.getMask() != null) {
            ip.reset(ip.getMask());
        }
        return done;
    }

    /** Equalizes in place, for scripts; the caller updates a window. */
    ImagePlus inPlace(Progress progress) {
        int n = image.getStackSize();
        for (int i = all ? 1 : image.getCurrentSlice(); i <= (all ? n : image.getCurrentSlice()); i++) {
            ImageProcessor ip = n == 1 ? image.getProcessor() : image.getStack().getProcessor(i);
            if (!selection(ip, new OnlyStopping(progress))) {
                break;
            }
            progress.progress(i, n);
        }
        showWhole();
        return image;
    }

    /** Equalizes into a new image; null if it was stopped before the first slice was done. */
    ImagePlus toNewImage(Progress progress) {
        checkMemory();
        int first = all ? 1 : image.getCurrentSlice();
        int last = all ? image.getStackSize() : first;
        ImageStack stack = new ImageStack(image.getWidth(), image.getHeight());
        for (int i = first; i <= last; i++) {
            ImageProcessor ip = image.getStack().getProcessor(i).duplicate();
            if (progress.cancelled() || !selection(ip, new OnlyStopping(progress))) {
                break;
            }
            stack.addSlice(image.getStack().getSliceLabel(i), ip);
            progress.progress(i - first + 1, last - first + 1);
        }
        return stack.getSize() == 0 ? null : dressed(stack);
    }

    private void checkMemory() {
        double needed = (all ? image.getStackSize() : 1) * (double) image.getWidth() * image.getHeight()
                * image.getBytesPerPixel();
        double free = IJ.maxMemory() - (double) IJ.currentMemory();
        if (IJ.maxMemory() > 0 && needed > free) {
            throw new IllegalArgumentException(String.format(Locale.ROOT, "%d slices of %d x %d need %.0f MB, %.0f MB are"
                    + " free; give ImageJ more memory (Edit > Options > Memory & Threads), or use ./endorama ahe, which"
                    + " holds one slice at a time", all ? image.getStackSize() : 1, image.getWidth(), image.getHeight(),
                    needed / 1e6, free / 1e6));
        }
    }

    private ImagePlus dressed(ImageStack stack) {
        ImagePlus result = new ImagePlus(Images.title(image, "equalized"), stack);
        Images.keepSettings(result, image, 0, 0);
        showWhole(result);
        if (image.getOverlay() != null) {
            result.setOverlay(image.getOverlay().duplicate());
        }
        result.setProperty("Info", image.getInfoProperty());
        if (stack.getSize() == image.getStackSize()) {
            result.setDimensions(image.getNChannels(), image.getNSlices(), image.getNFrames());
            result.setOpenAsHyperStack(image.isHyperStack());
        }
        if (image.isComposite() && result.getNChannels() == image.getNChannels()) {
            CompositeImage coloured = new CompositeImage(result, image.getCompositeMode());
            coloured.copyLuts(image);
            showWhole(coloured);
            return coloured;
        }
        return result;
    }

    /** Stops a running call, and frees everything. */
    @Override
    public void close() {
        closed = true;
        synchronized (this) {
            equalizer.close();
        }
    }
}
