package endorama.core.frames;

import java.util.Locale;

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
        String name = name(unit);
        boolean is = width > 0 && height > 0 && width < Double.MAX_VALUE && height < Double.MAX_VALUE;
        return name == null || !is ? null : new PixelSize(width, height, name);
    }

    /** The name of a unit by its sign or by one of its names; null if it is none that microscopes and scopes have. */
    private static String name(String unit) {
        switch (unit == null ? "" : unit.trim().toLowerCase(Locale.ROOT)) {
            case "nm":
            case "nanometer":
            case "nanometre": return "nanometer";
            case "\u00b5m":
            case "\u03bcm":
            case "um":
            case "\\u00b5m":
            case "micron":
            case "microns":
            case "micrometer":
            case "micrometre": return "micrometer";
            case "mm":
            case "millimeter":
            case "millimetre": return "millimeter";
            case "cm":
            case "centimeter":
            case "centimetre": return "centimeter";
            case "m":
            case "meter":
            case "metre": return "meter";
            case "in":
            case "inch":
            case "inches": return "inch";
            default: return null;
        }
    }
}
