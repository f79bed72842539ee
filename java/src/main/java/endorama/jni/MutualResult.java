package endorama.jni;

import java.util.Arrays;

/** The result of registration by mutual information: {@code endo_mutual_result}. */
public final class MutualResult {
    /** Status: registered. */
    public static final int OK = 0;
    /** Status: another transform, or chance, is nearly as good as the best one. */
    public static final int LOW_CERTAINTY = 1;
    /** Status: the volumes hardly overlap at any start. */
    public static final int NO_OVERLAP = 2;
    /** Status: an image has a single grey value in the overlap. */
    public static final int NO_CONTENT = 3;
    /** Stop: no step improves the measure. */
    public static final int CONVERGED = 0;
    /** Stop: the evaluations ran out; the result is the best so far. */
    public static final int EVALUATIONS = 1;
    /** Stop: cancelled; the result is the best so far. */
    public static final int CANCELLED = 2;

    static final int LEVELS = 8;
    private static final int LEVEL_INTS = 5;

    private final double[] measures = new double[38];
    private final int[] codes = new int[5];
    private final int[] levelInts = new int[LEVEL_INTS * LEVELS];
    private final double[] levelDoubles = new double[2 * LEVELS];

    MutualResult() {
    }

    double[] measures() {
        return measures;
    }

    int[] codes() {
        return codes;
    }

    int[] levelInts() {
        return levelInts;
    }

    double[] levelDoubles() {
        return levelDoubles;
    }

    /** Fixed -&gt; moving, voxels: 16 numbers, row by row, in a new array. */
    public double[] voxels() {
        return Arrays.copyOf(measures, 16);
    }

    /** Fixed -&gt; moving, mm: 16 numbers, row by row, in a new array. */
    public double[] world() {
        return Arrays.copyOfRange(measures, 16, 32);
    }

    /** The measure of the initial transform; NaN: it has no overlap. */
    public double before() {
        return measures[32];
    }

    /** The measure of the result. */
    public double after() {
        return measures[33];
    }

    /** Share of the fixed voxels that fall into the moving volume, 0..1. */
    public double overlap() {
        return measures[34];
    }

    /** Certainty, 0 (none) .. 1. */
    public double certainty() {
        return measures[35];
    }

    /**
     * Share of the fixed voxels in a rim of one value (of images: in a dark surround), which a second measure leaves out; 0:
     * there is none.
     */
    public double fixedRim() {
        return measures[36];
    }

    /**
     * Share of the moving voxels in a rim of one value (of images: in a dark surround), which a second measure leaves out; 0:
     * there is none.
     */
    public double movingRim() {
        return measures[37];
    }

    /** {@link #OK}, {@link #LOW_CERTAINTY}, {@link #NO_OVERLAP} or {@link #NO_CONTENT}. */
    public int status() {
        return codes[0];
    }

    /** {@link #CONVERGED}, {@link #EVALUATIONS} or {@link #CANCELLED}. */
    public int stop() {
        return codes[1];
    }

    /** Number of starts that were tried. */
    public int starts() {
        return codes[2];
    }

    /** Number of levels of the pyramid. */
    public int levels() {
        return codes[3];
    }

    /** Number of evaluations of the measure. */
    public int evaluations() {
        return codes[4];
    }

    /** Width, height, depth and bins of the fixed volume at a level, 0 being the full size, in a new array. */
    public int[] levelSize(int level) {
        return Arrays.copyOfRange(levelInts, LEVEL_INTS * level, LEVEL_INTS * level + 4);
    }

    /** Number of evaluations at a level. */
    public int levelEvaluations(int level) {
        return levelInts[LEVEL_INTS * level + 4];
    }

    /** The best measure at a level; at the coarsest of several perhaps the normalized one. */
    public double levelMeasure(int level) {
        return levelDoubles[2 * level];
    }

    /** Time at a level, s. */
    public double levelSeconds(int level) {
        return levelDoubles[2 * level + 1];
    }
}
