package endorama.jni;

/** Takes the distortion of a lens out of frames of one size, {@code endo_lens}. */
public final class NativeLens extends Handle {
    private final int width;
    private final int height;

    private NativeLens(NativeContext context, long pointer, int width, int height) {
        super(context, pointer);
        this.width = width;
        this.height = height;
    }

    /** For frames of this size, px; percent: distortion at half of their longer side, -40..40. */
    public static NativeLens create(NativeContext context, int width, int height, double percent) {
        long[] out = new long[1];
        long pointer = context.acquire();
        try {
            EndoramaException.check(Native.lensCreate(pointer, width, height, percent, out));
            return new NativeLens(context, out[0], width, height);
        } finally {
            context.release();
        }
    }

    /** A frame without the distortion; both arrays by type, width*height. */
    public void undistort(Object pixels, int type, Object out) {
        PixelArrays.check(pixels, type, (long) width * height);
        PixelArrays.check(out, type, (long) width * height);
        long lens = acquire();
        try {
            EndoramaException.check(Native.lensUndistort(lens, pixels, type, width, height, out));
        } finally {
            release();
        }
    }

    /** A mask (null: everything) as it lies on frames without the distortion: width*height bytes, 0 = outside. */
    public byte[] mask(byte[] shown) {
        byte[] mask = new byte[width * height];
        long lens = acquire();
        try {
            EndoramaException.check(Native.lensMask(lens, mask.length, shown, mask));
        } finally {
            release();
        }
        return mask;
    }

    @Override
    void destroy(long lens) {
        Native.lensDestroy(lens);
    }
}
