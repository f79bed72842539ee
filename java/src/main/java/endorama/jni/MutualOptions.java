package endorama.jni;

/** How volumes are registered by mutual information: {@code endo_mutual_options}, with its defaults. */
public final class MutualOptions {
    /** Measures: mutual information, bits. */
    public static final int MI = 0;
    /** Normalized, 1..2. */
    public static final int NMI = 1;
    /** Interpolations: of the 8 voxels around. */
    public static final int LINEAR = 0;
    /** The nearest voxel. */
    public static final int NEAREST = 1;
    /** Optimizers: Powell's directions with Brent's search along each. */
    public static final int POWELL = 0;
    /** Newton's steps on differences of the measure. */
    public static final int GRADIENT = 1;
    /** Where the search starts: the worlds as they are. */
    public static final int HEADER = 0;
    /** The centres of the volumes meet. */
    public static final int CENTRES = 1;
    /** Their centres of brightness meet. */
    public static final int MOMENTS = 2;
    /** {@link #initialMap}. */
    public static final int GIVEN = 3;

    private static final int PLACE = 16;

    /** Class of the transform: TRANSLATION, RIGID, SIMILARITY or AFFINE of {@link NativeTransforms}. */
    public int model = NativeTransforms.RIGID;
    /** Of each image, 16..256; 0: by the library. */
    public int bins;
    /** {@link #MI} or {@link #NMI}. */
    public int measure = MI;
    /** {@link #LINEAR} or {@link #NEAREST}. */
    public int interpolation = LINEAR;
    /** {@link #POWELL} or {@link #GRADIENT}. */
    public int optimizer = POWELL;
    /** Of the pyramid, 1..8; 0: by size. */
    public int levels;
    /** Turns and shifts that are tried, 1..4096; 0: as many as the ranges take. */
    public int starts;
    /** Degrees each way that the start may be off, 0..180. */
    public double turnRange = 15;
    /** Millimetres each way; 0: an eighth of the fixed volume's longest side. */
    public double shiftRange;
    /** {@link #HEADER}, {@link #CENTRES}, {@link #MOMENTS} or {@link #GIVEN}. */
    public int initial = HEADER;
    /** Fixed -&gt; moving, mm: a 4 x 4 matrix row by row. */
    public double[] initialMap = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    /** Least share of voxels that meet, above 0, up to 1. */
    public double overlap = 0.25;
    /** Where a search ends, voxels, 0.0001..1. */
    public double tolerance = 0.01;
    /** Of the measure, 1..1000000. */
    public int maxEvaluations = 100000;

    int[] ints() {
        return new int[] {model, bins, measure, interpolation, optimizer, levels, starts, initial, maxEvaluations};
    }

    double[] doubles() {
        PixelArrays.checkLength("initial map", initialMap.length, PLACE);
        double[] numbers = new double[4 + PLACE];
        numbers[0] = turnRange;
        numbers[1] = shiftRange;
        numbers[2] = overlap;
        numbers[3] = tolerance;
        System.arraycopy(initialMap, 0, numbers, 4, PLACE);
        return numbers;
    }
}
