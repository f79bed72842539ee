package endorama.jni;

/** Detects the endoscope's field of view from some frames of a sequence. */
public final class NativeField extends Handle {
    private final int width;
    private final int height;
    private final int type;

    private NativeField(NativeContext context, long pointer, int type, int width, int height) {
        super(context, pointer);
        this.width = width;
        this.height = height;
        this.type = type;
    }

    /**
     * A finder for frames of one size (px) and type (0 8-bit, 1 16-bit, 2 RGB).
     *
     * @param context on whose CPU threads it works
     * @param low 16 bit: grey value that becomes 0
     * @param high 16 bit: grey value that becomes 255
     */
    public static NativeField create(NativeContext context, int type, int width, int height, int low, int high) {
        long[] out = new long[1];
        long pointer = context.acquire();
        try {
            EndoramaException.check(Native.fieldCreate(pointer, type, width, height, low, high, out));
            return new NativeField(context, out[0], type, width, height);
        } finally {
            context.release();
        }
    }

    /** Adds one frame; its pixels are not kept. */
    public void add(Object pixels) {
        PixelArrays.check(pixels, type, (long) width * height);
        long finder = acquire();
        try {
            EndoramaException.check(Native.fieldAdd(finder, pixels, type, width, height));
        } finally {
            release();
        }
    }

    /** The field of view that most of the frames show. */
    public Result find() {
        byte[] mask = new byte[PixelArrays.elements("mask", (long) width * height)];
        double[] numbers = new double[8];
        long finder = acquire();
        try {
            EndoramaException.check(Native.fieldFind(finder, mask.length, mask, numbers));
        } finally {
            release();
        }
        return new Result(mask, numbers);
    }

    @Override
    void destroy(long finder) {
        Native.fieldDestroy(finder);
    }

    /** A field of view. */
    public static final class Result {
        /** width*height bytes, -1 (255) inside, 0 outside. */
        public final byte[] mask;
        /** There is a circle, perhaps cut, or another bright region; false: the whole image. */
        public final boolean framed;
        /** Centre and radius of the circle, px; 0 if there is none. */
        public final double x, y, radius;
        /** Bounding box, px, inclusive. */
        public final int left, top, right, bottom;

        Result(byte[] mask, double[] numbers) {
            this.mask = mask;
            framed = numbers[0] != 0;
            x = numbers[1];
            y = numbers[2];
            radius = numbers[3];
            left = (int) numbers[4];
            top = (int) numbers[5];
            right = (int) numbers[6];
            bottom = (int) numbers[7];
        }
    }
}
