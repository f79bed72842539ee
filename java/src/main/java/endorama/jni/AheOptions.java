package endorama.jni;

/** Options of equalization: {@code endo_ahe_options}, with its defaults. */
public final class AheOptions {
    /** One histogram for the whole region, instead of one around each pixel. */
    public boolean global;
    /** Side of the window, px, odd, 3..1023. */
    public int window = 63;
    /** Contrast limit, above 1, up to 1000; 0 = none. */
    public double limit;
    /** 16 bit with a limit: the grey values that the histogram spans; 0, 0: those of the rows in the windows. */
    public int low, high;

    int[] numbers(int from, int to, int seenFrom, int seenTo) {
        return new int[] {global ? 1 : 0, window, low, high, from, to, seenFrom, seenTo};
    }
}
