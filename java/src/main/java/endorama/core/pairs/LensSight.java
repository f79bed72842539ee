package endorama.core.pairs;

import endorama.core.frames.Lens;
import endorama.jni.PairResults;

/** What the pixels of a pair say of the lens: lambda of {@link Lens}, and its standard deviation. Immutable. */
public final class LensSight {
    public final double lambda;
    public final double deviation;

    public LensSight(double lambda, double deviation) {
        this.lambda = lambda;
        this.deviation = deviation;
    }

    /** Of pair i of some results; null where it says nothing. */
    static LensSight of(PairResults results, int i) {
        double deviation = results.lensDeviation(i);
        boolean said = deviation > 0 && !Double.isInfinite(deviation) && !Double.isNaN(results.lens(i));
        return said ? new LensSight(results.lens(i), deviation) : null;
    }
}
