package endorama.jni;

/**
 * A volume for registration by mutual information, copied in slice by slice. Belongs to no context: after a device failed,
 * another context can continue.
 */
public final class NativeVolume extends Handle {
    private static final int MATRIX = 16;

    private final int type;
    private final int depth;
    private final int pixels;

    private NativeVolume(long pointer, int type, int depth, int pixels) {
        super(null, pointer);
        this.type = type;
        this.depth = depth;
        this.pixels = pixels;
    }

    /**
     * Loads the library if necessary and makes a volume of zeros.
     *
     * @param type 0 8-bit, 1 16-bit, 2 RGB
     * @param width with height and depth at most 2^30 voxels
     * @param world voxels -&gt; mm: a 4 x 4 matrix row by row
     */
    public static NativeVolume create(int type, int width, int height, int depth, double[] world) {
        PixelArrays.checkLength("world", world.length, MATRIX);
        int area = PixelArrays.elements("slice", (long) width * height);
        int[] sizes = {type, width, height, depth};
        return new NativeVolume(made(out -> Native.volumeCreate(sizes, world, out)), type, depth, area);
    }

    /** Number of slices. */
    public int depth() {
        return depth;
    }

    /** Copies one slice in: byte[], short[] or int[] by type, width*height. */
    public void put(int slice, Object image) {
        PixelArrays.check(image, type, pixels);
        run(volume -> Native.volumePut(volume, slice, image));
    }

    /** Copies one slice out. */
    public void get(int slice, Object image) {
        PixelArrays.check(image, type, pixels);
        run(volume -> Native.volumeGet(volume, slice, image));
    }

    /** Sets the mask of a slice: width*height bytes, 0 = outside. If any slice has one, slices without do not count. */
    public void mask(int slice, byte[] mask) {
        PixelArrays.checkLength("mask", mask.length, pixels);
        run(volume -> Native.volumeMask(volume, slice, mask));
    }

    /**
     * Resamples this volume in the grid of another one.
     *
     * @param fixed of which size and world count
     * @param world fixed -&gt; this one, mm
     * @param interpolation {@link MutualOptions#LINEAR} or {@link MutualOptions#NEAREST}
     */
    public NativeVolume resample(NativeContext context, NativeVolume fixed, double[] world, int interpolation) {
        PixelArrays.checkLength("world", world.length, MATRIX);
        long resampled = made(out -> fixed.ask(grid -> ask(moving -> context.step(pointer ->
                Native.volumeResample(pointer, grid, moving, world, interpolation, out)))));
        return new NativeVolume(resampled, type, fixed.depth, fixed.pixels);
    }

    @Override
    void destroy(long object) {
        Native.volumeDestroy(object);
    }
}
