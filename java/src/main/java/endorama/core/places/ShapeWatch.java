package endorama.core.places;

import endorama.core.common.Length;
import endorama.core.transforms.Horizon;
import endorama.core.transforms.Transform;
import java.util.Locale;

/**
 * Looks whether a chain of transforms shrinks, grows or shears beyond what a scope does: the small errors of many pairs
 * add up, and each pair by itself looks well. Says so once. Homographies shrink, grow and shear as a plane that is seen
 * aslant does: of those only frames count whose places are not known well.
 */
public final class ShapeWatch {
    /** Area against the first frame's; and its inverse. */
    private static final double SMALLEST_AREA = 0.6;
    /** Ratio of the singular values. */
    private static final double LARGEST_RATIO = 1.25;

    /** Of a frame's diagonal: homographies whose places deviate by less are what the view aslant makes of them. */
    private static final double KNOWN = 0.01;

    private final Horizon horizon;
    private final double known;
    private String warning;

    /** Of frames of width x height px. */
    public ShapeWatch(int width, int height) {
        horizon = new Horizon(width, height);
        known = KNOWN * Length.of(width, height);
    }

    /**
     * A frame of the chain.
     *
     * @param deviation of its place, px; NaN: nobody knows
     * @return true if there is a warning that was not there before
     */
    public boolean look(int frame, Transform place, double deviation) {
        if (warning != null || place.isHomography() && !(deviation > known)) {
            return false;
        }
        Transform transform = horizon.middle(place);
        double area = Math.abs(transform.determinant());
        double ratio = transform.singularRatio();
        if (area < SMALLEST_AREA || area > 1 / SMALLEST_AREA) {
            warn(frame, area < 1 ? "shrunk" : "grown", "area scale", area, 1 / SMALLEST_AREA, SMALLEST_AREA);
        } else if (ratio > LARGEST_RATIO) {
            warn(frame, "been sheared", "ratio of singular values", ratio, LARGEST_RATIO, 1);
        }
        return warning != null;
    }

    private void warn(int frame, String what, String measure, double value, double most, double least) {
        warning = String.format(Locale.ROOT, "frame %d: against the first frame the sequence has %s (%s %.3f, usual are"
                + " %.2f to %.2f): unless the scope moved or tilted so, errors have added up; register it in parts"
                + " (option frames)", frame + 1, what, measure, value, least, most);
    }

    /** What was seen; null if all is well. */
    public String warning() {
        return warning;
    }
}
