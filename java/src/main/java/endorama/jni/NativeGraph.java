package endorama.jni;

/** Places of frames from the transforms of their pairs: {@code endo_graph_solve}. */
public final class NativeGraph {
    private static final int REPORT = 7;
    private static final int ITERATIONS = 50;

    private final int[] frames;
    private final NativeTransforms pairs;
    private final double[] pairDeviations;
    private final NativeTransforms places;
    private final double[] deviations;
    private final double[] weights;
    private final double[] report = new double[REPORT];

    /** Room for so many pairs and frames; the frames are numbered from 0. */
    public NativeGraph(int pairCount, int frameCount) {
        frames = new int[PixelArrays.elements("pairs", 2L * pairCount)];
        pairs = new NativeTransforms(pairCount);
        pairDeviations = new double[pairCount];
        weights = new double[pairCount];
        places = new NativeTransforms(frameCount);
        deviations = new double[frameCount];
    }

    /**
     * Sets a pair.
     *
     * @param kind class of the transform: one of {@link NativeTransforms}
     * @param matrix nine numbers, current -&gt; reference
     * @param deviation standard deviation of where it takes a point of the frame, px; above 0
     */
    public void setPair(int i, int reference, int current, int kind, double[] matrix, double deviation) {
        frames[2 * i] = reference;
        frames[2 * i + 1] = current;
        pairs.set(i, kind, matrix);
        pairDeviations[i] = deviation;
    }

    /** Where the places begin, and, after {@link #solve}, what they are. */
    public NativeTransforms places() {
        return places;
    }

    /**
     * Solves for the places.
     *
     * @param width of the frames, px
     * @param height of the frames, px
     * @param kind class of the places
     * @param fixed frame whose place stays
     * @param robust a pair that contradicts the others by so many deviations counts half; 0: all count alike
     */
    public void solve(NativeContext context, int width, int height, int kind, int fixed, double robust) {
        int[] ints = {width, height, kind, fixed, ITERATIONS, pairDeviations.length, deviations.length};
        long pointer = context.acquire();
        try {
            EndoramaException.check(Native.graphSolve(pointer, ints, robust, frames, pairs.matrices(), pairs.kinds(),
                    pairDeviations, places.matrices(), places.kinds(), deviations, weights, report));
        } finally {
            context.release();
        }
    }

    /** Standard deviation of a frame's place, px; 0 for the fixed one, NaN in parts that it is not in. */
    public double deviation(int frame) {
        return deviations[frame];
    }

    /** How much a pair counted in the end, 0..1. */
    public double weight(int pair) {
        return weights[pair];
    }

    /** Root mean square of the pairs' contradictions in their deviations, at the end. */
    public double contradiction() {
        return report[1];
    }

    /**
     * Of homographies: frames that would have gone to infinity in the last iteration, and were stopped before. Their pairs
     * do not agree with a place.
     */
    public int cut() {
        return (int) report[6];
    }

    /**
     * By how much deviations are too small, were the pairs of one part independent: the root of the sum of the squares of
     * their contradictions, each by its weight, over the pairs that there are beyond those that it takes to connect the
     * frames. 1 at least, and 1 where there are no more of them.
     */
    public double contradictionFactor() {
        int beyond = pairDeviations.length - (deviations.length - 1);
        double weight = 0;
        for (double w : weights) {
            weight += w;
        }
        double factor = beyond > 0 ? contradiction() * Math.sqrt(weight / beyond) : 1;
        return factor > 1 ? factor : 1;
    }
}
