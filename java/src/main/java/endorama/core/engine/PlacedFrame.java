package endorama.core.engine;

import endorama.core.transforms.Transform;

/** A frame in its place: to be painted, or for others to be registered against. Immutable. */
public final class PlacedFrame {
    /** From 0. */
    public final int frame;
    /** Of the store; -1: it is in none. */
    public final int slot;
    /** Frame -&gt; first frame of the part; null where only the frame itself is asked for. */
    public final Transform transform;
    /** The part of the panorama that it belongs to, from 0. */
    public final int part;

    /** A frame of the first part. */
    public PlacedFrame(int frame, int slot, Transform transform) {
        this(frame, slot, transform, 0);
    }

    public PlacedFrame(int frame, int slot, Transform transform, int part) {
        this.frame = frame;
        this.slot = slot;
        this.transform = transform;
        this.part = part;
    }
}
