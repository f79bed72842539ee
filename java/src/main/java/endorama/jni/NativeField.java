package endorama.jni;

/** Finds the endoscope's field of view: feed it some frames, then ask. */
public final class NativeField {
    private final int width;
    private final int height;
    private final int type;
    private final int low;
    private final int high;
    private final byte[] brightest;

    /**
     * For frames of one size (px) and type (0 8-bit, 1 16-bit, 2 RGB).
     *
     * @param low 16 bit: grey value that becomes 0
     * @param high 16 bit: grey value that becomes 255
     */
    public NativeField(int width, int height, int type, int low, int high) {
        NativeLibrary.load();
        this.width = width;
        this.height = height;
        this.type = type;
        this.low = low;
        this.high = high;
        this.brightest = new byte[width * height];
    }

    /** Takes in one frame. */
    public void accumulate(Object pixels) {
        PixelArrays.check(pixels, type, brightest.length);
        EndoramaException.check(Native.fieldAccumulate(pixels, type, width, height, low, high, brightest));
    }

    /** The field of view in what was taken in. */
    public Result detect() {
        byte[] mask = new byte[brightest.length];
        double[] numbers = new double[8];
        EndoramaException.check(Native.fieldDetect(brightest, width, height, mask, numbers));
        return new Result(mask, numbers);
    }

    /** A field of view. */
    public static final class Result {
        /** width*height bytes, -1 (255) inside, 0 outside. */
        public final byte[] mask;
        /** A circle, perhaps cut; false: the whole image. */
        public final boolean circle;
        /** Centre and radius of the circle, px; 0 if the whole image. */
        public final double x, y, radius;
        /** Bounding box, px, inclusive. */
        public final int left, top, right, bottom;

        Result(byte[] mask, double[] numbers) {
            this.mask = mask;
            circle = numbers[0] != 0;
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
