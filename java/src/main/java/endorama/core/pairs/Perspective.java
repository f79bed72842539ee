package endorama.core.pairs;

import endorama.jni.PairResults;

/**
 * What the pixels of a pair say of perspective beyond its transform: a point c + q of the current frame (c: its middle) lies
 * where the transform takes c + q / (1 + g.q).
 */
public final class Perspective {
    /** g, 1/px. */
    public final double x, y;
    /** Standard deviation of one of the two, 1/px. */
    public final double deviation;

    public Perspective(double x, double y, double deviation) {
        this.x = x;
        this.y = y;
        this.deviation = deviation;
    }

    /** Of pair i of some results; null where nothing is said. */
    static Perspective of(PairResults results, int i) {
        double deviation = results.perspectiveDeviation(i);
        boolean said = deviation > 0 && !Double.isInfinite(deviation);
        return said ? new Perspective(results.perspectiveX(i), results.perspectiveY(i), deviation) : null;
    }
}
