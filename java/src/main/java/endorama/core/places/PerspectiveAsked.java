package endorama.core.places;

import endorama.core.common.Length;
import endorama.core.pairs.Link;
import endorama.core.transforms.Transform;
import java.util.List;
import java.util.Locale;

/**
 * Whether the pairs of a sequence, each by itself, may ask for perspective: they say more of it than errors do, or most of
 * them take all that there is without it.
 */
public final class PerspectiveAsked {
    /** Fewer pairs decide nothing. */
    private static final int LEAST = 8;
    /** A pair counts as if it said so many of its deviations, at most. */
    private static final double MOST = 3;
    /** Mean of the squares, in deviations, from which on they ask for it: that of errors is 0.4 to 0.9. */
    private static final double SURE = 1.5;
    /** Share of pairs that are affine maps; planes that are seen straight on move by similarities. */
    private static final double AFFINE = 0.5;

    private final int pairs;
    private final double square;
    private final double affine;

    public PerspectiveAsked(List<Link> links) {
        double sum = 0;
        int n = 0;
        int all = 0;
        for (Link link : links) {
            if (link.perspective != null && !link.doubtful && !link.step.isHomography()) {
                double away = Length.of(link.perspective.x, link.perspective.y) / link.perspective.deviation;
                sum += Math.min(MOST * MOST, away * away) / 2;
                all += link.step.kind == Transform.Kind.AFFINE ? 1 : 0;
                n++;
            }
        }
        pairs = n;
        square = sum / Math.max(1, n);
        affine = (double) all / Math.max(1, n);
    }

    /** Mean of the squares of what pairs say, per axis, in their deviations. */
    double square() {
        return square;
    }

    /** For people; null: they do not ask for it. */
    public String reason() {
        if (pairs < LEAST || square < SURE && affine < AFFINE) {
            return null;
        }
        return square >= SURE ? String.format(Locale.ROOT, "pairs show perspective (%.1f times as much as errors would)", square)
                : String.format(Locale.ROOT, "%.0f %% of the pairs are affine maps", 100 * affine);
    }
}
