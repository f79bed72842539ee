package endorama.core;

/** A painted picture, and where it lies. */
public final class Panorama {
    private final PixelType type;
    private final int width;
    private final int height;
    private final int originX;
    private final int originY;
    private final Object pixels;
    private final byte[] painted;

    Panorama(PixelType type, Rect rect, Object pixels, byte[] painted) {
        this.type = type;
        this.width = rect.width();
        this.height = rect.height();
        this.originX = -rect.left;
        this.originY = -rect.top;
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
        return originX;
    }

    /** Row of the panorama in which the first frame's pixel (0, 0) lies; may be outside. */
    public int originY() {
        return originY;
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
