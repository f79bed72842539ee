package endorama.cli;

import endorama.core.frames.PixelType;
import endorama.core.frames.SizedFrames;
import endorama.core.transforms.Transform;
import java.util.Locale;
import java.util.Random;

/** The frames of a simulated scope on a known path over a flat scene: from above, tilted, or through a lens; deterministic. */
final class ScopeFrames extends SizedFrames {
    static final int WIDTH = 480;
    static final int HEIGHT = 384;
    /** Number of frames of the whole path. */
    static final int ALL = 90;
    /** Side of the square scene, px. */
    static final int SCENE = 2048;
    private static final double FOCAL = 0.8 * WIDTH;
    /** Standard deviation of the noise, grey levels. */
    private static final double NOISE = 2;
    /** Step of the path and standard deviation of the hand's tremor, px. */
    private static final double STEP = 4.5;
    private static final double SHAKE = 0.8;
    /** Multiplier that spreads consecutive seeds, whose random numbers would otherwise be alike. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    /** How the scope views the plane. */
    enum Way {
        /** Tilted by a constant angle. */
        TILTED,
        /** Tilted to and fro up to an angle. */
        TILTING,
        /** From above, through a lens with distortion. */
        DISTORTED
    }

    final Way way;
    final double amount;
    private final int[] scene;

    /** @param scene of SCENE x SCENE px, of colour; not copied */
    ScopeFrames(Way way, double amount, int frames, int[] scene) {
        super(frames, WIDTH, HEIGHT, PixelType.RGB32);
        this.way = way;
        this.amount = amount;
        this.scene = scene;
    }

    String name() {
        return String.format(Locale.ROOT, "%s %.0f%s", way.name().toLowerCase(Locale.ROOT), amount,
                way == Way.DISTORTED ? " %" : " degrees");
    }

    @Override
    public String label(int index) {
        return "frame " + (index + 1);
    }

    /** Frame -&gt; scene, without the distortion. */
    Transform view(int index) {
        Random shake = new Random(SPREAD * (2 * index + 1));
        double x = SCENE / 2.0 + STEP * (index - ALL / 2.0) + SHAKE * shake.nextGaussian();
        double y = SCENE / 2.0 + 40 * Math.sin(0.09 * index) + SHAKE * shake.nextGaussian();
        double roll = Math.toRadians(3 * Math.sin(0.11 * index));
        double across = way == Way.TILTING ? amount * Math.sin(0.08 * index) : way == Way.TILTED ? amount : 0;
        double down = way == Way.TILTING ? 0.75 * amount * Math.sin(0.05 * index) : 0;
        Transform turned = tilt(Math.toRadians(across), true).multiply(tilt(Math.toRadians(down), false));
        double[] rolled = {Math.cos(roll), -Math.sin(roll), x, Math.sin(roll), Math.cos(roll), y};
        return Transform.of(rolled).multiply(turned)
                .multiply(Transform.translation(-(WIDTH - 1) / 2.0, -(HEIGHT - 1) / 2.0));
    }

    /** The homography of a scope tilted about its centre, across or down. */
    private static Transform tilt(double angle, boolean isAcross) {
        double s = Math.sin(angle);
        double c = Math.cos(angle);
        double[] m = isAcross ? new double[] {1, 0, 0, 0, c, -FOCAL * s, 0, s / FOCAL, c}
                : new double[] {c, 0, FOCAL * s, 0, 1, 0, -s / FOCAL, 0, c};
        return Transform.of(Transform.Kind.HOMOGRAPHY, m);
    }

    @Override
    public Object pixels(int index) {
        int[] pixels = new int[WIDTH * HEIGHT];
        Transform view = view(index);
        double lambda = way == Way.DISTORTED ? amount / 100 : 0;
        Random noise = new Random(SPREAD * (2 * index + 2));
        for (int i = 0; i < pixels.length; i++) {
            double x = i % WIDTH - (WIDTH - 1) / 2.0;
            double y = i / WIDTH - (HEIGHT - 1) / 2.0;
            double straight = 1 / (1 + lambda * 4 * (x * x + y * y) / (WIDTH * WIDTH));
            double px = (WIDTH - 1) / 2.0 + straight * x;
            double py = (HEIGHT - 1) / 2.0 + straight * y;
            pixels[i] = colour(view.applyX(px, py), view.applyY(px, py), NOISE * noise.nextGaussian());
        }
        return pixels;
    }

    /** The colour by linear interpolation; the scene is mirrored at its border. */
    private int colour(double x, double y, double noise) {
        int left = (int) Math.floor(x);
        int top = (int) Math.floor(y);
        int colour = 0xff000000;
        for (int bits = 0; bits < 24; bits += 8) {
            double value = noise;
            for (int k = 0; k < 4; k++) {
                double weight = (k % 2 == 0 ? left + 1 - x : x - left) * (k < 2 ? top + 1 - y : y - top);
                value += weight * (scene[mirror(top + k / 2) * SCENE + mirror(left + k % 2)] >> bits & 0xff);
            }
            colour |= (int) Math.max(0, Math.min(255, Math.round(value))) << bits;
        }
        return colour;
    }

    private static int mirror(int i) {
        int within = Math.floorMod(i, 2 * SCENE);
        return within < SCENE ? within : 2 * SCENE - 1 - within;
    }
}
