package endorama.jni;

/**
 * An image during adaptive equalization: copied in, equalized by bands of rows, copied out. The memory is kept for the next
 * image. Belongs to no context: after a device failed, another context can continue.
 */
public final class NativeAhe extends Handle {
    private int type;
    private int width;
    private int height;
    private int top;
    private int bottom;
    private int[] region;

    private NativeAhe(long pointer) {
        super(null, pointer);
    }

    /** Loads the library if necessary and makes an empty object. */
    public static NativeAhe create() {
        return new NativeAhe(made(Native::aheCreate));
    }

    /**
     * Copies the rows of an image in that the windows cover.
     *
     * @param pixels byte[], short[] or int[] by type (0 8-bit, 1 16-bit, 2 RGB), width*height
     * @param region what will be equalized: x, y, width, height
     * @param seenFrom first row that a window sees
     * @param seenTo the row after the last
     * @param threads that copy, at least 1
     */
    public void put(Object pixels, int type, int width, int height, int[] region, int seenFrom, int seenTo,
            int threads) {
        PixelArrays.check(pixels, type, (long) width * height);
        if (region[0] < 0 || region[1] < seenFrom || region[2] < 1 || region[3] < 1 || region[2] > width - region[0]
                || region[3] > seenTo - region[1] || seenFrom < 0 || seenTo > height) {
            throw PixelArrays.argument("region of " + region[2] + " x " + region[3] + " at (" + region[0] + ", "
                    + region[1] + "), rows " + seenFrom + ".." + seenTo + ": must lie in the image of " + width + " x "
                    + height);
        }
        int[] numbers = {type, width, seenFrom, seenTo - seenFrom, region[0], region[1], region[2], region[3]};
        // If copying fails, there is no image.
        this.region = null;
        run(ahe -> Native.ahePut(ahe, pixels, numbers, threads));
        this.type = type;
        this.width = width;
        this.height = height;
        this.top = seenFrom;
        this.bottom = seenTo;
        this.region = region.clone();
    }

    /**
     * Equalizes some rows of the region.
     *
     * @param from first row, of the image
     * @param to the row after the last
     * @param seenFrom first row that their windows see; where that is no border of the image, half a window away
     * @param seenTo the row after the last that they see
     */
    public void run(NativeContext context, AheOptions options, int from, int to, int seenFrom, int seenTo) {
        checkImage();
        if (from < region[1] || to > region[1] + region[3] || from >= to || seenFrom < top
                || seenTo > bottom || seenFrom > from || seenTo < to) {
            throw PixelArrays.argument("rows " + from + ".." + to + ", seen " + seenFrom + ".." + seenTo
                    + ": must lie in what was put in");
        }
        int[] numbers = options.numbers(from, to, seenFrom, seenTo);
        run(ahe -> context.step(pointer -> Native.aheRun(ahe, pointer, numbers, options.limit)));
    }

    /** Copies the region into an image of the size and type of the one put in. */
    public void get(Object pixels, int threads) {
        checkImage();
        PixelArrays.check(pixels, type, (long) width * height);
        run(ahe -> Native.aheGet(ahe, pixels, threads));
    }

    private void checkImage() {
        if (region == null) {
            throw PixelArrays.argument("there is no image: none was put in, or that failed");
        }
    }

    @Override
    void destroy(long object) {
        Native.aheDestroy(object);
    }
}
