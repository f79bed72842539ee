package endorama.jni;

/** Options of registration by mutual information: {@code endo_mutual_options}, with its defaults. */
public final class MutualOptions {
    /** Measure: mutual information, bits. */
    public static final int MI = 0;
    /** Measure: normalized mutual information, 1..2. */
    public static final int NMI = 1;
    /** Interpolation: trilinear. */
    public static final int LINEAR = 0;
    /** Interpolation: nearest voxel. */
    public static final int NEAREST = 1;
    /** Optimizer: Powell's directions with Brent's line search. */
    public static final int POWELL = 0;
    /** Optimizer: Newton's method with finite differences. */
    public static final int GRADIENT = 1;
    /** Start: by the worlds of the headers. */
    public static final int HEADER = 0;
    /** Start: the centres of the volumes coincide. */
    public static final int CENTRES = 1;
    /** Start: the centres of brightness coincide. */
    public static final int MOMENTS = 2;
    /** Start: {@link #initialMap}. */
    public static final int GIVEN = 3;

    private static final int MATRIX = 16;

    /** Class of the transform: TRANSLATION, RIGID, SIMILARITY or AFFINE of {@link NativeTransforms}. */
    public int model = NativeTransforms.RIGID;
    /** Histogram bins of each image, 16..256; 0: chosen by the library. */
    public int bins;
    /** {@link #MI} or {@link #NMI}. */
    public int measure = MI;
    /** {@link #LINEAR} or {@link #NEAREST}. */
    public int interpolation = LINEAR;
    /** {@link #POWELL} or {@link #GRADIENT}. */
    public int optimizer = POWELL;
    /** Levels of the pyramid, 1..8; 0: chosen by size. */
    public int levels;
    /** Number of starting rotations and shifts, 1..4096; 0: as many as the ranges need. */
    public int starts;
    /** Range of starting rotations, degrees each way, 0..180. */
    public double turnRange = 15;
    /** Range of starting shifts, mm each way; 0: an eighth of the fixed volume's longest side. */
    public double shiftRange;
    /** {@link #HEADER}, {@link #CENTRES}, {@link #MOMENTS} or {@link #GIVEN}. */
    public int initial = HEADER;
    /** Fixed -&gt; moving, mm: a 4 x 4 matrix row by row. */
    public double[] initialMap = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    /** Least overlap as a share of the voxels, above 0, up to 1. */
    public double overlap = 0.25;
    /** Step at which a search ends, voxels, 0.0001..1. */
    public double tolerance = 0.01;
    /** Most evaluations of the measure, 1..1000000. */
    public int maxEvaluations = 100000;

    int[] ints() {
        return new int[] {model, bins, measure, interpolation, optimizer, levels, starts, initial, maxEvaluations};
    }

    double[] doubles() {
        PixelArrays.checkLength("initial map", initialMap.length, MATRIX);
        double[] numbers = new double[4 + MATRIX];
        numbers[0] = turnRange;
        numbers[1] = shiftRange;
        numbers[2] = overlap;
        numbers[3] = tolerance;
        System.arraycopy(initialMap, 0, numbers, 4, MATRIX);
        return numbers;
    }
}
