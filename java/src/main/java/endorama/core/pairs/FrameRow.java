package endorama.core.pairs;

import endorama.core.transforms.Horizon;
import endorama.core.transforms.Transform;

/** What a frame table says about one frame. */
public final class FrameRow {
    /** How it went with a frame. */
    public enum Status {
        /** Registered. */
        OK("ok"),
        /** Fewer landmarks than the guarantee asks for; painted only if the quality is good enough. */
        FEW_LANDMARKS("few landmarks"),
        /** Nothing to follow. */
        NO_TEXTURE("no texture"),
        /** Another scene, or a motion beyond the search. */
        JUMP("jump"),
        /** Unreadable, of another size, or after the end of the panorama. */
        SKIPPED("skipped"),
        /** The frames around it agree with one another, and a part of it with none of them. */
        OUTLIER("outlier"),
        /** Registered, but so far aslant in the plane of the first frame that it cannot be painted ({@link Horizon}). */
        ASLANT("aslant");

        private final String text;

        Status(String text) {
            this.text = text;
        }

        /** As it stands in the table. */
        @Override
        public String toString() {
            return text;
        }
    }

    /** Number of the frame, from 1. */
    public final int frame;
    /** Number of the frame that it was registered against; its own for the first; 0 if none. */
    public int reference;
    /** Motion of the frame's centre against the reference, px in the reference. */
    public double dx, dy;
    /** Frame -&gt; first registered frame of its part; predicted where the frame could not be registered. */
    public Transform transform = Transform.IDENTITY;
    /** The same along the chain, where {@link #transform} was solved from all pairs; else that. */
    public Transform chained;
    /** Standard deviation of the place against the first frame of its part, px; NaN where it is not known. */
    public double deviation = Double.NaN;
    /** Number of its part, which is a panorama of its own; the largest is 1. */
    public int part;
    /** Others were registered against it. */
    public boolean keyFrame;
    /** No pair says well where it lies: it is painted under the others. */
    public boolean doubtful;
    /** Landmarks with texture, those that reached cthresh, and those in the last fit. */
    public int landmarks, found, used;
    /** Mean coefficient of the landmarks used; NaN if none. */
    public double coefficient = Double.NaN;
    /** The 5 x 5 measure against the reference; NaN if undefined. */
    public double quality = Double.NaN;
    /** How it went. */
    public Status status = Status.SKIPPED;
    /** The transform is an estimate, not a prediction, and the frame belongs to the panorama. */
    public boolean registered;
    /** Coefficients computed and reused. */
    public int computed, reused;
    /** Time of the registration, ms. */
    public double timeMs;
    /** Frames are painted by this number, the least first, where they are not blended; 0: never. */
    public int order;
    /** What computed: {@code cpu} or {@code cuda}; "" if nothing was. */
    public String backend = "";

    public FrameRow(int frame) {
        this.frame = frame;
    }

    /** As of a frame that was not registered against any. */
    public void forgetPair() {
        reference = 0;
        landmarks = 0;
        found = 0;
        used = 0;
        coefficient = Double.NaN;
        quality = Double.NaN;
    }
}
