package endorama.core;

/** How one frame lies in another, as it was registered. */
final class Link {
    /** Numbers of the frames, from 0. */
    final int reference, current;
    /** Current -&gt; reference. */
    final Transform step;
    /** Standard deviation, px, of where it takes a point of the frame. */
    final double deviation;
    /** Too few landmarks fitted to rely on it. */
    final boolean doubtful;
    /** Null: nothing is said of it. */
    final Perspective perspective;
    /** Null: nothing is said of it. */
    final LensSight lens;

    Link(int reference, int current, Transform step, double deviation, boolean doubtful) {
        this(reference, current, step, deviation, doubtful, null, null);
    }

    Link(int reference, int current, Transform step, double deviation, boolean doubtful, Perspective perspective,
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
