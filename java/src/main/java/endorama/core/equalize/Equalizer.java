package endorama.core.equalize;

import endorama.core.common.Progress;
import endorama.core.engine.BackEnd;
import endorama.core.frames.PixelType;
import endorama.core.transforms.Rect;
import endorama.jni.AheOptions;
import endorama.jni.EndoramaException;
import endorama.jni.NativeAhe;

/**
 * Adaptive equalization of images, one after the other. Each is equalized in bands of rows, and can be stopped between them;
 * the bytes do not depend on the bands. Where a device that Auto chose fails, the CPU continues. One thread at a time.
 */
public final class Equalizer implements AutoCloseable {
    private final long images;
    private final NativeAhe stage;
    private final BandPace pace = new BandPace();
    private EqualizeParameters parameters;
    private BackEnd backEnd;
    /** The surround of the images of a sequence; null: none was found yet. */
    private Surround surround;
    private boolean closed;

    /** images: approximate number, from which Auto chooses the back end. */
    public Equalizer(EqualizeParameters parameters, long images) {
        this.parameters = parameters;
        this.images = images;
        stage = NativeAhe.create();
    }

    /** For tests: bands of about so many pixels each. */
    Equalizer inBandsOf(long pixels) {
        pace.fix(pixels);
        return this;
    }

    /** Sets the parameters of the images that follow. */
    public void set(EqualizeParameters changed) {
        if (!changed.sameBackEnd(parameters)) {
            closeBackEnd();
        }
        parameters = changed;
    }

    /** Begins another sequence: its surround is looked for anew. */
    public void beginSequence() {
        surround = null;
    }

    /**
     * Equalizes a region of an image; pixels around it count in its windows. If the parameters ask for it, only the circle of
     * an endoscope is equalized in a whole image.
     *
     * @param pixels byte[], short[] or int[] by type, width*height; only read
     * @param region what to equalize; null: all
     * @param out an image of the same size and type, or pixels itself: the region of it is written once all is done
     * @param progress counts rows, and can stop the work
     * @return false if it was stopped: out is as it was
     */
    public boolean apply(PixelType type, int width, int height, Object pixels, Rect region, Object out,
            Progress progress) {
        if (closed) {
            throw new IllegalStateException("the equalizer is closed");
        }
        if (backEnd == null) {
            backEnd = BackEnd.open(width, height, type, parameters.backEnd(), images, progress);
            pace.reset(backEnd.name(), type);
        }
        Rect r = region == null ? new Rect(0, 0, width, height) : region;
        int n = width * height;
        boolean whole = r.width() == width && r.height() == height && type.length(pixels) == n && type.length(out) == n;
        Surround around = whole ? surround(type, width, height, pixels, progress) : null;
        Object seen = around == null ? pixels : around.mirrored(type, pixels);
        AheOptions options = parameters.options();
        if (type == PixelType.GREY16 && options.limit != 0) {
            setRange(options, (short[]) seen);
        }
        pace.set(type, options);
        int[] numbers = {r.left, r.top, r.width(), r.height()};
        stage.put(seen, type.code(), width, height, numbers, seenFrom(options, r.top),
                seenTo(options, r.bottom, height), backEnd.context().threads());
        if (!bands(options, r, height, progress)) {
            return false;
        }
        if (around == null) {
            stage.get(out, backEnd.context().threads());
        } else {
            stage.get(seen, backEnd.context().threads());
            around.restore(pixels, seen);
            System.arraycopy(seen, 0, out, 0, n);
        }
        return true;
    }

    /** The surround of the first image of a sequence that shows one; null: there is none, or it is not asked for. */
    private Surround surround(PixelType type, int width, int height, Object pixels, Progress progress) {
        if (!parameters.keepsSurround()) {
            return null;
        }
        if (surround == null || !surround.isOf(width, height)) {
            surround = progress.cancelled() ? null : Surround.of(backEnd.context(), type, width, height, pixels);
        }
        return surround;
    }

    /** First row in the window of a row. */
    private static int seenFrom(AheOptions options, int row) {
        return options.global ? row : Math.max(0, row - options.window / 2);
    }

    /** The row after the last one in the windows of the rows before end. */
    private static int seenTo(AheOptions options, int end, int height) {
        return options.global ? end : Math.min(height, end + options.window / 2);
    }

    /** Sets the grey range of the whole image, so that bands do not use the range of their rows. */
    private static void setRange(AheOptions options, short[] pixels) {
        int low = 65535;
        int high = 0;
        for (short pixel : pixels) {
            int value = pixel & 0xffff;
            low = Math.min(low, value);
            high = Math.max(high, value);
        }
        options.low = low;
        options.high = high;
    }

    private boolean bands(AheOptions options, Rect r, int height, Progress progress) {
        for (int row = r.top; row < r.bottom;) {
            if (progress.cancelled()) {
                return false;
            }
            int rows = options.global ? r.height() : pace.rows(r.width(), r.bottom - row);
            long start = System.nanoTime();
            run(options, row, row + rows, height, progress);
            pace.took((long) rows * r.width(), System.nanoTime() - start);
            row += rows;
            progress.progress(row - r.top, r.height());
        }
        return !progress.cancelled();
    }

    private void run(AheOptions options, int from, int to, int height, Progress progress) {
        int seenFrom = seenFrom(options, from);
        int seenTo = seenTo(options, to, height);
        try {
            stage.run(backEnd.context(), options, from, to, seenFrom, seenTo);
        } catch (EndoramaException e) {
            if (!backEnd.replaces(e)) {
                throw e;
            }
            backEnd.replace(e, progress);
            stage.run(backEnd.context(), options, from, to, seenFrom, seenTo);
        }
    }

    /** Description of the back ends used, for people; "" before the first image. */
    public String description() {
        return backEnd == null ? "" : backEnd.description();
    }

    private void closeBackEnd() {
        if (backEnd != null) {
            backEnd.close();
            backEnd = null;
        }
    }

    /** Frees what the library holds; twice does nothing. */
    @Override
    public void close() {
        closed = true;
        closeBackEnd();
        stage.close();
    }
}
