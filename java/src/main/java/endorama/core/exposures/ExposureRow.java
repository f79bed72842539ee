package endorama.core.exposures;

import endorama.core.transforms.Transform;

/** What the table of shifts says about one frame. */
public final class ExposureRow {
    /** How it went with a frame. */
    public enum Status {
        /** Aligned. */
        OK("ok"),
        /** Another shift is nearly as good, the bitmaps disagree, or the motion so far speaks against it. */
        LOW_CERTAINTY("low certainty"),
        /** Nothing to align: (almost) all black, white or flat; this frame, or the one it was compared with. */
        NO_CONTENT("no content"),
        /** Its place is not measured, but the frames that follow were aligned with it. */
        NEW_START("new start"),
        /** Unreadable, of another size, or not processed. */
        SKIPPED("skipped");

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
    /** Number of the frame that it was compared with; its own for the first; 0 if none. */
    public int reference;
    /** Pixel (x, y) of the frame lies at (x + dx, y + dy) in the reference. */
    public double dx, dy;
    /** The same in the first aligned frame, or in the one that all were compared with. */
    public double x, y;
    /** Coefficient at the shift, -1..1; NaN without content. */
    public double peak = Double.NaN;
    /** 0 (none) .. 1. */
    public double certainty;
    /** Share of the usable pixels on which the bitmaps differ at the shift, 0..1; NaN if none is usable. */
    public double mismatch = Double.NaN;
    /** Share of the overlap that is usable, 0..1. */
    public double usable;
    /** The place is the Kalman filter's prediction. */
    public boolean predicted;
    /** How it went. */
    public Status status = Status.SKIPPED;
    /** The place is an estimate, not a prediction or the last known one. */
    public boolean registered;
    /** What computed: {@code cpu} or {@code cuda}; "" if nothing was. */
    public String backend = "";

    ExposureRow(int frame) {
        this.frame = frame;
    }

    /** Frame -&gt; first aligned frame, or the one that all were compared with. */
    public Transform transform() {
        return Transform.translation(x, y);
    }
}
