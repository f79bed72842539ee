package endorama.picture;

import endorama.core.transforms.Transform;

/** A frame in the colours of a screen. */
public final class FramePicture {
    final int width;
    final int height;
    /** Opaque RGB. */
    final int[] rgb;

    private FramePicture(int width, int height, int[] rgb) {
        this.width = width;
        this.height = height;
        this.rgb = rgb;
    }

    /**
     * From the pixels of a frame, byte[], short[] or int[] (RGB).
     *
     * @param low grey value that is shown black, and high white; RGB is shown as it is
     */
    public static FramePicture of(Object pixels, int width, int height, double low, double high) {
        int[] rgb = new int[width * height];
        double gain = 255 / Math.max(1e-9, high - low);
        for (int i = 0; i < rgb.length; i++) {
            rgb[i] = 0xff000000 | (pixels instanceof int[] ? ((int[]) pixels)[i]
                    : (int) Math.max(0, Math.min(255, (grey(pixels, i) - low) * gain + 0.5)) * 0x010101);
        }
        return new FramePicture(width, height, rgb);
    }

    private static int grey(Object pixels, int i) {
        return pixels instanceof byte[] ? ((byte[]) pixels)[i] & 255 : ((short[]) pixels)[i] & 0xffff;
    }

    public int width() {
        return width;
    }

    public int height() {
        return height;
    }

    /** Reduced by a whole factor; each pixel is the mean of a square. */
    public FramePicture reduced(int step) {
        int w = Math.max(1, width / step);
        int h = Math.max(1, height / step);
        int[] small = new int[w * h];
        for (int i = 0; i < small.length; i++) {
            small[i] = mean(i % w * step, i / w * step, Math.min(step, Math.min(width, height)));
        }
        return new FramePicture(w, h, small);
    }

    private int mean(int left, int top, int side) {
        int[] sums = new int[3];
        for (int i = 0; i < side * side; i++) {
            int pixel = rgb[(top + i / side) * width + left + i % side];
            for (int c = 0; c < 3; c++) {
                sums[c] += pixel >> 8 * c & 255;
            }
        }
        int n = side * side;
        return 0xff000000 | sums[2] / n << 16 | sums[1] / n << 8 | sums[0] / n;
    }

    /** A transform between frames as it is between frames reduced by a factor. */
    public static Transform reduced(Transform transform, int step) {
        Transform smaller = Transform.scaling(1.0 / step);
        return smaller.multiply(transform).multiply(smaller.inverse());
    }

    /** The colour at a place, between pixels by their distance; 0: outside. */
    int at(double x, double y) {
        if (!(x >= -0.5 && y >= -0.5 && x < width - 0.5 && y < height - 0.5)) {
            return 0;
        }
        int left = Math.max(0, Math.min(width - 2, (int) Math.floor(x)));
        int top = Math.max(0, Math.min(height - 2, (int) Math.floor(y)));
        int right = Math.min(width - 1, left + 1);
        int below = Math.min(height - 1, top + 1) * width;
        int u = (int) (256 * Math.max(0, Math.min(1, x - left)));
        int v = (int) (256 * Math.max(0, Math.min(1, y - top)));
        int upper = mix(rgb[top * width + left], rgb[top * width + right], u);
        return 0xff000000 | mix(upper, mix(rgb[below + left], rgb[below + right], u), v);
    }

    /** 256ths of the second colour, for each channel. */
    private static int mix(int one, int other, int part) {
        int redBlue = (one & 0xff00ff) * (256 - part) + (other & 0xff00ff) * part >>> 8 & 0xff00ff;
        int green = (one & 0xff00) * (256 - part) + (other & 0xff00) * part >>> 8 & 0xff00;
        return redBlue | green;
    }
}
