package endorama.core;

/** How far a canvas reaches, and how far it may: the first frame that does not fit is where painting stops. */
final class Reach {
    /** {@code endo_canvas_create}, {@code endo_blend_create}: longest side of a canvas, px. */
    static final int LONGEST = 1 << 20;

    private final Rect field;
    private final long limit;
    private Rect used;
    private String full;

    /**
     * Of nothing so far.
     *
     * @param field rectangle around the field of view in a frame
     * @param maxPixels largest area; Java's arrays and heap may set a smaller one
     */
    Reach(PixelType type, Rect field, long maxPixels) {
        this(field, Math.min(maxPixels, Math.min(Integer.MAX_VALUE - 8L, heapLimit(type))));
    }

    private Reach(Rect field, long limit) {
        this.field = field;
        this.limit = limit;
    }

    /** Of nothing, with the same limits. */
    Reach emptied() {
        return new Reach(field, limit);
    }

    /** Pixels that Java's heap has room for, with their marks, leaving two fifths to everything else. */
    private static long heapLimit(PixelType type) {
        Runtime runtime = Runtime.getRuntime();
        long free = runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory();
        return Math.max(1, free / 5 * 3 / (type.bytes() + 1));
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
    Rect unionWith(PanoramaCanvas.Item item) {
        Rect reach = field.transformed(item.transform);
        return reach == null || used == null ? reach : used.union(reach);
    }

    /** The same, if it is allowed; else null, and nothing more is painted. */
    Rect allowed(PanoramaCanvas.Item item) {
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
