package endorama.core.volumes;

import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** A phantom of soft ellipsoids in two modalities, sampled in any grid; coordinates are mm from its centre. */
public final class TestVolumes {
    private static final int BLOBS = 40;

    private final double[][] blobs = new double[BLOBS][];
    private final double size;

    /** size: mm from the middle to the end along each axis. */
    public TestVolumes(long seed, double size) {
        this.size = size;
        Random random = new Random(seed);
        for (int i = 0; i < BLOBS; i++) {
            double radius = size * (0.08 + 0.17 * random.nextDouble());
            blobs[i] = new double[] {size * (1.4 * random.nextDouble() - 0.7), size * (1.4 * random.nextDouble() - 0.7),
                size * (1.4 * random.nextDouble() - 0.7), radius, random.nextDouble()};
        }
    }

    private double at(double[] p, boolean flat) {
        double z = flat ? 0 : p[2];
        double head = p[0] * p[0] + p[1] * p[1] + z * z;
        double value = head > size * size * 0.8 ? 0 : 0.3;
        for (double[] b : blobs) {
            double dz = flat ? 0 : z - b[2];
            double d = (p[0] - b[0]) * (p[0] - b[0]) + (p[1] - b[1]) * (p[1] - b[1]) + dz * dz;
            if (d < b[3] * b[3]) {
                value = 0.2 + 0.8 * b[4];
            }
        }
        return value;
    }

    /**
     * The slices of a scan.
     *
     * @param map mm of this grid -&gt; mm of the phantom; null: as it is
     * @param second the other modality: other values for the same things
     */
    public short[][] slices(Grid grid, double[] map, boolean second) {
        short[][] slices = new short[grid.depth][grid.width * grid.height];
        double[] world = map == null ? grid.world() : Affine3.product(map, grid.world());
        Random noise = new Random(second ? 2 : 1);
        for (int z = 0; z < grid.depth; z++) {
            for (int i = 0; i < slices[z].length; i++) {
                double v = at(Affine3.apply(world, i % grid.width, i / grid.width, z), grid.depth == 1);
                double shown = !second ? v : v == 0 ? 0.05 : 1.05 - Math.sqrt(v);
                slices[z][i] = (short) (1000 + 3000 * shown + 30 * noise.nextGaussian());
            }
        }
        return slices;
    }

    /** A grid whose middle is the phantom's, with a position. */
    public static Grid centred(int width, int height, int depth, double x, double y, double z) {
        double[] world = Affine3.diagonal(x, y, z);
        world[3] = -x * (width - 1) / 2;
        world[7] = -y * (height - 1) / 2;
        world[11] = -z * (depth - 1) / 2;
        return Grid.positioned(width, height, depth, world);
    }

    /** A rotation about z (degrees) and a shift (mm), from the fixed to the moving image. */
    public static double[] map(double degrees, double x, double y, double z) {
        double c = Math.cos(Math.toRadians(degrees));
        double s = Math.sin(Math.toRadians(degrees));
        return new double[] {c, -s, 0, x, s, c, 0, y, 0, 0, 1, z, 0, 0, 0, 1};
    }

    /** Slices as a volume, or as several of one grid. */
    public static Volume volume(String name, Grid grid, short[][] slices) {
        return Volume.of(name, source(grid.width, grid.height, slices), grid, slices.length / grid.depth, RealValues.SAME,
                true, Collections.<String>emptyList());
    }

    /** 16-bit slices as frames. */
    public static FrameSource source(int width, int height, short[][] slices) {
        return new FrameSource() {
            @Override
            public int count() {
                return slices.length;
            }

            @Override
            public int width() {
                return width;
            }

            @Override
            public int height() {
                return height;
            }

            @Override
            public PixelType type() {
                return PixelType.GREY16;
            }

            @Override
            public String label(int index) {
                return "";
            }

            @Override
            public Object pixels(int index) {
                return slices[index];
            }
        };
    }

    /** Largest distance between the images of a grid's corners under two maps, mm. */
    public static double apart(Grid grid, double[] a, double[] b) {
        double most = 0;
        for (int corner = 0; corner < 8; corner++) {
            double[] mm = Affine3.apply(grid.world(), (corner & 1) * (grid.width - 1), (corner >> 1 & 1)
                    * (grid.height - 1), (corner >> 2) * (grid.depth - 1));
            double[] p = Affine3.apply(a, mm[0], mm[1], mm[2]);
            double[] q = Affine3.apply(b, mm[0], mm[1], mm[2]);
            double d = 0;
            for (int i = 0; i < 3; i++) {
                d += (p[i] - q[i]) * (p[i] - q[i]);
            }
            most = Math.max(most, Math.sqrt(d));
        }
        return most;
    }

    /** Two volumes one after the other. */
    public static short[][] together(short[][] a, short[][] b) {
        List<short[]> all = new ArrayList<short[]>();
        Collections.addAll(all, a);
        Collections.addAll(all, b);
        return all.toArray(new short[0][]);
    }
}
