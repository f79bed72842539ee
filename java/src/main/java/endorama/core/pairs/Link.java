package endorama.core.pairs;

import endorama.core.transforms.Transform;

/** How one frame lies in another, as it was registered. */
public final class Link {
    /** Numbers of the frames, from 0. */
    public final int reference, current;
    /** Current -&gt; reference. */
    public final Transform step;
    /** Standard deviation, px, of where it takes a point of the frame. */
    public final double deviation;
    /** Too few landmarks fitted to rely on it. */
    public final boolean doubtful;
    /** Null: nothing is said of it. */
    public final Perspective perspective;
    /** Null: nothing is said of it. */
    public final LensSight lens;

    public Link(int reference, int current, Transform step, double deviation, boolean doubtful) {
        this(reference, current, step, deviation, doubtful, null, null);
    }

    public Link(int reference, int current, Transform step, double deviation, boolean doubtful, Perspective perspective,
            LensSight lens) {
        this.perspective = perspective;
        this.lens = lens;
        this.reference = reference;
        this.current = current;
        this.step = step;
        this.deviation = deviation;
        this.doubtful = doubtful;
    }
}
