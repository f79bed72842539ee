package endorama.core.mosaic;

import java.util.Arrays;

/** The light of a scope, as a run found it and took it out. */
public final class LightOfScope {
    /** Where its curve begins among the numbers. */
    private static final int CURVE = 8;

    private final double[] numbers;
    private final String description;

    /** As the library has it. */
    LightOfScope(double[] numbers, String description) {
        this.numbers = numbers;
        this.description = description;
    }

    /** How it falls off is known; else it stays, and only the frames' gains are evened. */
    public boolean isKnown() {
        return numbers[0] != 0;
    }

    /** Column of the brightest place, px of a frame. */
    public double x() {
        return numbers[2];
    }

    /** Row of the brightest place, px of a frame. */
    public double y() {
        return numbers[3];
    }

    /** Brightness at the rim of the field, 0..1 of the brightest place; 1 if it is not known. */
    public double rim() {
        return numbers[4];
    }

    /** Standard deviation of the frames' gains, 0.1 for a tenth. */
    public double flicker() {
        return numbers[5];
    }

    /** Mean brightness, 0..1, at equal steps from the brightest place to the farthest pixel of the field. */
    public double[] curve() {
        return Arrays.copyOfRange(numbers, CURVE, numbers.length);
    }

    /** For people: "falls off to 58 % at the rim; gains vary by 8.0 %, of colours by 0.3 %". */
    @Override
    public String toString() {
        return description;
    }
}
