package endorama.jni;

/** A store of frames in the back end's memory, each known by its slot, 0..capacity-1. */
public final class NativeFrames extends Handle {
    /** Images that are put at once, at most. */
    public static final int MOST_PUT = 16;
    /** What frames are put for: to be compared; for the first pass of a blend; to be painted, and for both its passes. */
    public static final int MATCHING = 1;
    public static final int FIRST_PASS = 2;
    public static final int PAINTING = 4;
    public static final int ANY_USE = 7;

    private final NativeContext context;
    private final int type;
    private final int pixels;

    private NativeFrames(NativeContext context, long pointer, FramesOptions options) {
        super(context, pointer);
        this.context = context;
        type = options.type;
        pixels = PixelArrays.elements("frame", (long) options.width * options.height);
    }

    /** An empty store. */
    public static NativeFrames create(NativeContext context, FramesOptions options) {
        long area = (long) options.width * options.height;
        if (options.field != null) {
            PixelArrays.checkLength("field of view", options.field.length, area);
        }
        if (options.pattern != null) {
            PixelArrays.checkLength("pattern", options.pattern.length, area);
        }
        long[] out = new long[1];
        long pointer = context.acquire();
        try {
            EndoramaException.check(Native.framesCreate(pointer, options.numbers(), options.enhanceLimit,
                    options.field, options.pattern, out));
            return new NativeFrames(context, out[0], options);
        } finally {
            context.release();
        }
    }

    /**
     * Copies one image (byte[], short[] or int[] by the store's type, width*height) into a slot. One other thread than
     * that of the calls may do it, beside a call that is not about this slot.
     */
    public void put(int slot, Object image) {
        PixelArrays.check(image, type, pixels);
        long frames = acquire();
        try {
            context.step();
            EndoramaException.check(Native.framesPut(frames, slot, image));
        } finally {
            release();
        }
    }

    /**
     * Copies as many images as there are slots, of which none comes twice; sooner done than one by one.
     *
     * @param images 0..{@value #MOST_PUT} of them, each as {@link #put} takes it
     */
    public void put(int[] slots, Object[] images) {
        PixelArrays.checkLength("images", images.length, slots.length);
        long frames = acquire();
        try {
            for (int i = 0; i < slots.length; i++) {
                PixelArrays.check(images[i], type, pixels);
                context.step();
            }
            EndoramaException.check(Native.framesPutList(frames, slots, slots.length, images));
        } finally {
            release();
        }
    }

    /** The grey image that matching uses, width*height. */
    public byte[] grey(int slot) {
        byte[] grey = new byte[pixels];
        long frames = acquire();
        try {
            EndoramaException.check(Native.framesGetGrey(frames, slot, grey));
        } finally {
            release();
        }
        return grey;
    }

    /**
     * Registers a chunk of pairs in one call.
     *
     * @param pairs slots: reference, current, reference, current ...
     */
    public PairResults register(int[] pairs, RegisterOptions options) {
        PairResults results = new PairResults(pairs.length / 2);
        if (results.size() == 0) {
            return results;
        }
        long frames = acquire();
        try {
            context.step();
            EndoramaException.check(Native.registerPairs(frames, pairs, results.size(), options.ints(), options.doubles(),
                    results.measures(), results.counts()));
        } finally {
            release();
        }
        return results;
    }

    /**
     * The 5 x 5 measure of pairs.
     *
     * @param pairs slots: reference, current, reference, current ...
     * @param transforms one a pair, current -&gt; reference; no homographies
     * @return -1..1 a pair; NaN where undefined
     */
    public double[] quality(int[] pairs, NativeTransforms transforms) {
        int n = pairs.length / 2;
        PixelArrays.checkLength("transforms", transforms.size(), n);
        double[] quality = new double[n];
        if (n == 0) {
            return quality;
        }
        long frames = acquire();
        try {
            EndoramaException.check(Native.quality(frames, pairs, transforms.matrices(), transforms.kinds(), n,
                    quality));
        } finally {
            release();
        }
        return quality;
    }

    @Override
    void destroy(long object) {
        Native.framesDestroy(object);
    }
}
