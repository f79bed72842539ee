package endorama.jni;

/** A motion vector of a pair of frames, and what the pair's fit made of it: {@code endo_landmark}. */
public final class Landmark {
    /** Centre of its template in the reference, px. */
    public final double referenceX, referenceY;
    /** Where the search found it in the current frame, px. */
    public final double currentX, currentY;
    /** There, -1..1. */
    public final double coefficient;
    /** In the last fit, 0 if it is not used. */
    public final double weight;
    /** It reached cthresh, or the guarantee added it. */
    public final boolean accepted;
    /** It is one of {@link PairResults#used}. */
    public final boolean used;

    /** From its eight numbers. */
    Landmark(double[] numbers, int at) {
        referenceX = numbers[at];
        referenceY = numbers[at + 1];
        currentX = numbers[at + 2];
        currentY = numbers[at + 3];
        coefficient = numbers[at + 4];
        weight = numbers[at + 5];
        accepted = numbers[at + 6] != 0;
        used = numbers[at + 7] != 0;
    }
}
