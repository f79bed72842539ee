package endorama.core.engine;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.frames.GreyRange;
import endorama.core.frames.PixelType;
import endorama.core.options.MosaicParameters;
import endorama.core.transforms.Rect;
import endorama.jni.FramesOptions;
import endorama.jni.NativeContext;
import endorama.jni.NativeField;
import java.util.Locale;

/** The field of view of a sequence, and for 16 bit the grey values that span it. */
public final class FieldOfView {
    /** Number of frames sampled, spread evenly over the sequence. */
    static final int SAMPLES = 16;

    private final int width;
    private final int height;
    private final byte[] mask;
    private final Rect bounds;
    private final String description;
    private boolean circle;
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
     * The field of view that the parameters ask for, in pixels of the source's frames.
     *
     * @param context whose CPU threads are used
     * @throws FrameReadException if no frame can be read
     * @throws IllegalArgumentException if a selection is asked for and there is none
     */
    public static FieldOfView find(NativeContext context, FrameSource source, MosaicParameters parameters,
            Progress progress) throws FrameReadException {
        int[] range = source.type() == PixelType.GREY16 ? range(source, progress) : new int[] {0, 65535};
        FieldOfView field;
        if (parameters.field() == MosaicParameters.Field.AUTO) {
            field = detect(context, source, range, progress);
        } else if (parameters.field() == MosaicParameters.Field.WHOLE) {
            field = new FieldOfView(source.width(), source.height(), null, "whole frame");
        } else {
            field = selected(source, parameters.selection());
        }
        field.low = range[0];
        field.high = range[1];
        return field;
    }

    /** The fixed circle of an endoscope; the whole frame where there is none. */
    public static FieldOfView circle(NativeContext context, FrameSource source, MosaicParameters parameters,
            Progress progress) throws FrameReadException {
        FieldOfView field = find(context, source, parameters, progress);
        MosaicParameters whole = MosaicParameters.defaults().with("field", "Whole");
        return field.circle ? field : find(context, source, whole, progress);
    }

    /**
     * Checks that there is a selection, and that it has the size of the frames.
     *
     * @throws IllegalArgumentException that says what is wrong
     */
    public static void checkSelection(FrameSource source, byte[] mask) {
        selected(source, mask);
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

    private static FieldOfView detect(NativeContext context, FrameSource source, int[] range, Progress progress)
            throws FrameReadException {
        NativeField.Result found;
        try (final NativeField finder = NativeField.create(context, source.type().code(), source.width(),
                source.height(), range[0], range[1])) {
            sample(source, SAMPLES, progress, new Sample() {
                @Override
                public void take(Object pixels) {
                    finder.add(pixels);
                }
            });
            found = finder.find();
        }
        if (!found.framed) {
            return new FieldOfView(source.width(), source.height(), null, "whole frame (no dark surround)");
        }
        String shape = found.radius > 0 ? String.format(Locale.ROOT, "circle of radius %.1f px about (%.1f, %.1f), ",
                found.radius, found.x, found.y) : "bright region, ";
        FieldOfView field = new FieldOfView(source.width(), source.height(), found.mask, shape + "columns " + found.left
                + "-" + found.right + ", rows " + found.top + "-" + found.bottom);
        field.circle = found.radius > 0;
        return field;
    }

    /** Receives a sampled frame, which is not kept. */
    interface Sample {
        void take(Object pixels);
    }

    /** Samples frames evenly; unreadable ones are skipped here, and reported when the run reaches them. */
    static void sample(FrameSource source, int most, Progress progress, Sample sample)
            throws FrameReadException {
        int n = Math.min(most, source.count());
        int taken = 0;
        FrameReadException last = null;
        int[] frames = new int[n];
        for (int i = 0; i < n; i++) {
            frames[i] = n == 1 ? 0 : (int) ((long) i * (source.count() - 1) / (n - 1));
        }
        source.expect(frames);
        for (int i = 0; i < n && !progress.cancelled(); i++) {
            try {
                Object pixels = Frames.pixels(source, frames[i]);
                sample.take(pixels);
                source.giveBack(frames[i], pixels);
                taken++;
            } catch (FrameReadException e) {
                last = e;
            }
        }
        if (taken == 0 && last != null) {
            throw new FrameReadException("no frame can be read; the last said: " + last.getMessage(), last);
        }
    }

    private static int[] range(FrameSource source, Progress progress) throws FrameReadException {
        final GreyRange range = new GreyRange();
        sample(source, SAMPLES, progress, new Sample() {
            @Override
            public void take(Object pixels) {
                range.add((short[]) pixels);
            }
        });
        return range.ends();
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

    /** Bounding box of the field, px of a frame. */
    public Rect bounds() {
        return bounds;
    }

    /** Options for a store of such frames. */
    public FramesOptions options(PixelType type, int capacity) {
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
