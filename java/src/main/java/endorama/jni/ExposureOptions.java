package endorama.jni;

/** Options of the alignment of exposures: {@code endo_exposure_options}, with its defaults. */
public final class ExposureOptions {
    /** Largest shift, px each way: 1..512. */
    public int search = 64;
    /** Grey levels on each side of the threshold that are excluded, 0..127. */
    public int tolerance = 4;
    /** Bins of the brightness histogram, 64 or 256. */
    public int bins = 64;
    /** Choose the percentile with most usable pixels in both frames; false: the median. */
    public boolean adaptive = true;
    /** Refine the shift below a pixel. */
    public boolean subpixel;

    int[] ints() {
        return new int[] {search, tolerance, bins, adaptive ? 1 : 0, subpixel ? 1 : 0};
    }
}
