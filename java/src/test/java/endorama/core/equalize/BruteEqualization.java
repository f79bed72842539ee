package endorama.core.equalize;

import java.util.Random;

/** Reference for tests: adaptive equalization by its definition, counting the window of every pixel anew. */
public final class BruteEqualization {
    private BruteEqualization() {
    }

    /** Grey values by position, mirrored at the borders of the image at any distance. */
    private static final class Grey {
        final int[] values;
        final int width;
        final int height;

        Grey(int[] values, int width) {
            this.values = values;
            this.width = width;
            this.height = values.length / width;
        }

        private static int mirrored(int at, int n) {
            int i = at;
            while (i < 0 || i >= n) {
                i = i < 0 ? -1 - i : 2 * n - 1 - i;
            }
            return i;
        }

        int at(int x, int y) {
            return values[mirrored(y, height) * width + mirrored(x, width)];
        }
    }

    /** 8-bit values. */
    public static int[] grey8(int[] values, int width, int window, double limit) {
        Grey grey = new Grey(values, width);
        int[] out = new int[values.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = limit == 0 ? plain(grey, i % width, i / width, window, 255)
                    : limited(grey, i % width, i / width, window, limit, 255, 0, 1);
        }
        return out;
    }

    /** 16-bit values; with a limit the bins span the range of the whole image. */
    public static int[] grey16(int[] values, int width, int window, double limit) {
        Grey grey = new Grey(values, width);
        int low = 65535;
        int high = 0;
        for (int value : values) {
            low = Math.min(low, value);
            high = Math.max(high, value);
        }
        int levels = (high - low + 256) / 256;
        int[] out = new int[values.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = limit == 0 ? plain(grey, i % width, i / width, window, 65535)
                    : limited(grey, i % width, i / width, window, limit, 65535, low, levels);
        }
        return out;
    }

    /** 0xRRGGBB: the change of luma is added to each of the three. */
    public static int[] rgb(int[] colours, int width, int window, double limit) {
        int[] luma = new int[colours.length];
        for (int i = 0; i < luma.length; i++) {
            luma[i] = luma(colours[i]);
        }
        int[] equalized = grey8(luma, width, window, limit);
        int[] out = new int[colours.length];
        for (int i = 0; i < out.length; i++) {
            for (int at = 0; at <= 16; at += 8) {
                int value = (colours[i] >> at & 255) + equalized[i] - luma[i];
                out[i] |= Math.max(0, Math.min(255, value)) << at;
            }
        }
        return out;
    }

    public static int luma(int colour) {
        return 77 * (colour >> 16 & 255) + 150 * (colour >> 8 & 255) + 29 * (colour & 255) + 128 >> 8;
    }

    private static int plain(Grey grey, int x, int y, int window, long top) {
        int centre = grey.at(x, y);
        int rank = 0;
        for (int v = y - window / 2; v <= y + window / 2; v++) {
            for (int u = x - window / 2; u <= x + window / 2; u++) {
                rank += grey.at(u, v) <= centre ? 1 : 0;
            }
        }
        return (int) (top * rank / ((long) window * window));
    }

    private static int limited(Grey grey, int x, int y, int window, double limit, long top, int low, int levels) {
        long n = (long) window * window;
        long[] bins = new long[256];
        for (int v = y - window / 2; v <= y + window / 2; v++) {
            for (int u = x - window / 2; u <= x + window / 2; u++) {
                bins[(grey.at(u, v) - low) / levels]++;
            }
        }
        long clip = Math.max(1, (long) Math.floor(limit * n / 256 + 0.5));
        long cut = 0;
        for (int i = 0; i < 256; i++) {
            cut += Math.max(0, bins[i] - clip);
            bins[i] = Math.min(bins[i], clip);
        }
        int bin = (grey.at(x, y) - low) / levels;
        int part = (grey.at(x, y) - low) % levels + 1;
        // In units of 1 / (256 * levels) pixels the shares of a bin and of the excess counts are whole numbers.
        long cdf = part * (256 * bins[bin] + cut);
        for (int i = 0; i < bin; i++) {
            cdf += levels * (256 * bins[i] + cut);
        }
        return (int) (cdf * top / (256 * n * levels));
    }

    /** Uneven light with noise, of at most this value. */
    public static int[] scene(int width, int height, int most, long seed) {
        Random random = new Random(seed);
        int[] values = new int[width * height];
        for (int i = 0; i < values.length; i++) {
            double light = (i % width) / (double) width * (0.4 + 0.6 * (i / width) / height);
            values[i] = (int) Math.min(most, most * (0.1 + 0.6 * light + 0.25 * random.nextDouble()));
        }
        return values;
    }

    public static byte[] bytes(int[] values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    public static short[] shorts(int[] values) {
        short[] shorts = new short[values.length];
        for (int i = 0; i < shorts.length; i++) {
            shorts[i] = (short) values[i];
        }
        return shorts;
    }

    /** Three scenes as red, green and blue. */
    public static int[] colours(int width, int height, long seed) {
        int[] red = scene(width, height, 255, seed);
        int[] green = scene(width, height, 200, seed + 1);
        int[] blue = scene(width, height, 150, seed + 2);
        int[] colours = new int[red.length];
        for (int i = 0; i < colours.length; i++) {
            colours[i] = red[i] << 16 | green[i] << 8 | blue[i];
        }
        return colours;
    }
}
