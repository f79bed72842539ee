package endorama.jni;

/**
 * A blend in the back end's memory: frames of known places painted together, in two passes over the same frames.
 * {@code native/include/endorama/blend.h} says what it computes.
 */
public final class NativeBlend extends Handle {
    /** Bilinear samples of the frames. */
    public static final int LINEAR = 0;
    /** Bicubic samples (Catmull-Rom), saturating. */
    public static final int CUBIC = 1;
    /** A factor of 1, in corrections and gains. */
    public static final int ONE = 4096;
    /** The largest factor of corrections and gains; the least is 1. */
    public static final int MOST_FACTOR = 16383;
    /** The weight of the best frames; the least is 1. */
    public static final int FULL_WEIGHT = 256;
    /** The longest side of what is blended, px. */
    public static final int LONGEST = 1 << 20;
    /** Pixels a reading call moves at most, unless a row is longer. */
    private static final int BAND = 1 << 22;

    private final NativeContext context;
    private final int type;

    private NativeBlend(NativeContext context, long pointer, int type) {
        super(context, pointer);
        this.context = context;
        this.type = type;
    }

    /**
     * An empty blend in its first pass.
     *
     * @param type pixel type: 0 8-bit, 1 16-bit, 2 RGB
     * @param width px, 1..2^20, as the height
     * @param interpolation {@link #LINEAR} or {@link #CUBIC}
     * @param votes whether what disagrees with the first pass hardly counts
     */
    public static NativeBlend create(NativeContext context, int type, int width, int height, int interpolation,
            boolean votes) {
        return create(context, type, width, height, interpolation, votes, 1);
    }

    /** How many times as large a panorama is blended that has so many pixels along one of its frames. */
    public static int shrink(double scale, int width, int height) {
        long wanted = Math.min(Math.round(1 / scale), 8);
        return (int) Math.max(Math.min(wanted, LONGEST / Math.max(width, height)), 1);
    }

    /**
     * The same, blended larger than it is read: each pixel is the mean of shrink x shrink.
     *
     * @param width px that are read, 1..2^20 / shrink, as the height
     * @param shrink 1..8
     */
    public static NativeBlend create(NativeContext context, int type, int width, int height, int interpolation,
            boolean votes, int shrink) {
        long[] out = new long[1];
        long pointer = context.acquire();
        try {
            EndoramaException.check(
                    Native.blendCreate(pointer, type, width, height, interpolation, votes ? 1 : 0, shrink, out));
            return new NativeBlend(context, out[0], type);
        } finally {
            context.release();
        }
    }

    /**
     * How much detail a frame shows, 0: none; a blurred one shows less than its neighbours.
     *
     * @param pixels byte[], short[] or int[] by type, width*height
     * @param type pixel type: 0 8-bit, 1 16-bit, 2 RGB
     * @param width px, 1..32767, as the height
     */
    public static double details(Object pixels, int type, int width, int height) {
        PixelArrays.check(pixels, type, (long) width * height);
        NativeLibrary.load();
        double[] details = new double[1];
        EndoramaException.check(Native.blendDetails(pixels, type, width, height, details));
        return details[0];
    }

    /**
     * What the pixels of all frames that are added from now on are multiplied by.
     *
     * @param correction width*height factors of 1/4096, 1..16383, the size of the frames; null: none
     */
    public void setCorrection(short[] correction, int width, int height) {
        if (correction != null) {
            PixelArrays.checkLength("correction", correction.length, (long) width * height);
        }
        long blend = acquire();
        try {
            EndoramaException.check(Native.blendSetCorrection(blend, correction, width, height));
        } finally {
            release();
        }
    }

    /**
     * Adds frames to the present pass; both passes get the same.
     *
     * @param transforms one a frame, frame -&gt; panorama; denominators positive in all of the frame
     * @param weights one a frame, 1..256; null: 256 each
     * @param gains three a frame, red, green and blue, in 1/4096, 1..16383; null: 4096 each
     * @param originX pixel of the blend on which the panorama's point (0, 0) lies, within +-2^21
     * @param originY the same for y
     */
    public void add(NativeFrames frames, int[] slots, NativeTransforms transforms, int[] weights, int[] gains,
            int originX, int originY) {
        if (slots.length == 0) {
            return;
        }
        PixelArrays.checkLength("transforms", transforms.size(), slots.length);
        if (weights != null) {
            PixelArrays.checkLength("weights", weights.length, slots.length);
        }
        if (gains != null) {
            PixelArrays.checkLength("gains", gains.length, 3L * slots.length);
        }
        long blend = acquire();
        try {
            long source = frames.acquire();
            try {
                context.step();
                EndoramaException.check(Native.blendAdd(blend, source, slots, transforms.matrices(), transforms.kinds(),
                        weights, gains, slots.length, originX, originY));
            } finally {
                frames.release();
            }
        } finally {
            release();
        }
    }

    /** Ends the first pass, the survey, and begins the second, which paints. */
    public void nextPass() {
        long blend = acquire();
        try {
            EndoramaException.check(Native.blendNextPass(blend));
        } finally {
            release();
        }
    }

    /**
     * Reads a rectangle, width*height pixels, dense, as what was added so far in the second pass makes it.
     *
     * @param pixels byte[], short[] or int[] by the blend's type
     * @param painted receives -1 (255) where painted, 0 elsewhere; may be null
     * @param coverage receives how many frames reach each pixel, at most 65535; may be null
     */
    public void read(int x, int y, int width, int height, Object pixels, byte[] painted, short[] coverage) {
        long area = (long) width * height;
        PixelArrays.check(pixels, type, area);
        if (painted != null) {
            PixelArrays.checkLength("painted", painted.length, area);
        }
        if (coverage != null) {
            PixelArrays.checkLength("coverage", coverage.length, area);
        }
        long blend = acquire();
        try {
            int rows = Math.max(1, BAND / Math.max(1, width));
            for (int row = 0; row < height; row += rows) {
                int n = Math.min(rows, height - row);
                EndoramaException.check(Native.blendRead(blend, x, y + row, width, n, type, row * width, pixels,
                        painted, coverage));
            }
        } finally {
            release();
        }
    }

    @Override
    void destroy(long object) {
        Native.blendDestroy(object);
    }
}
