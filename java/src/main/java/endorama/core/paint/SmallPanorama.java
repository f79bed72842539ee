package endorama.core.paint;

import endorama.core.frames.GreyRange;
import endorama.core.frames.PixelType;
import java.io.IOException;
import java.io.UncheckedIOException;

/** A panorama reduced for display: RGB, each pixel the mean of the painted pixels of a square. */
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
     * A panorama reduced to sides of at most longest pixels; 16 bit is stretched by the range of its values.
     *
     * @param longest 1 or more
     */
    public static SmallPanorama of(Panorama panorama, int longest) {
        int side = Math.max(panorama.width(), panorama.height());
        int step = (side + longest - 1) / longest;
        SmallPanorama small = new SmallPanorama(step, (panorama.width() + step - 1) / step,
                (panorama.height() + step - 1) / step);
        try {
            int[] range = range(panorama);
            for (int y = 0; y < small.height; y++) {
                small.fill(panorama, y, range);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return small;
    }

    private static int[] range(Panorama panorama) throws IOException {
        GreyRange greys = new GreyRange();
        for (int y = 0; panorama.type() == PixelType.GREY16 && y < panorama.height(); y += panorama.band()) {
            greys.add((short[]) panorama.rows(y, Math.min(panorama.band(), panorama.height() - y)));
        }
        return panorama.type() == PixelType.GREY16 ? greys.ends() : new int[] {0, 255};
    }

    /** Fills one row from as many rows of the panorama as it stands for. */
    private void fill(Panorama panorama, int y, int[] range) throws IOException {
        int n = Math.min(step, panorama.height() - y * step);
        Object rows = panorama.rows(y * step, n);
        byte[] painted = panorama.paintedRows(y * step, n);
        for (int x = 0; x < width; x++) {
            int right = Math.min(panorama.width(), (x + 1) * step);
            pixels[y * width + x] = mean(rows, painted, n, panorama.width(), x * step, right, range);
        }
    }

    /** The mean of the painted pixels, opaque; 0 if none is painted. */
    private static int mean(Object rows, byte[] painted, int n, int pitch, int left, int right, int[] range) {
        long red = 0;
        long green = 0;
        long blue = 0;
        int count = 0;
        for (int v = 0; v < n; v++) {
            for (int at = v * pitch + left; at < v * pitch + right; at++) {
                if (painted[at] != 0) {
                    int rgb = rgb(rows, at, range);
                    red += rgb >> 16 & 255;
                    green += rgb >> 8 & 255;
                    blue += rgb & 255;
                    count++;
                }
            }
        }
        return count == 0 ? 0 : 0xff000000 | mean(red, count) << 16 | mean(green, count) << 8 | mean(blue, count);
    }

    private static int mean(long sum, int n) {
        return (int) ((2 * sum + n) / (2 * n));
    }

    private static int rgb(Object pixels, int at, int[] range) {
        if (pixels instanceof byte[]) {
            return (((byte[]) pixels)[at] & 255) * 0x010101;
        }
        if (pixels instanceof short[]) {
            int value = (((short[]) pixels)[at] & 0xffff) - range[0];
            return Math.max(0, Math.min(255, value * 255 / (range[1] - range[0]))) * 0x010101;
        }
        return ((int[]) pixels)[at];
    }

    /** Pixels of the panorama along one of this picture. */
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
