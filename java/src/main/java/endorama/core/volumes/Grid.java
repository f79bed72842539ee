package endorama.core.volumes;

import java.util.Arrays;

/**
 * The grid of a volume: its size in voxels and their positions, in millimetres to the patient's left, back and head (LPS, as in
 * ITK, DICOM and 3D Slicer); of images without a position right, down and along the slices, from the first voxel's centre.
 * Immutable.
 */
public final class Grid {
    /** Voxels along each direction. */
    public final int width, height, depth;
    /** The world's coordinates are those of a scanner or of an origin that was set: two volumes can be compared. */
    public final boolean positioned;
    private final double[] world;

    private Grid(int width, int height, int depth, double[] world, boolean positioned) {
        this.width = width;
        this.height = height;
        this.depth = depth;
        this.world = world;
        this.positioned = positioned;
    }

    /**
     * A grid with known position.
     *
     * @param world voxels -&gt; mm, 4 x 4 row by row; must be invertible
     */
    public static Grid positioned(int width, int height, int depth, double[] world) {
        if (!Affine3.isInvertible(world)) {
            throw new IllegalArgumentException("voxels to millimetres " + Arrays.toString(world)
                    + ": must be finite, affine and not flat");
        }
        return new Grid(width, height, depth, world.clone(), true);
    }

    /** A grid of which only the voxel size is known, mm; the first voxel's centre is the origin. */
    public static Grid spaced(int width, int height, int depth, double x, double y, double z) {
        return new Grid(width, height, depth, Affine3.diagonal(x, y, z), false);
    }

    /** Voxels -&gt; mm: 16 numbers, row by row, in a new array. */
    public double[] world() {
        return world.clone();
    }

    /** Size of a voxel along each axis, mm, in a new array. */
    public double[] spacing() {
        return Affine3.steps(world);
    }

    /** The centre, mm. */
    public double[] centre() {
        return Affine3.apply(world, (width - 1) / 2.0, (height - 1) / 2.0, (depth - 1) / 2.0);
    }

    /** A copy along the axes of the array, from the first voxel's centre. */
    public Grid bare() {
        double[] s = spacing();
        return spaced(width, height, depth, s[0], s[1], s[2]);
    }

    /** The grid of one slice as an image, in its plane, where axes of the world have no meaning. */
    public Grid plane() {
        double[] s = spacing();
        double[] flat = Affine3.diagonal(s[0], s[1], s[2]);
        boolean kept = positioned && world[2] == 0 && world[6] == 0 && world[8] == 0 && world[9] == 0;
        if (kept) {
            flat = world.clone();
            flat[11] = 0;
        }
        return new Grid(width, height, 1, flat, kept);
    }

    /** "224 x 224 x 60 voxels of 1 x 1 x 2 mm". */
    public String description() {
        double[] s = spacing();
        return depth == 1 ? width + " x " + height + " pixels of " + number(s[0]) + " x " + number(s[1]) + " mm"
                : width + " x " + height + " x " + depth + " voxels of " + number(s[0]) + " x " + number(s[1]) + " x "
                + number(s[2]) + " mm";
    }

    private static String number(double value) {
        return String.format(java.util.Locale.ROOT, "%.4g", value).replaceFirst("(\\.\\d*?)0+$", "$1")
                .replaceFirst("\\.$", "");
    }
}
