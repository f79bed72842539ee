package endorama.core.mosaic;

/** Counts of a live run's frames, panoramas and memory: {@code endo_live_counts}. */
public final class LiveCounts {
    /** Frames that were put, those kept for the panorama at the end, and those found nowhere. */
    public final long put, kept, lost;
    /** Memory and scratch file of the kept frames. */
    public final long bytes;
    /** Panoramas. */
    public final int components;
    /** Times that the poses of all kept frames were solved for. */
    public final int loops;

    LiveCounts(long[] counts) {
        put = counts[0];
        kept = counts[1];
        lost = counts[2];
        bytes = counts[3];
        components = (int) counts[4];
        loops = (int) counts[5];
    }
}
