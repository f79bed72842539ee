package endorama.jni;

/** Finds what stands still on the sensor while the scene moves: feed it some frames of a sequence, then ask. */
public final class NativePattern extends Handle {
    private final int width;
    private final int height;
    private final int type;

    private NativePattern(NativeContext context, long pointer, int type, int width, int height) {
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
    public static NativePattern create(NativeContext context, FramesOptions options) {
        if (options.field != null) {
            PixelArrays.checkLength("field of view", options.field.length, (long) options.width * options.height);
        }
        long[] out = new long[1];
        long pointer = context.acquire();
        try {
            EndoramaException.check(Native.patternCreate(pointer, options.type, options.width, options.height,
                    options.low, options.high, options.field, out));
            return new NativePattern(context, out[0], options.type, options.width, options.height);
        } finally {
            context.release();
        }
    }

    /** Takes in one frame, if it shows another part of the scene than those before. */
    public void add(Object pixels) {
        PixelArrays.check(pixels, type, (long) width * height);
        long finder = acquire();
        try {
            EndoramaException.check(Native.patternAdd(finder, pixels, type, width, height));
        } finally {
            release();
        }
    }

    /** What the frames have in common. */
    public Result find() {
        short[] values = new short[PixelArrays.elements("pattern", (long) width * height)];
        double[] numbers = new double[5];
        long finder = acquire();
        try {
            EndoramaException.check(Native.patternFind(finder, values.length, values, numbers));
        } finally {
            release();
        }
        return new Result(values, numbers);
    }

    @Override
    void destroy(long finder) {
        Native.patternDestroy(finder);
    }

    /** A static pattern. */
    public static final class Result {
        /** width*height grey values, for {@link FramesOptions#pattern}. */
        public final short[] values;
        /** There is one that can be told from the scene; else the values are 0. */
        public final boolean found;
        /** Frames that showed different parts of the scene. */
        public final int frames;
        /** What they are worth, 0..frames. */
        public final double independent;
        /** Share of the frames' details that is the same in all of them, up to 1. */
        public final double share;
        /** Of the pattern in the field, grey levels. */
        public final double rms;

        Result(short[] values, double[] numbers) {
            this.values = values;
            found = numbers[0] != 0;
            frames = (int) numbers[1];
            independent = numbers[2];
            share = numbers[3];
            rms = numbers[4];
        }
    }
}
