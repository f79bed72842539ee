package endorama.core.pairs;

import endorama.core.common.Length;
import endorama.core.pairs.FrameRow.Status;
import endorama.core.transforms.Transform;
import endorama.jni.PairResults;

/** What the registration of one frame against another found. */
public final class PairMatch {
    /** Deviation, px, of a pair that has none. */
    private static final double UNKNOWN = 2;
    /** What the landmarks of a pair have in common, px, and their residuals do not tell. */
    private static final double BIAS = 0.02;
    /** A pair with few landmarks counts from this quality on, if they can carry a fit. */
    private static final double LEAST_QUALITY = 0.3;
    /**
     * The same after a failed frame, or if fewer than {@value #LEAST_FOUND} landmarks reached cthresh. Shading alone
     * gives two unrelated scenes a quality of about 0.4, and frames that belong together have 0.8 and more.
     */
    static final double DOUBTFUL_QUALITY = 0.6;
    private static final int LEAST_FOUND = 3;
    /** Tiles of which a share can be told. */
    private static final int LEAST_TILES = 8;

    /** Frame -&gt; reference. */
    public final Transform step;
    /** How it went. */
    final Status status;
    /** Landmarks that reached cthresh. */
    final int found;
    /** The 5 x 5 measure. */
    final double quality;
    /** Share of the tiles that differ, 0..1; 0 where there are too few to tell. */
    public final double differing;
    /** Share of one tile; 0 where there are too few to tell. */
    public final double tile;

    /** Standard deviation, px, of where the step takes a point of the frame. */
    final double deviation;

    /** Null: nothing is said of it. */
    private final Perspective perspective;
    /** Number of the reference, from 0. */
    public final int reference;
    private final int landmarks;
    private final int used;
    private final int computed;
    private final int reused;
    private final double coefficient;
    private final double timeMs;
    private final LensSight lens;

    /**
     * Pair i of some results.
     *
     * @param reference number of the reference, from 0
     */
    PairMatch(PairResults results, int i, int reference, int tiles, int differing, double timeMs) {
        step = Transform.of(results.kind(i), results.matrix(i));
        status = Status.values()[results.status(i)];
        found = results.found(i);
        quality = results.quality(i);
        this.differing = tiles < LEAST_TILES ? 0 : (double) differing / tiles;
        tile = tiles < LEAST_TILES ? 0 : 1.0 / tiles;
        this.reference = reference;
        landmarks = results.landmarks(i);
        used = results.used(i);
        deviation = results.deviation(i);
        perspective = Perspective.of(results, i);
        computed = results.computed(i);
        reused = results.reused(i);
        coefficient = results.meanCoefficient(i);
        this.timeMs = timeMs;
        lens = LensSight.of(results, i);
    }

    /**
     * It is good enough to go on with.
     *
     * @param afterFailure the frame before it could not be registered
     */
    public boolean counts(boolean afterFailure) {
        boolean doubtful = afterFailure || found < LEAST_FOUND;
        return status == Status.OK || status == Status.FEW_LANDMARKS
                && quality >= (doubtful ? DOUBTFUL_QUALITY : LEAST_QUALITY);
    }

    /** It turns by more than a right angle, as no scope does from one frame to the next, or mirrors. */
    public boolean isLeap() {
        return Plausibility.isLeap(step);
    }

    /** What it says of a frame, for the graph. */
    public Link link(int frame) {
        return new Link(reference, frame, step, Double.isNaN(deviation) ? UNKNOWN
                : Length.of(BIAS, beyond() * deviation), status != Status.OK, perspective, lens);
    }

    /**
     * The deviation is one over the reference. A scope that has withdrawn sees more than that, and what a growth or a turn
     * errs by grows beyond it with the distance. A homography's is told by how much it moves places itself.
     */
    private double beyond() {
        return step.isHomography() ? 1 : Math.max(1, Math.sqrt(Math.abs(step.determinant())));
    }

    /** Copies everything but the transform into a row. */
    public void describe(FrameRow row) {
        row.reference = reference + 1;
        row.status = status;
        row.landmarks = landmarks;
        row.found = found;
        row.used = used;
        row.coefficient = coefficient;
        row.quality = quality;
        row.computed = computed;
        row.reused = reused;
        row.timeMs = timeMs;
    }
}
