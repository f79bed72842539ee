package endorama.core.transforms;

import java.util.Map;

/**
 * Error of transforms against the truth, px: the root mean square distance between where a transform and the truth take the
 * centres of a frame's four corner pixels.
 */
public final class Drift {
    private int pairs;
    private int frames;
    private double pairSum;
    private double pairMax;
    private double driftSquares;
    private double lastDrift;

    private Drift() {
    }

    /**
     * Compares the registered frames with the truth; frames without truth are left out. Pairs are consecutive registered
     * frames, each error in the coordinates of the earlier one.
     */
    public static Drift of(Transforms found, Transforms truth, int width, int height) {
        Drift drift = new Drift();
        int before = -1;
        int first = -1;
        for (Map.Entry<Integer, Transform> e : found.matrices().entrySet()) {
            int frame = e.getKey();
            if (!found.isRegistered(frame) || truth.get(frame) == null) {
                continue;
            }
            if (before >= 0) {
                drift.addPair(rms(step(found, before, frame), step(truth, before, frame), width, height));
                drift.addFrame(rms(step(found, first, frame), step(truth, first, frame), width, height));
            } else {
                first = frame;
            }
            before = frame;
        }
        return drift;
    }

    private static Transform step(Transforms t, int from, int to) {
        return t.get(from).inverse().multiply(t.get(to));
    }

    /** Root mean square distance of the corners under two transforms, px. */
    public static double rms(Transform a, Transform b, int width, int height) {
        double[] p = a.corners(width, height);
        double[] q = b.corners(width, height);
        double sum = 0;
        for (int i = 0; i < 8; i++) {
            sum += (p[i] - q[i]) * (p[i] - q[i]);
        }
        return Math.sqrt(sum / 4);
    }

    private void addPair(double error) {
        pairs++;
        pairSum += error;
        pairMax = Math.max(pairMax, error);
    }

    private void addFrame(double error) {
        frames++;
        driftSquares += error * error;
        lastDrift = error;
    }

    /** Number of pairs compared. */
    public int pairs() {
        return pairs;
    }

    /** Mean error of the pairs, px; NaN if there is none. */
    public double meanPairError() {
        return pairs == 0 ? Double.NaN : pairSum / pairs;
    }

    /** Largest error of a pair, px. */
    public double maxPairError() {
        return pairMax;
    }

    /** Root mean square of the frames' errors along the chain, px; NaN if there is none. */
    public double driftRms() {
        return frames == 0 ? Double.NaN : Math.sqrt(driftSquares / frames);
    }

    /** Error of the last frame, px. */
    public double lastDrift() {
        return lastDrift;
    }
}
