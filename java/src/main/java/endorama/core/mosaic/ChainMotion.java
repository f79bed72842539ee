package endorama.core.mosaic;

import endorama.core.engine.PlacedFrame;
import endorama.core.frames.FrameSource;
import endorama.core.pairs.FrameRow;
import endorama.core.transforms.Horizon;
import endorama.core.transforms.Transform;

/** How the scope moves along a chain, and where a frame is taken to lie that no pair places. */
final class ChainMotion {
    private final Horizon horizon;
    /** The middle of a frame, px. */
    private final double x;
    private final double y;
    private Transform last = Transform.IDENTITY;

    ChainMotion(FrameSource source, Horizon horizon) {
        this.horizon = horizon;
        x = (source.width() - 1) / 2.0;
        y = (source.height() - 1) / 2.0;
    }

    /** From a frame to the next one. */
    void follow(Transform step) {
        last = step;
    }

    /** Says in a frame's row how far its middle has moved. */
    void describe(FrameRow row, Transform step) {
        row.dx = step.applyX(x, y) - x;
        row.dy = step.applyY(x, y) - y;
    }

    /** The last good motion repeated from the last good frame on, but not further than the rule reaches. */
    Transform predicted(PlacedFrame from, int frame) {
        Transform transform = from.transform;
        for (int i = Math.min(frame - from.frame, FrameChain.REACH + 1); i > 0; i--) {
            transform = transform.multiply(last);
        }
        return transform.isInvertible() && horizon.shows(transform) ? transform : from.transform;
    }
}
