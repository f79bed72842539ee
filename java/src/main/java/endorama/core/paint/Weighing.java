package endorama.core.paint;

import endorama.jni.NativeBlend;
import java.util.Arrays;
import java.util.List;

/** What the places of frames are worth, by the frames' numbers from 0: weights for blending, and standard deviations. */
public final class Weighing {
    /** A frame whose place has this standard deviation, px, has half the weight of one that is exact. */
    private static final double UNSURE = 2;
    /** The weight of frames of whose place no pair says it well: they show where no other one does. */
    private static final int DOUBTFUL = 4;

    private final int[] weights;
    private final double[] deviations;

    /** Of so many frames, of whose places nobody says anything yet. */
    public Weighing(int frames) {
        weights = new int[frames];
        deviations = new double[frames];
        Arrays.fill(weights, DOUBTFUL);
        Arrays.fill(deviations, Double.NaN);
    }

    /** deviation: px of the first frame; NaN where it is not known, and counts as exact. */
    public void set(int frame, double deviation, boolean doubtful) {
        double off = Double.isNaN(deviation) ? 0 : deviation / UNSURE;
        deviations[frame] = deviation;
        weights[frame] = doubtful ? DOUBTFUL
                : (int) Math.max(DOUBTFUL, Math.round(NativeBlend.FULL_WEIGHT / (1 + off * off)));
    }

    /** Frames, in their order, that are blurred beside their neighbours count less; sharpness: null, or has seen them. */
    public void sharpen(List<Integer> frames, Sharpness sharpness) {
        double[] shares = sharpness == null ? new double[0] : sharpness.weights(frames);
        for (int i = 0; i < shares.length; i++) {
            int frame = frames.get(i);
            weights[frame] = Math.max(Math.min(DOUBTFUL, weights[frame]), (int) Math.round(shares[i] * weights[frame]));
        }
    }

    /**
     * The best of the frames of a part counts in full, and the others beside it: where no pair says well where any of them
     * lies they would all be as bad as a highlight, and begin with a step at the edge of the field.
     */
    public void raise(List<Integer> frames) {
        int most = 0;
        for (int frame : frames) {
            most = Math.max(most, weights[frame]);
        }
        for (int frame : frames) {
            weights[frame] = Math.max(1, weights[frame] * NativeBlend.FULL_WEIGHT / Math.max(1, most));
        }
    }

    /** 1..256, 256 for the best. */
    int weight(int frame) {
        return weights[frame];
    }

    /** Standard deviation of the place, px of the first frame; NaN where it is not known. */
    double deviation(int frame) {
        return deviations[frame];
    }
}
