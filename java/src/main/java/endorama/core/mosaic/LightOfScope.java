package endorama.core.mosaic;

import java.util.Arrays;

/** The vignetting and the flicker that a run estimated and corrected. */
public final class LightOfScope {
    /** Index of the curve among the numbers. */
    private static final int CURVE = 8;

    private final double[] numbers;
    private final String description;

    /** numbers: {@link NativeMosaic#lightNumbers}. */
    LightOfScope(double[] numbers, String description) {
        this.numbers = numbers;
        this.description = description;
    }

    /** The vignetting is known; else only the gains of the frames were corrected. */
    public boolean isKnown() {
        return numbers[0] != 0;
    }

    /** Column of the brightest point, px of a frame. */
    public double x() {
        return numbers[2];
    }

    /** Row of the brightest point, px of a frame. */
    public double y() {
        return numbers[3];
    }

    /** Brightness at the rim of the field as a share of the brightest point, 0..1; 1 if it is not known. */
    public double rim() {
        return numbers[4];
    }

    /** Standard deviation of the frames' gains; 0.1 is a tenth. */
    public double flicker() {
        return numbers[5];
    }

    /** Mean brightness, 0..1, at equal steps from the brightest point to the farthest pixel of the field. */
    public double[] curve() {
        return Arrays.copyOfRange(numbers, CURVE, numbers.length);
    }

    /** A description of the light for people: "falls off to 58 % at the rim, sure to 3 %, taken out; brightness of frames ...". */
    @Override
    public String toString() {
        return description;
    }
}
