package endorama.core.exposures;

import java.util.Random;

/** Differently exposed views of one textured scene from known positions; deterministic. */
public final class TestExposures {
    /** Size of a view. */
    public static final int W = 200;
    public static final int H = 150;
    private static final int MARGIN = 60;
    private static final int SCENE_W = W + 2 * MARGIN;
    private static final int SCENE_H = H + 2 * MARGIN;

    private final double[] scene = new double[SCENE_W * SCENE_H];
    private final Random noise;

    public TestExposures(long seed) {
        noise = new Random(seed);
        for (int i = 0; i < 400; i++) {
            disc(noise.nextInt(SCENE_W), noise.nextInt(SCENE_H), 3 + noise.nextInt(22), 0.15 + 0.85 * noise.nextDouble());
        }
    }

    private void disc(int cx, int cy, int radius, double light) {
        for (int y = Math.max(0, cy - radius); y < Math.min(SCENE_H, cy + radius); y++) {
            for (int x = Math.max(0, cx - radius); x < Math.min(SCENE_W, cx + radius); x++) {
                double d = Math.hypot(x - cx, y - cy);
                if (d < radius) {
                    scene[y * SCENE_W + x] = light * (1 - 0.3 * d / radius);
                }
            }
        }
    }

    /**
     * The view of a camera at (x, y): its pixel (0, 0) lies at (x, y) of the view from (0, 0). Light times gain, clipped, with
     * a gamma and some noise: 0..1.
     */
    private double[] view(int x, int y, double gain, double gamma) {
        double[] view = new double[W * H];
        for (int i = 0; i < view.length; i++) {
            double light = scene[(MARGIN + y + i / W) * SCENE_W + MARGIN + x + i % W];
            double value = Math.pow(Math.min(1, light * gain), gamma) + 0.004 * noise.nextGaussian();
            view[i] = Math.max(0, Math.min(1, value));
        }
        return view;
    }

    /** 8-bit grey. */
    public byte[] grey(int x, int y, double gain, double gamma) {
        double[] view = view(x, y, gain, gamma);
        byte[] pixels = new byte[view.length];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) Math.round(view[i] * 255);
        }
        return pixels;
    }

    /** 16-bit grey, of up to 60000. */
    public short[] deep(int x, int y, double gain, double gamma) {
        double[] view = view(x, y, gain, gamma);
        short[] pixels = new short[view.length];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (short) Math.round(view[i] * 60000);
        }
        return pixels;
    }

    /** RGB, reddish. */
    public int[] colour(int x, int y, double gain, double gamma) {
        byte[] grey = grey(x, y, gain, gamma);
        int[] pixels = new int[grey.length];
        for (int i = 0; i < pixels.length; i++) {
            int v = grey[i] & 0xff;
            pixels[i] = 0xff000000 | v << 16 | v * 3 / 4 << 8 | v / 2;
        }
        return pixels;
    }
}
