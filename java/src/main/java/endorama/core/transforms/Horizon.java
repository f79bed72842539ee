package endorama.core.transforms;

/**
 * Which places of a frame can be painted. A plane that is seen aslant has a horizon: a homography takes a pixel there to
 * infinity, those next to it as far as one likes, and those behind it to the other side. Of other classes every place can.
 */
public final class Horizon {
    /** Pixels of the first frame that one of the frame may become wide, at a corner: hardly any detail is left there. */
    static final double WIDEST = 32;

    private final int width;
    private final int height;

    /** Of frames of that size, px. */
    public Horizon(int width, int height) {
        this.width = width;
        this.height = height;
    }

    /** All of a frame at this place lies before the horizon, and nothing of it so near to that that it becomes too wide. */
    public boolean shows(Transform place) {
        return !place.isHomography() || isBefore(place) && longest(place) <= WIDEST;
    }

    /** All of a frame at this place lies before the horizon. */
    public boolean isBefore(Transform place) {
        return Math.min(Math.min(place.divisor(0, 0), place.divisor(width - 1, 0)),
                Math.min(place.divisor(0, height - 1), place.divisor(width - 1, height - 1))) > 0;
    }

    private double longest(Transform place) {
        double longest = 0;
        for (int k = 0; k < 4; k++) {
            double x = k % 2 == 0 ? 0 : width - 1;
            double y = k < 2 ? 0 : height - 1;
            longest = Math.max(longest, place.tangent(x, y).longest());
        }
        return longest;
    }

    /** The frame's size in pixels of the other one, root mean square over all directions and the frame. */
    public double scale(Transform place) {
        if (!place.isHomography()) {
            return scale(place, 0, 0);
        }
        double squares = 0;
        for (int k = 0; k < 4; k++) {
            double at = scale(place, (width - 1) / 2.0 + (k % 2 == 0 ? -width : width) / Math.sqrt(12),
                    (height - 1) / 2.0 + (k < 2 ? -height : height) / Math.sqrt(12));
            squares += at * at / 4;
        }
        return Math.sqrt(squares);
    }

    private static double scale(Transform place, double x, double y) {
        Transform t = place.tangent(x, y);
        return Math.sqrt((t.m00 * t.m00 + t.m01 * t.m01 + t.m10 * t.m10 + t.m11 * t.m11) / 2);
    }

    /** What the frame at this place looks like in its middle. */
    public Transform middle(Transform place) {
        return place.tangent((width - 1) / 2.0, (height - 1) / 2.0);
    }
}
