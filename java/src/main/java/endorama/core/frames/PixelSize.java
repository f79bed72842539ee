package endorama.core.frames;

/** The size of a pixel in the scene. */
public final class PixelSize {
    /** Width, in the unit. */
    public final double width;
    /** Height, in the unit. */
    public final double height;
    /** The unit as OME-NGFF names it, such as micrometer. */
    public final String unit;

    private PixelSize(double width, double height, String unit) {
        this.width = width;
        this.height = height;
        this.unit = unit;
    }

    /** A size; null if a side is not above 0 or not finite, or if the unit is no unit of length. */
    public static PixelSize of(double width, double height, String unit) {
        LengthUnit length = LengthUnit.of(unit);
        boolean is = width > 0 && height > 0 && width < Double.MAX_VALUE && height < Double.MAX_VALUE;
        return length == null || !is ? null : new PixelSize(width, height, length.toString());
    }
}
