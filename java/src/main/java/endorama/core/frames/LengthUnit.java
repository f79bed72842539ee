package endorama.core.frames;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Units of length that microscopes and scopes have. */
public enum LengthUnit {
    NANOMETER(1e-6, "nm", "nanometre"),
    MICROMETER(1e-3, "\u00b5m", "\u03bcm", "um", "\\u00b5m", "micron", "microns", "micrometre"),
    MILLIMETER(1, "mm", "millimetre"),
    CENTIMETER(10, "cm", "centimetre"),
    METER(1000, "m", "metre"),
    INCH(25.4, "in", "inches");

    /** Millimetres of one. */
    public final double millimetres;
    private final List<String> signs;

    LengthUnit(double millimetres, String... signs) {
        this.millimetres = millimetres;
        this.signs = Arrays.asList(signs);
    }

    /** The unit of a sign or name; null: it is none of these. */
    public static LengthUnit of(String text) {
        String sign = text == null ? "" : text.trim().toLowerCase(Locale.ROOT);
        for (LengthUnit unit : values()) {
            if (unit.toString().equals(sign) || unit.signs.contains(sign)) {
                return unit;
            }
        }
        return null;
    }

    /** The name of the unit in OME-NGFF, for example "micrometer". */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
