package endorama.core.mosaic;

import endorama.core.engine.PlacedFrame;
import endorama.core.pairs.PairMatch;
import endorama.core.pairs.Plausibility;
import endorama.core.transforms.Horizon;
import endorama.core.transforms.Transform;

/** Whether a pair of a chain counts, and how much its frames differ. */
final class Judgement {
    private final Plausibility plausibility;
    private final ChainFailures failures;
    private final Horizon horizon;

    Judgement(Plausibility plausibility, ChainFailures failures, Horizon horizon) {
        this.plausibility = plausibility;
        this.failures = failures;
        this.horizon = horizon;
    }

    /** It was registered well enough, and where it puts its frame, that can be painted. */
    boolean accepts(PlacedFrame last, PairMatch match) {
        return match.counts(failures.any()) && isPlaced(last, match);
    }

    private boolean isPlaced(PlacedFrame last, PairMatch match) {
        Transform place = last.transform.multiply(match.step);
        return place.isInvertible() && horizon.shows(place);
    }

    /** Share of a pair that differs; all of one that could not be registered. */
    double differing(PlacedFrame last, PairMatch match) {
        return accepts(last, match) ? match.differing : 1;
    }

    /** The same, and all of one for which the scope would have leapt. */
    double against(PlacedFrame last, PairMatch match) {
        return match.isLeap() ? 1 : differing(last, match);
    }

    /** Its frame should not be believed before others were asked. */
    boolean isSuspicious(PlacedFrame last, PairMatch match) {
        return plausibility.isSuspicious(against(last, match));
    }
}
