package endorama.core;

import endorama.jni.FramesOptions;
import endorama.jni.NativeContext;
import endorama.jni.NativeField;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Which pixels of a sequence's frames show the scene, and for 16 bit the grey values that span it. */
public final class FieldOfView {
    /** Frames looked at, spread evenly over the sequence. */
    private static final int SAMPLES = 16;

    private final int width;
    private final int height;
    private final byte[] mask;
    private final Rect bounds;
    private final String description;
    private int low;
    private int high = 65535;

    private FieldOfView(int width, int height, byte[] mask, String description) {
        this.width = width;
        this.height = height;
        this.mask = mask;
        this.bounds = mask == null ? new Rect(0, 0, width, height) : bounds(mask, width, height);
        this.description = description;
    }

    /**
     * The field of view that the parameters ask for.
     *
     * @throws FrameReadException if no frame can be read
     * @throws IllegalArgumentException if a selection is asked for and there is none
     */
    public static FieldOfView find(FrameSource source, MosaicParameters parameters, Progress progress)
            throws FrameReadException {
        boolean auto = parameters.field() == MosaicParameters.Field.AUTO;
        List<Object> samples = auto || source.type() == PixelType.GREY16 ? sample(source, progress)
                : new ArrayList<Object>();
        int[] range = source.type() == PixelType.GREY16 ? range(samples) : new int[] {0, 65535};
        FieldOfView field;
        if (auto) {
            field = detect(source, samples, range);
        } else if (parameters.field() == MosaicParameters.Field.WHOLE) {
            field = new FieldOfView(source.width(), source.height(), null, "whole frame");
        } else {
            field = selected(source, parameters.selection());
        }
        field.low = range[0];
        field.high = range[1];
        return field;
    }

    private static FieldOfView selected(FrameSource source, byte[] mask) {
        if (mask == null) {
            throw new IllegalArgumentException("field Selection: there is no selection; make one, or use Auto"
                    + " or Whole");
        }
        if (mask.length != source.width() * source.height()) {
            throw new IllegalArgumentException("field Selection: the mask has " + mask.length
                    + " pixels, the frames have " + source.width() + " x " + source.height());
        }
        FieldOfView field = new FieldOfView(source.width(), source.height(), mask.clone(), "selection");
        if (field.bounds.width() <= 0) {
            throw new IllegalArgumentException("field Selection: the selection holds no pixel");
        }
        return field;
    }

    private static FieldOfView detect(FrameSource source, List<Object> samples, int[] range) {
        NativeField finder = new NativeField(source.width(), source.height(), source.type().code(), range[0],
                range[1]);
        for (Object pixels : samples) {
            finder.accumulate(pixels);
        }
        NativeField.Result found = finder.detect();
        if (!found.circle) {
            return new FieldOfView(source.width(), source.height(), null, "whole frame (no dark surround)");
        }
        String circle = found.radius > 0 ? String.format(Locale.ROOT, "circle of radius %.1f px about (%.1f, %.1f), ",
                found.radius, found.x, found.y) : "rectangle, ";
        return new FieldOfView(source.width(), source.height(), found.mask, circle + "columns " + found.left + "-"
                + found.right + ", rows " + found.top + "-" + found.bottom);
    }

    /** Frames spread evenly; those that cannot be read are left out here, and reported when their turn comes. */
    private static List<Object> sample(FrameSource source, Progress progress) throws FrameReadException {
        int n = Math.min(SAMPLES, source.count());
        List<Object> samples = new ArrayList<Object>();
        FrameReadException last = null;
        for (int i = 0; i < n && !progress.cancelled(); i++) {
            int frame = n == 1 ? 0 : (int) ((long) i * (source.count() - 1) / (n - 1));
            try {
                samples.add(Frames.pixels(source, frame));
            } catch (FrameReadException e) {
                last = e;
            }
        }
        if (samples.isEmpty() && last != null) {
            throw new FrameReadException("no frame can be read; the last said: " + last.getMessage(), last);
        }
        return samples;
    }

    private static int[] range(List<Object> samples) {
        int low = 65535;
        int high = 0;
        for (Object pixels : samples) {
            for (short pixel : (short[]) pixels) {
                low = Math.min(low, pixel & 0xffff);
                high = Math.max(high, pixel & 0xffff);
            }
        }
        if (low < high) {
            return new int[] {low, high};
        }
        return high > 0 && low == high ? new int[] {low - 1, high} : new int[] {0, 65535};
    }

    private static Rect bounds(byte[] mask, int width, int height) {
        int left = width;
        int top = height;
        int right = 0;
        int bottom = 0;
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                if (mask[y * width + x] != 0) {
                    left = Math.min(left, x);
                    right = Math.max(right, x + 1);
                    top = Math.min(top, y);
                    bottom = y + 1;
                }
            }
        }
        return new Rect(left, top, right, bottom);
    }

    /** width*height bytes, 0 = outside; null = every pixel. Not copied. */
    public byte[] mask() {
        return mask;
    }

    /** One line for people. */
    public String description() {
        return description;
    }

    /** Rectangle around the field, px of a frame. */
    Rect bounds() {
        return bounds;
    }

    /**
     * Makes sure that a template fits.
     *
     * @throws IllegalArgumentException that says how large it may be
     */
    void checkTemplate(int template) {
        int side = template == 0 ? NativeContext.automaticTemplate(width) : template;
        int room = Math.min(bounds.width(), bounds.height());
        if (side > room) {
            throw new IllegalArgumentException("template " + side + ": larger than the field of view, "
                    + bounds.width() + " x " + bounds.height() + " px of a frame of " + width + " x " + height);
        }
    }

    /** Options for a store of such frames. */
    FramesOptions options(PixelType type, int capacity) {
        FramesOptions options = new FramesOptions();
        options.width = width;
        options.height = height;
        options.type = type.code();
        options.capacity = capacity;
        options.field = mask;
        options.low = low;
        options.high = high;
        return options;
    }
}
