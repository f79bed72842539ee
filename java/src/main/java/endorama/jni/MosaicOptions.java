package endorama.jni;

/** What a mosaic is made with: {@code endo_mosaic_options}, with its defaults. */
public final class MosaicOptions {
    /** The field of view is looked for. */
    public static final int FIELD_AUTO = 0;
    /** The field of view is {@link #mask}. */
    public static final int FIELD_MASK = 1;
    /** Every pixel shows the scene. */
    public static final int FIELD_WHOLE = 2;
    /** All frames are painted together, without seams; else {@link #RING} or {@link #UNION}. */
    public static final int BLEND = 0;
    /** Paint only pixels that nothing has painted yet. */
    public static final int RING = 1;
    /** Paint every pixel that the frame reaches. */
    public static final int UNION = 2;
    /** In {@link #extras}: how many frames reach each pixel. */
    public static final int COVERAGE = 1;
    /** In {@link #extras}: how well the pose of each pixel is known. */
    public static final int UNCERTAINTY = 2;

    /** How frames are resampled when they are blended: {@code endo_interpolation}. */
    public static final int LINEAR = 0, CUBIC = 1;

    /** What computes; Auto goes on with the CPU where a device fails. */
    public ContextOptions context = new ContextOptions();
    /** How pairs are registered. */
    public RegisterOptions pairs = new RegisterOptions();
    /** {@link #FIELD_AUTO}, {@link #FIELD_MASK} or {@link #FIELD_WHOLE}. */
    public int field = FIELD_AUTO;
    /** width*height bytes, 0 = outside; null unless {@link #field} asks for it. */
    public byte[] mask;
    /** What stands still on the sensor is looked for, and taken out for matching. */
    public boolean pattern = true;
    /** Recursive smoothing, px, 0..255. */
    public int iir = 4;
    /** Specular pixels take no part in matching. */
    public boolean highlights;
    /** Matching works on equalized frames. */
    public boolean enhance;
    /** Poses follow from all edges; else each from the frame before it. */
    public boolean solve = true;
    /** Distortion of the lens that is taken out of frames, percent, -40..40. */
    public double lens;
    /** {@link #BLEND}, {@link #RING} or {@link #UNION}. */
    public int painting = BLEND;
    /** Panoramas are made; else poses alone. */
    public boolean picture = true;
    /** Fall-off and flicker are taken out; of blends. */
    public boolean light = true;
    /** {@link #LINEAR} or {@link #CUBIC}; of blends. */
    public int interpolation = CUBIC;
    /** Pixels of the panorama along one of the first frame, 0.25..4; of blends. */
    public double scale = 1;
    /** Sum of {@link #COVERAGE} and {@link #UNCERTAINTY}; of blends. */
    public int extras;
    /** Twice the pixels along the field's rim that are not painted. */
    public int rim = 8;
    /** Area of the largest panorama, pixels. */
    public long maxCanvas = 1000000000;
    /** Bytes of host memory for frames that are kept and for panoramas. */
    public long memory = 1 << 30;
    /** Folder for panoramas beyond that; null: there is none. */
    public String scratch;

    int[] ints() {
        int[] p = pairs.ints();
        return new int[] {context.backend, context.threads, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], field,
            flag(pattern), iir, flag(highlights), flag(enhance), flag(solve), painting, flag(picture), flag(light),
            interpolation, extras, rim};
    }

    private static int flag(boolean set) {
        return set ? 1 : 0;
    }

    long[] longs() {
        return new long[] {context.memoryLimit, maxCanvas, memory};
    }

    double[] reals() {
        double[] p = pairs.doubles();
        return new double[] {p[0], p[1], p[2], lens, scale};
    }
}
