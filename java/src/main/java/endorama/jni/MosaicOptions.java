package endorama.jni;

/** Options of a mosaic: {@code endo_mosaic_options}, with its defaults. */
public final class MosaicOptions {
    /** {@link #field}: detected. */
    public static final int FIELD_AUTO = 0;
    /** {@link #field}: {@link #mask}. */
    public static final int FIELD_MASK = 1;
    /** {@link #field}: every pixel. */
    public static final int FIELD_WHOLE = 2;
    /** Frames are blended; else {@link #RING} or {@link #UNION}. */
    public static final int BLEND = 0;
    /** Paint only pixels that nothing has painted yet. */
    public static final int RING = 1;
    /** Paint every pixel that the frame reaches. */
    public static final int UNION = 2;
    /** {@link #extras}: number of frames that reach each pixel. */
    public static final int COVERAGE = 1;
    /** {@link #extras}: standard deviation of the pose at each pixel. */
    public static final int UNCERTAINTY = 2;

    /** Interpolation of blended frames: {@code endo_interpolation}. */
    public static final int LINEAR = 0, CUBIC = 1;

    /** Back end; Auto continues on the CPU where a device fails. */
    public ContextOptions context = new ContextOptions();
    /** Options of the registration of pairs. */
    public RegisterOptions pairs = new RegisterOptions();
    /** {@link #FIELD_AUTO}, {@link #FIELD_MASK} or {@link #FIELD_WHOLE}. */
    public int field = FIELD_AUTO;
    /** width*height bytes, 0 = outside; null unless {@link #field} asks for it. */
    public byte[] mask;
    /** The fixed pattern is estimated, and removed for matching. */
    public boolean pattern = true;
    /** Time constant of the recursive smoothing, px, 0..255. */
    public int iir = 4;
    /** Specular pixels are left out of matching. */
    public boolean highlights;
    /** Matching uses equalized frames. */
    public boolean enhance;
    /** Poses are solved from all edges; else each follows from the frame before it. */
    public boolean solve = true;
    /** Lens distortion to correct, percent, -40..40. */
    public double lens;
    /** {@link #BLEND}, {@link #RING} or {@link #UNION}. */
    public int painting = BLEND;
    /** Panoramas are painted; else only poses are solved. */
    public boolean picture = true;
    /** Blends only: vignetting and flicker are corrected. */
    public boolean light = true;
    /** Blends only: instruments and hands are painted only where no frame shows the scene. */
    public boolean leaveOut = true;
    /** Blends only: frames are displaced where the scene is in depth. */
    public boolean relief = true;
    /** Blends only: {@link #LINEAR} or {@link #CUBIC}. */
    public int interpolation = CUBIC;
    /** Blends only: pixels of the panorama along one of the first frame, 0.25..4. */
    public double scale = 1;
    /** Blends only: sum of {@link #COVERAGE} and {@link #UNCERTAINTY}. */
    public int extras;
    /** Twice the pixels along the field's rim that are not painted. */
    public int rim = 8;
    /** Area of the largest panorama, pixels. */
    public long maxCanvas = 1000000000;
    /** Bytes of host memory for frames that are kept and for panoramas. */
    public long memory = 1 << 30;
    /** Folder for panoramas that exceed the memory; null: none. */
    public String scratch;

    int[] ints() {
        int[] p = pairs.ints();
        return new int[] {context.backend, context.threads, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], field,
            flag(pattern), iir, flag(highlights), flag(enhance), flag(solve), painting, flag(picture), flag(light),
            interpolation, extras, rim, flag(!leaveOut), flag(!relief)};
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
