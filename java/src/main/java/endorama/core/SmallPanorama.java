package endorama.core;

/** A panorama made so small that it can be looked at: RGB, each pixel the mean of what is painted in a square of it. */
public final class SmallPanorama {
    private final int step;
    private final int width;
    private final int height;
    private final int[] pixels;

    private SmallPanorama(int step, int width, int height) {
        this.step = step;
        this.width = width;
        this.height = height;
        this.pixels = new int[width * height];
    }

    /**
     * The same picture with sides of so many pixels at most; 16 bit between the values that span it.
     *
     * @param longest 1 or more
     */
    public static SmallPanorama of(Panorama panorama, int longest) {
        int side = Math.max(panorama.width(), panorama.height());
        int step = (side + longest - 1) / longest;
        SmallPanorama small = new SmallPanorama(step, (panorama.width() + step - 1) / step,
                (panorama.height() + step - 1) / step);
        int[] range = {0, 255};
        if (panorama.type() == PixelType.GREY16) {
            GreyRange greys = new GreyRange();
            greys.add((short[]) panorama.pixels());
            range = greys.ends();
        }
        for (int y = 0; y < small.height; y++) {
            for (int x = 0; x < small.width; x++) {
                small.pixels[y * small.width + x] = small.mean(panorama, x, y, range);
            }
        }
        return small;
    }

    /** Opaque where something is painted, else 0. */
    private int mean(Panorama panorama, int x, int y, int[] range) {
        long red = 0;
        long green = 0;
        long blue = 0;
        int n = 0;
        for (int v = y * step; v < Math.min(panorama.height(), (y + 1) * step); v++) {
            for (int u = x * step; u < Math.min(panorama.width(), (x + 1) * step); u++) {
                int at = v * panorama.width() + u;
                if (panorama.painted()[at] != 0) {
                    int rgb = rgb(panorama, at, range);
                    red += rgb >> 16 & 255;
                    green += rgb >> 8 & 255;
                    blue += rgb & 255;
                    n++;
                }
            }
        }
        return n == 0 ? 0 : 0xff000000 | mean(red, n) << 16 | mean(green, n) << 8 | mean(blue, n);
    }

    private static int mean(long sum, int n) {
        return (int) ((2 * sum + n) / (2 * n));
    }

    private static int rgb(Panorama panorama, int at, int[] range) {
        switch (panorama.type()) {
            case GREY8: return (((byte[]) panorama.pixels())[at] & 255) * 0x010101;
            case GREY16:
                int value = (((short[]) panorama.pixels())[at] & 0xffff) - range[0];
                return Math.max(0, Math.min(255, value * 255 / (range[1] - range[0]))) * 0x010101;
            default: return ((int[]) panorama.pixels())[at];
        }
    }

    /** Pixels of the panorama that a pixel stands for, each way. */
    public int step() {
        return step;
    }

    /** Width, px. */
    public int width() {
        return width;
    }

    /** Height, px. */
    public int height() {
        return height;
    }

    /** width*height pixels, ARGB: opaque, or 0 where nothing is painted; not copied. */
    public int[] pixels() {
        return pixels;
    }
}
