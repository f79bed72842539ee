package endorama.core.mosaic;

import endorama.core.pairs.FrameRow;
import endorama.core.pairs.PairMatch;

/** A frame that differs from the last good one, or could not be registered with a first one that stands alone. */
final class Suspect {
    final FrameRow row;
    /** With the last good frame, or with the suspect before this one. */
    final PairMatch match;
    /** Share that differs from the last good frame. */
    final double differing;
    final int frame;
    int slot;

    Suspect(FrameRow row, PairMatch match, double differing, int slot) {
        this.row = row;
        this.match = match;
        this.differing = differing;
        this.slot = slot;
        frame = row.frame - 1;
    }
}
