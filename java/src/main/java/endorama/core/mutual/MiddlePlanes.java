package endorama.core.mutual;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.GreyRange;
import endorama.core.volumes.Grid;

/** The middle planes of a volume, 8 bit, scaled to millimetres: parallel to slices, rows, columns; of a 2D image the image. */
final class MiddlePlanes {
    private static final int LARGEST_SIDE = 1024;
    private static final int[][] AXES = {{0, 1}, {0, 2}, {1, 2}};

    /** Reads a slice. */
    interface Slices {
        Object pixels(int index) throws FrameReadException;
    }

    /** One plane. */
    static final class Plane {
        final int width;
        final int height;
        final byte[] grey;

        Plane(int width, int height) {
            this.width = width;
            this.height = height;
            this.grey = new byte[width * height];
        }
    }

    final Plane[] planes;
    private final int[] size;
    private final boolean[] mirrored = new boolean[3];
    private final double[] spacing;
    /** Grey values of the planes in the volume's range. */
    private final short[][] values;

    private MiddlePlanes(Grid grid) {
        size = new int[] {grid.width, grid.height, grid.depth};
        spacing = grid.spacing();
        double[] world = grid.world();
        // Radiological orientation: the patient's left to the right, his back and his feet below.
        mirrored[0] = world[0] < 0;
        mirrored[1] = world[5] < 0;
        mirrored[2] = grid.positioned && world[10] > 0;
        planes = new Plane[grid.depth == 1 ? 1 : 3];
        values = new short[planes.length][];
        for (int i = 0; i < planes.length; i++) {
            values[i] = new short[size[AXES[i][0]] * size[AXES[i][1]]];
        }
    }

    /** The planes of a volume; reads every slice once. */
    static MiddlePlanes of(Grid grid, Slices slices) throws FrameReadException {
        MiddlePlanes made = new MiddlePlanes(grid);
        for (int z = 0; z < grid.depth; z++) {
            made.add(z, slices.pixels(z));
        }
        made.stretch();
        return made;
    }

    private void add(int z, Object pixels) {
        for (int i = 0; z == size[2] / 2 && i < values[0].length; i++) {
            values[0][i] = grey(pixels, i);
        }
        for (int x = 0; planes.length > 1 && x < size[0]; x++) {
            values[1][z * size[0] + x] = grey(pixels, size[1] / 2 * size[0] + x);
        }
        for (int y = 0; planes.length > 1 && y < size[1]; y++) {
            values[2][z * size[1] + y] = grey(pixels, y * size[0] + size[0] / 2);
        }
    }

    /** Grey value of a pixel; of a colour its luma. */
    private static short grey(Object pixels, int i) {
        if (pixels instanceof byte[]) {
            return (short) (((byte[]) pixels)[i] & 0xff);
        }
        if (pixels instanceof short[]) {
            return ((short[]) pixels)[i];
        }
        int c = ((int[]) pixels)[i];
        return (short) ((77 * (c >> 16 & 0xff) + 150 * (c >> 8 & 0xff) + 29 * (c & 0xff) + 128) >> 8);
    }

    /** Stretches the grey values of all planes by one range, so that they can be compared. */
    private void stretch() {
        GreyRange range = new GreyRange();
        for (short[] plane : values) {
            range.add(plane);
        }
        int[] ends = range.ends();
        for (int i = 0; i < planes.length; i++) {
            planes[i] = stretched(values[i], AXES[i][0], AXES[i][1], ends);
        }
    }

    private Plane stretched(short[] from, int across, int down, int[] ends) {
        double least = Math.min(spacing[0], spacing[1]);
        least = planes.length > 1 ? Math.min(least, spacing[2]) : least;
        Plane plane = new Plane(side(size[across] * spacing[across] / least), side(size[down] * spacing[down] / least));
        for (int i = 0; i < plane.grey.length; i++) {
            int column = index(i % plane.width, plane.width, across);
            int row = index(i / plane.width, plane.height, down);
            int value = from[row * size[across] + column] & 0xffff;
            long grey = Math.round(255.0 * (value - ends[0]) / (ends[1] - ends[0]));
            plane.grey[i] = (byte) Math.max(0, Math.min(255, grey));
        }
        return plane;
    }

    private int index(int at, int side, int axis) {
        int index = (int) ((long) at * size[axis] / side);
        return mirrored[axis] ? size[axis] - 1 - index : index;
    }

    private static int side(double length) {
        return (int) Math.max(1, Math.min(LARGEST_SIDE, Math.round(length)));
    }
}
