package endorama.core.fourier;

import endorama.core.transforms.Transform;

/** What the table of Fourier registration says about one frame. */
public final class FourierRow {
    /** How it went with a frame. */
    public enum Status {
        /** Registered. */
        OK("ok"),
        /** The best that was found, but what both frames show does not agree well enough. */
        LOW_CERTAINTY("low certainty"),
        /** Nothing to align: flat, black or too small; this frame, or the one that it was compared with. */
        NO_CONTENT("no content"),
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
    /** Number of the frame that it was compared with, its own where the path begins; 0: another image, or none. */
    public int reference;
    /** Degrees by which the frame is turned in the reference, clockwise on the screen: above -180 up to 180. */
    public double angle;
    /** Pixels of the reference that one of the frame covers. */
    public double scale = 1;
    /** Where the frame's centre lies in the reference, less its own coordinates, px. */
    public double dx, dy;
    /** Height of the peak of rotation and scale (of a translation: of the shift's), 0..1. */
    public double peak;
    /** That of the best other peak to it, 0..1: 1 is ambiguous. */
    public double ratio;
    /** Share of the smaller image that both show, 0..1. */
    public double overlap;
    /** Correlation of what both show, after alignment, -1..1; NaN where undefined. */
    public double ncc = Double.NaN;
    /** How it went. */
    public Status status = Status.SKIPPED;
    /** The transform is an estimate; otherwise it is that of the last registered frame. */
    public boolean registered;
    /** Frame -&gt; first registered frame, or what all were registered onto. */
    public Transform transform = Transform.IDENTITY;
    /** What computed: {@code cpu} or {@code cuda}; "" if nothing was. */
    public String backend = "";

    FourierRow(int frame) {
        this.frame = frame;
    }
}
