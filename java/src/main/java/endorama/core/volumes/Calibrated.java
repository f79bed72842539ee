package endorama.core.volumes;

import endorama.core.files.TextFile;
import endorama.core.frames.LengthUnit;
import java.util.List;

/** The grid of voxels by a calibration like ImageJ's: sizes in a unit, and an origin in pixels. */
public final class Calibrated {
    private static final double LEAST = 1e-6;
    private static final double MOST = 1e6;

    private Calibrated() {
    }

    /**
     * The grid of a calibrated image.
     *
     * @param size width, height, depth, voxels
     * @param voxel size of a voxel along each axis, in the unit
     * @param origin in voxels; all 0: none was set
     * @param notes receives what had to be assumed
     */
    public static Grid grid(String name, int[] size, double[] voxel, String unit, double[] origin,
            List<String> notes) {
        LengthUnit length = LengthUnit.of(unit);
        if (!(length != null || unit == null || unit.isEmpty() || unit.equalsIgnoreCase("pixel")
                || unit.equalsIgnoreCase("pixels"))) {
            notes.add(name + ": the unit \"" + TextFile.excerpt(unit) + "\" is no length; 1 of it is taken for 1 mm");
        }
        double[] mm = new double[3];
        for (int i = 0; i < 3; i++) {
            mm[i] = voxel[i] * (length == null ? 1 : length.millimetres);
            if (!(mm[i] >= LEAST && mm[i] <= MOST)) {
                notes.add(name + ": a voxel size of " + voxel[i] + " cannot be; 1 mm is taken for it");
                mm[i] = 1;
            }
        }
        if (origin[0] == 0 && origin[1] == 0 && origin[2] == 0 || !finite(origin)) {
            return Grid.spaced(size[0], size[1], size[2], mm[0], mm[1], mm[2]);
        }
        double[] world = Affine3.diagonal(mm[0], mm[1], mm[2]);
        for (int i = 0; i < 3; i++) {
            world[4 * i + 3] = -origin[i] * mm[i];
        }
        return Grid.positioned(size[0], size[1], size[2], world);
    }

    private static boolean finite(double[] numbers) {
        double sum = 0;
        for (double number : numbers) {
            sum += Math.abs(number);
        }
        return sum < 1e9;
    }
}
