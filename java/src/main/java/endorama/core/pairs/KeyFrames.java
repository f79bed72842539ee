package endorama.core.pairs;

import endorama.core.transforms.Rect;
import endorama.core.transforms.Transform;
import java.util.ArrayList;
import java.util.List;

/** The frames that stand for a stretch of the sequence: others are registered against them. */
public final class KeyFrames {
    /** One of them. */
    public static final class Key {
        public final int frame;
        /** The part it belongs to, and its place in that part. */
        public final int part;
        public final Transform place;
        /** The last frame of the stretch that it stands for. */
        public int end;

        public Key(int frame, int part, Transform place) {
            this.frame = frame;
            end = frame;
            this.part = part;
            this.place = place;
        }
    }

    /** A frame that shares less than this with the last key frame is the next one. */
    static final double LEAST_OVERLAP = 0.6;

    private final Rect field;
    private final List<Key> keys = new ArrayList<Key>();

    /** field: rectangle around the field of view in a frame. */
    public KeyFrames(Rect field) {
        this.field = field;
    }

    /** In the order of their frames, but for those of frames that were looked at twice. */
    public List<Key> all() {
        return keys;
    }

    public Key add(int frame, int part, Transform place) {
        Key key = new Key(frame, part, place);
        keys.add(key);
        return key;
    }

    /** The frame shares too little with this key frame. */
    public boolean isBeyond(Key key, Transform place) {
        return overlap(key.place, place) < LEAST_OVERLAP;
    }

    /** Share of the field of view at one place that the one at the other place covers, 0..1. */
    public double overlap(Transform reference, Transform current) {
        return field.coveredBy(reference.inverse().multiply(current));
    }
}
