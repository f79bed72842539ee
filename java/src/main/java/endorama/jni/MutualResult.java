package endorama.jni;

import java.util.Arrays;

/** What registration by mutual information found: {@code endo_mutual_result}. */
public final class MutualResult {
    /** Statuses: found. */
    public static final int OK = 0;
    /** The best that was found, but another transform is nearly as good, or chance is. */
    public static final int LOW_CERTAINTY = 1;
    /** The volumes hardly meet wherever it was looked. */
    public static final int NO_OVERLAP = 2;
    /** An image has one grey value where they meet. */
    public static final int NO_CONTENT = 3;
    /** Ends: no step makes it better. */
    public static final int CONVERGED = 0;
    /** The evaluations ran out; the best so far. */
    public static final int EVALUATIONS = 1;
    /** Stopped from outside; the best so far. */
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

    /** The same in mm. */
    public double[] world() {
        return Arrays.copyOfRange(measures, 16, 32);
    }

    /** The measure of the initial transform; NaN: it has no overlap. */
    public double before() {
        return measures[32];
    }

    /** The measure of what was found. */
    public double after() {
        return measures[33];
    }

    /** Share of the fixed voxels that fall into the moving volume, 0..1. */
    public double overlap() {
        return measures[34];
    }

    /** 0 (none) .. 1. */
    public double certainty() {
        return measures[35];
    }

    /** Share of the fixed volume's voxels that are a rim of one value, left out for a second opinion; 0: there is none. */
    public double fixedRim() {
        return measures[36];
    }

    /** The same of the moving volume. */
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

    /** Starts that were tried. */
    public int starts() {
        return codes[2];
    }

    /** Levels of the pyramid. */
    public int levels() {
        return codes[3];
    }

    /** Evaluations of the measure. */
    public int evaluations() {
        return codes[4];
    }

    /** Width, height and depth of the fixed volume at a level, 0 the full size; then its bins, in a new array. */
    public int[] levelSize(int level) {
        return Arrays.copyOfRange(levelInts, LEVEL_INTS * level, LEVEL_INTS * level + 4);
    }

    /** Evaluations at a level. */
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
