package endorama.core.paint;

import endorama.core.engine.PlacedFrame;
import endorama.core.transforms.Rect;

/** How far a canvas reaches, and how far it may: the first frame that does not fit is where painting stops. */
public final class Reach {
    /** {@code endo_canvas_create}, {@code endo_blend_create}: longest side of a canvas, px. */
    public static final int LONGEST = 1 << 20;

    private final Rect field;
    private final long limit;
    private Rect used;
    private String full;

    /**
     * Of nothing so far.
     *
     * @param field rectangle around the field of view in a frame
     * @param limit largest area, pixels
     */
    Reach(Rect field, long limit) {
        this.field = field;
        this.limit = limit;
    }

    /** Of nothing, with the same limits. */
    Reach emptied() {
        return new Reach(field, limit);
    }

    /** What is in use; null: nothing. */
    Rect used() {
        return used;
    }

    void use(Rect rect) {
        used = rect;
    }

    /** Why nothing more is painted; null while there is room. */
    String full() {
        return full;
    }

    void fill(String why) {
        full = why;
    }

    /** What is in use with a frame more; null: endless. */
    Rect unionWith(PlacedFrame item) {
        Rect reach = field.transformed(item.transform);
        return reach == null || used == null ? reach : used.union(reach);
    }

    /** The same, if it is allowed; else null, and nothing more is painted. */
    Rect allowed(PlacedFrame item) {
        Rect union = unionWith(item);
        if (union != null && union.area() <= limit && Math.max(union.width(), union.height()) <= LONGEST) {
            return union;
        }
        stop(item.frame, union, "it may have " + limit / 1e6 + " megapixels (max_canvas, or what the memory of Java"
                + " allows)");
        return null;
    }

    void stop(int frame, Rect size, String why) {
        String wanted = size == null ? "endlessly large" : size.width() + " x " + size.height() + " px";
        full = "frame " + (frame + 1) + ": the panorama would be " + wanted + ", " + why
                + "; painting stops here, what was painted is kept, registration goes on";
    }
}
