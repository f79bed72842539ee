package endorama.jni;

/** How differently exposed frames are aligned: {@code endo_exposure_options}, with its defaults. */
public final class ExposureOptions {
    /** Shifts that are tried, px each way: 1..512. */
    public int search = 64;
    /** Grey levels on each side of the threshold that take no part, 0..127. */
    public int tolerance = 4;
    /** Bins of the brightness histogram, 64 or 256. */
    public int bins = 64;
    /** The share of black that leaves most usable pixels in both frames; false: half. */
    public boolean adaptive = true;
    /** Refine the shift below a pixel. */
    public boolean subpixel;

    int[] ints() {
        return new int[] {search, tolerance, bins, adaptive ? 1 : 0, subpixel ? 1 : 0};
    }
}
