package endorama.core;

/** A painted picture, and where it lies. */
public final class Panorama {
    private final PixelType type;
    private final int width;
    private final int height;
    private final double scale;
    private final Transform place;
    private final Object pixels;
    private final byte[] painted;

    Panorama(PixelType type, Rect rect, Object pixels, byte[] painted) {
        this(type, rect, 1, pixels, painted);
    }

    /** With so many pixels along one of the first frame; rect: of these pixels. */
    Panorama(PixelType type, Rect rect, double scale, Object pixels, byte[] painted) {
        this.type = type;
        this.width = rect.width();
        this.height = rect.height();
        this.scale = scale;
        this.place = Transform.translation(-rect.left, -rect.top).multiply(Transform.scaling(scale));
        this.pixels = pixels;
        this.painted = painted;
    }

    /** Type of the pixels, that of the frames. */
    public PixelType type() {
        return type;
    }

    /** Width, px. */
    public int width() {
        return width;
    }

    /** Height, px. */
    public int height() {
        return height;
    }

    /** Column of the panorama in which the first frame's pixel (0, 0) lies; may be outside. */
    public int originX() {
        return (int) Math.round(place.applyX(0, 0));
    }

    /** Row of the panorama in which the first frame's pixel (0, 0) lies; may be outside. */
    public int originY() {
        return (int) Math.round(place.applyY(0, 0));
    }

    /** Pixels along one of the first frame. */
    public double scale() {
        return scale;
    }

    /** First frame -&gt; panorama, px. */
    public Transform place() {
        return place;
    }

    /** byte[], short[] or int[] by type, width*height; not copied. */
    public Object pixels() {
        return pixels;
    }

    /** width*height bytes, -1 (255) where painted, 0 elsewhere; not copied. */
    public byte[] painted() {
        return painted;
    }
}
