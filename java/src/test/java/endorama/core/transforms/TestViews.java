package endorama.core.transforms;

import java.util.Random;

/** Views of an endless smooth scene through any map; the same seed gives the same scene. */
public final class TestViews {
    private static final int WAVES = 60;

    private final double[] kx = new double[WAVES];
    private final double[] ky = new double[WAVES];
    private final double[] phase = new double[WAVES];
    private final double[] amplitude = new double[WAVES];

    public TestViews(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < WAVES; i++) {
            double k = 2 * Math.PI / (6 + 40 * random.nextDouble());
            double angle = 2 * Math.PI * random.nextDouble();
            kx[i] = k * Math.cos(angle);
            ky[i] = k * Math.sin(angle);
            phase[i] = 2 * Math.PI * random.nextDouble();
            amplitude[i] = 0.5 + random.nextDouble();
        }
    }

    /** The scene's value, about -1..1. */
    private double at(double x, double y) {
        double sum = 0;
        for (int i = 0; i < WAVES; i++) {
            sum += amplitude[i] * Math.sin(kx[i] * x + ky[i] * y + phase[i]);
        }
        return Math.max(-1, Math.min(1, sum / 18));
    }

    /** Turned by degrees (x towards y) and scaled about the middle of such an image, then shifted. */
    public static Transform map(double degrees, double scale, double dx, double dy, int width, int height) {
        double a = scale * Math.cos(Math.toRadians(degrees));
        double b = scale * Math.sin(Math.toRadians(degrees));
        double x = (width - 1) / 2.0;
        double y = (height - 1) / 2.0;
        return Transform.of(new double[] {a, -b, x - a * x + b * y + dx, b, a, y - b * x - a * y + dy});
    }

    /** 8-bit grey; map: pixel of the view -&gt; scene. */
    public byte[] grey(Transform map, int width, int height) {
        byte[] pixels = new byte[width * height];
        for (int i = 0; i < pixels.length; i++) {
            int x = i % width;
            int y = i / width;
            pixels[i] = (byte) Math.round(127.5 + 120 * at(map.applyX(x, y), map.applyY(x, y)));
        }
        return pixels;
    }

    /** 16-bit grey, 5000..45000. */
    public short[] deep(Transform map, int width, int height) {
        byte[] grey = grey(map, width, height);
        short[] pixels = new short[grey.length];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (short) (5000 + (grey[i] & 0xff) * 156);
        }
        return pixels;
    }

    /** RGB, reddish. */
    public int[] colour(Transform map, int width, int height) {
        byte[] grey = grey(map, width, height);
        int[] pixels = new int[grey.length];
        for (int i = 0; i < pixels.length; i++) {
            int v = grey[i] & 0xff;
            pixels[i] = 0xff000000 | v << 16 | v * 3 / 4 << 8 | v / 2;
        }
        return pixels;
    }

    /** The largest distance between the images of such a view's corners under two maps, px. */
    public static double distance(Transform a, Transform b, int width, int height) {
        double[] p = a.corners(width, height);
        double[] q = b.corners(width, height);
        double largest = 0;
        for (int i = 0; i < 8; i += 2) {
            largest = Math.max(largest, Math.hypot(p[i] - q[i], p[i + 1] - q[i + 1]));
        }
        return largest;
    }
}
