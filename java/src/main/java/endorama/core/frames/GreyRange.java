package endorama.core.frames;

/**
 * The grey values that span 16-bit frames, for matching. One pixel in a thousand may be darker and one brighter, and is
 * clipped: hot and dead pixels must not set the range.
 */
public final class GreyRange {
    /** One pixel in TAIL is left out at either end. */
    private static final int TAIL = 1000;

    private final int[] histogram = new int[65536];
    private long pixels;

    /** Counts the pixels of a frame. */
    public void add(short[] frame) {
        for (short pixel : frame) {
            histogram[pixel & 0xffff]++;
        }
        pixels += frame.length;
    }

    /**
     * The ends of the range, the first below the second. If they coincide, the ends of all pixels; if those coincide too, the
     * range ends at that value; for all zeros it is the full range.
     */
    public int[] ends() {
        int[] ends = ends(pixels / TAIL);
        if (ends[0] == ends[1]) {
            ends = ends(0);
        }
        if (ends[0] == ends[1]) {
            return ends[1] > 0 ? new int[] {ends[1] - 1, ends[1]} : new int[] {0, 65535};
        }
        return ends;
    }

    /** The values beyond which at most tail pixels lie. */
    private int[] ends(long tail) {
        int low = 0;
        for (long darker = histogram[0]; darker <= tail && low < 65535;) {
            darker += histogram[++low];
        }
        int high = 65535;
        for (long brighter = histogram[high]; brighter <= tail && high > low;) {
            brighter += histogram[--high];
        }
        return new int[] {low, high};
    }
}
