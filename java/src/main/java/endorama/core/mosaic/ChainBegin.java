package endorama.core.mosaic;

import endorama.core.pairs.FrameMatcher;
import endorama.core.pairs.FrameRow;
import endorama.core.pairs.Plausibility;
import endorama.core.transforms.Horizon;

/** Looks for the first frame of a chain in what other chains have seen. */
final class ChainBegin {
    private final LostAndFound lost;
    private final FrameMatcher matcher;
    private final Horizon horizon;
    private FrameRow[] around = {};

    ChainBegin(LostAndFound lost, FrameMatcher matcher, Horizon horizon) {
        this.lost = lost;
        this.matcher = matcher;
        this.horizon = horizon;
    }

    /** The chain is a stretch that another one left out, between these good frames. */
    void between(FrameRow before, FrameRow after) {
        around = new FrameRow[] {before, after};
    }

    /** A frame, in a slot of the store, as others know it; null if they do not. */
    LostAndFound.Found find(int frame, int slot) {
        LostAndFound.Found found = lost.findWhereLost(matcher, frame, slot);
        if (found == null) {
            found = lost.find(frame);
        }
        return found == null || isTurnedAlone(found) || !horizon.shows(found.place) ? null : found;
    }

    /** The frames before and after it are there, and it would be turned against both. */
    private boolean isTurnedAlone(LostAndFound.Found found) {
        int turned = 0;
        for (FrameRow row : around) {
            turned += row.registered && row.part == found.part
                    && Plausibility.isLeap(row.transform.inverse().multiply(found.place)) ? 1 : 0;
        }
        return turned == 2;
    }
}
