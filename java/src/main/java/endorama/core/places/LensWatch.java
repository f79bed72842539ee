package endorama.core.places;

import endorama.core.common.Length;
import endorama.core.frames.Lens;
import endorama.core.pairs.LensSight;
import endorama.core.pairs.Link;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * What all pairs of a sequence together say of the lens. Each says little, the further the motion the more; all of them err
 * alike where what they show does, so that the deviation comes from parts of the sequence, each of which is left out once.
 */
public final class LensWatch {
    /** Of fewer pairs nothing is said. */
    private static final int LEAST = 5;
    /** Parts of the sequence, of so many pairs at least. */
    private static final int PARTS = 8;
    private static final int PART = 4;
    /** Without all of these parts the deviation that pairs tell is multiplied by this. */
    private static final double FEW = 5 / 3.0;
    /** Deviations of a pair from which on it counts less (Huber). */
    private static final double KNEE = 1.5;
    private static final int ROUNDS = 20;
    /** A lens is seen from so many deviations and from such a lambda on. */
    private static final double SURE = 3;
    private static final double SMALLEST = 0.01;
    /** What pairs say is to first order in lambda: so much of it may be wrong. */
    private static final double MODEL = 0.1;
    private static final int MOST_PERCENT = 40;

    private final double lambda;
    private final double deviation;

    public LensWatch(List<Link> links) {
        List<Link> seen = new ArrayList<Link>();
        for (Link link : links) {
            if (link.lens != null && !link.doubtful) {
                seen.add(link);
            }
        }
        Collections.sort(seen, Comparator.comparingInt((Link link) -> link.current).thenComparingInt(link -> link.reference));
        boolean enough = seen.size() >= LEAST;
        lambda = enough ? mean(sights(seen, 0, 0)) : Double.NaN;
        deviation = enough ? Length.of(deviation(seen), MODEL * lambda) : Double.NaN;
    }

    /** Without those from first to before end. */
    private static List<LensSight> sights(List<Link> links, int first, int end) {
        List<LensSight> sights = new ArrayList<LensSight>();
        for (int i = 0; i < links.size(); i++) {
            if (i < first || i >= end) {
                sights.add(links.get(i).lens);
            }
        }
        return sights;
    }

    /** Few that are far off have little say. */
    private static double mean(List<LensSight> sights) {
        double mean = 0;
        for (int round = 0; round < ROUNDS; round++) {
            double sum = 0;
            double weights = 0;
            for (LensSight s : sights) {
                double weight = weight(s, mean);
                sum += weight * s.lambda;
                weights += weight;
            }
            mean = sum / weights;
        }
        return mean;
    }

    private static double weight(LensSight s, double mean) {
        double away = Math.abs(s.lambda - mean) / s.deviation;
        return (away > KNEE ? KNEE / away : 1) / (s.deviation * s.deviation);
    }

    /**
     * By what the mean changes when parts of the sequence are left out (jackknife), and by what the pairs themselves say at
     * least.
     */
    private double deviation(List<Link> links) {
        int parts = Math.max(1, Math.min(PARTS, links.size() / PART));
        double[] means = new double[parts];
        double middle = 0;
        for (int i = 0; parts > 1 && i < parts; i++) {
            means[i] = mean(sights(links, links.size() * i / parts, links.size() * (i + 1) / parts));
            middle += means[i] / parts;
        }
        double squares = 0;
        for (double mean : means) {
            squares += (mean - middle) * (mean - middle);
        }
        double weights = 0;
        for (Link link : links) {
            weights += weight(link.lens, lambda);
        }
        double own = (parts < PARTS ? FEW : 1) / Math.sqrt(weights);
        return Math.max(Math.sqrt(squares * (parts - 1) / parts), own);
    }

    /** Of {@link Lens}; NaN where nothing is said. */
    public double lambda() {
        return lambda;
    }

    /** Standard deviation of that. */
    double deviation() {
        return deviation;
    }

    /** There is a lens beyond doubt. */
    public boolean seesALens() {
        return Math.abs(lambda) > SMALLEST && Math.abs(lambda) > SURE * deviation;
    }

    /**
     * Deviations are to grow by what is seen; where a lens was taken out by any number, for nobody knows it exactly.
     *
     * @param taken distortion that was taken out of the frames before, percent
     */
    public boolean widens(double taken) {
        return seesALens() || taken != 0 && !Double.isNaN(lambda);
    }

    /**
     * For people; null where no lens is seen.
     *
     * @param taken distortion that was taken out of the frames before, percent
     */
    public String warning(double taken) {
        if (!seesALens()) {
            return null;
        }
        double all = Math.max(-MOST_PERCENT, Math.min(MOST_PERCENT, taken + 100 * lambda));
        return String.format(Locale.ROOT, "frames are %sbent as through a lens of %.1f %% (+- %.1f): lens=%.1f takes that out",
                taken == 0 ? "" : "still ", 100 * lambda, 100 * deviation, all);
    }
}
