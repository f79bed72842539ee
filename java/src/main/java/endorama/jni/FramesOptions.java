package endorama.jni;

/** Options of a store of frames: {@code endo_frames_options}, with its defaults. */
public final class FramesOptions {
    /** Size of every frame, px, 1..32767. */
    public int width, height;
    /** Pixel type: 0 8-bit grey, 1 16-bit grey, 2 RGB. */
    public int type;
    /** Number of slots, 1..65536. */
    public int capacity;
    /** Field of view, width*height bytes, 0 = outside; null = every pixel. */
    public byte[] field;
    /** Painting leaves out half as many pixels, rounded down, along every edge of the field, 0..1000. */
    public int rim = 8;
    /** Time constant, px, of the recursive smoothing before differencing, 0 (none)..255. */
    public int iir = 4;
    /** Specular pixels are left out of matching. */
    public boolean highlights;
    /** Specular pixels are left out at least of the refinement and decision of the method Best. */
    public boolean refineWithoutHighlights;
    /** Keep the data of optical flow. */
    public boolean flow = true;
    /** Keep the original pixels for painting. */
    public boolean keepPixels = true;
    /** 16 bit: grey values that become 0 and 255 for matching; low &lt; high. */
    public int low, high = 65535;

    /** Side of the windows in which grey images are equalized for matching, odd, 3..1023; 0 = no. */
    public int enhance;
    /** Contrast limit of the equalization for matching, above 1, up to 1000; 0 = none. */
    public double enhanceLimit;

    /** Fixed pattern, width*height grey values, -255..255, removed for matching; null = none. */
    public short[] pattern;

    int[] numbers() {
        return new int[] {width, height, type, capacity, rim, iir, highlights ? 1 : refineWithoutHighlights ? 2 : 0,
            flow ? 1 : 0, keepPixels ? 1 : 0, low, high, enhance};
    }
}
