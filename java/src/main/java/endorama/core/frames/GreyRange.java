package endorama.core.frames;

/**
 * The grey values that span 16-bit frames, for matching alone. One pixel in a thousand may be darker and one in a
 * thousand brighter, and is clipped: hot and dead pixels must not set the range.
 */
public final class GreyRange {
    /** One pixel in so many is left out at either end. */
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
     * The darkest and the brightest value that count, the first below the second. Where they are one value the range is
     * that of all pixels; where that is one value, too, it ends there; of nothing but 0 it is everything.
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

    /** The values beyond which so many pixels lie at most. */
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
