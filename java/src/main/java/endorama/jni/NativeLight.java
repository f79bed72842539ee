package endorama.jni;

/**
 * Finds the light of a moving scope, {@code endo_light}: give it every frame while it is at hand, and ask when their places
 * are known. It keeps some kilobytes of each.
 */
public final class NativeLight extends Handle {
    /** Corrections and gains are given in so many parts of 1. */
    public static final int ONE = 4096;
    private static final int NUMBERS = 9;
    private static final int CURVE = 33;

    private final int width;
    private final int height;
    private final int type;

    private NativeLight(NativeContext context, long pointer, int type, int width, int height) {
        super(context, pointer);
        this.width = width;
        this.height = height;
        this.type = type;
    }

    /**
     * For frames of the size (px), type, field of view and grey range of a store.
     *
     * @param context on whose CPU threads it works
     */
    public static NativeLight create(NativeContext context, FramesOptions options) {
        if (options.field != null) {
            PixelArrays.checkLength("field of view", options.field.length, (long) options.width * options.height);
        }
        long[] out = new long[1];
        long pointer = context.acquire();
        try {
            EndoramaException.check(Native.lightCreate(pointer, options.type, options.width, options.height, options.high,
                    options.field, out));
            return new NativeLight(context, out[0], options.type, options.width, options.height);
        } finally {
            context.release();
        }
    }

    /** Keeps a small picture of a frame, numbered from 0, over one that was put as the same number. */
    public void put(int frame, Object pixels) {
        PixelArrays.check(pixels, type, (long) width * height);
        long light = acquire();
        try {
            EndoramaException.check(Native.lightPut(light, frame, pixels, type, width, height));
        } finally {
            release();
        }
    }

    /**
     * The light that contradicts the frames least.
     *
     * @param frames their numbers; one that was not put has the gain 1
     * @param parts of the panorama, each from 0 to the number of frames
     * @param places frame -&gt; panorama
     */
    public Result solve(int[] frames, int[] parts, NativeTransforms places) {
        int n = frames.length;
        PixelArrays.checkLength("parts", parts.length, n);
        PixelArrays.checkLength("places", places.size(), n);
        int[] views = new int[PixelArrays.elements("views", 2L * n)];
        for (int i = 0; i < n; i++) {
            views[2 * i] = frames[i];
            views[2 * i + 1] = parts[i];
        }
        short[] correction = new short[PixelArrays.elements("correction", (long) width * height)];
        int[] gains = new int[PixelArrays.elements("gains", 3L * n)];
        double[] report = new double[NUMBERS + CURVE];
        long light = acquire();
        try {
            EndoramaException.check(Native.lightSolve(light, true, n, views, places.matrices(), places.kinds(),
                    correction.length, correction, gains, report));
        } finally {
            release();
        }
        return new Result(correction, gains, report);
    }

    @Override
    void destroy(long light) {
        Native.lightDestroy(light);
    }

    /** The light of a sequence. */
    public static final class Result {
        /** width*height factors, unsigned, in 1/{@link #ONE}, that a pixel of any frame is multiplied with. */
        public final short[] correction;
        /** Three factors a frame, red, green and blue, in 1/{@link #ONE}. */
        public final int[] gains;
        /** The fall-off is known; else the frames do not tell it from the scene, and the correction is 1. */
        public final boolean found;
        /** Standard deviation of the fall-off from the middle to the rim, of its logarithm. */
        public final double deviation;
        /** The brightest place, px of a frame. */
        public final double x, y;
        /** Mean brightness at the field's rim, 0..1 of the brightest place. */
        public final double rim;
        /** Standard deviation of the frames' gains, and of a channel's against their mean, as a factor less 1. */
        public final double flicker, colour;
        /** What frames and scene still differ by, as a factor less 1. */
        public final double rest;
        /** Frames that had a say. */
        public final int frames;
        private final double[] curve = new double[CURVE];

        Result(short[] correction, int[] gains, double[] report) {
            this.correction = correction;
            this.gains = gains;
            found = report[0] != 0;
            deviation = report[1];
            x = report[2];
            y = report[3];
            rim = report[4];
            flicker = report[5];
            colour = report[6];
            rest = report[7];
            frames = (int) report[8];
            System.arraycopy(report, NUMBERS, curve, 0, CURVE);
        }

        /** Brightness, 0..1, at equal steps from the brightest place to the farthest pixel of the field. */
        public double[] curve() {
            return curve.clone();
        }
    }
}
