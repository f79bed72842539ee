package endorama.core.mutual;

import endorama.core.volumes.Affine3;
import endorama.core.volumes.Grid;
import endorama.core.volumes.Volume;
import java.util.ArrayList;
import java.util.List;

/**
 * One registration of a run: a volume or an image, and what it is registered onto. Where one of them has no position, it
 * is not known either how its axes lie in the world: the search then takes both along the axes of their arrays. What is
 * found is told in their own worlds all the same.
 */
final class MutualPair {
    final Volume fixed;
    final Volume moving;
    /** The slice of the fixed volume that it is, from 0; 0 of a volume. */
    final int slice;
    /** Where their voxels lie for the search. */
    final Grid fixedSpace;
    final Grid movingSpace;

    private MutualPair(Volume fixed, Volume moving, int slice) {
        this.fixed = fixed;
        this.moving = moving;
        this.slice = slice;
        boolean positioned = fixed.grid().positioned && moving.grid().positioned;
        fixedSpace = positioned ? fixed.grid() : fixed.grid().bare();
        movingSpace = positioned ? moving.grid() : moving.grid().bare();
    }

    /**
     * Of all of both: every volume of a series onto the first fixed one; or every slice onto the slice of the same
     * number, or the only one.
     *
     * @throws IllegalArgumentException if slices do not match
     */
    static List<MutualPair> all(Volume fixed, Volume moving, boolean planar) {
        List<MutualPair> pairs = new ArrayList<MutualPair>();
        if (!planar) {
            for (int i = 0; i < moving.frames(); i++) {
                pairs.add(new MutualPair(fixed.frame(0), moving.frame(i), 0));
            }
            return pairs;
        }
        int there = fixed.slices();
        if (there != 1 && there != moving.slices()) {
            throw new IllegalArgumentException("dimensions 2D: " + fixed.name() + " has " + there + " slices, "
                    + moving.name() + " has " + moving.slices() + "; slices are registered onto those of the same number,"
                    + " or all onto a single one; dimensions=[3D] takes them for volumes");
        }
        for (int i = 0; i < moving.slices(); i++) {
            int onto = there == 1 ? 0 : i;
            pairs.add(new MutualPair(fixed.slice(onto), moving.slice(i), onto));
        }
        return pairs;
    }

    /** Fixed -&gt; moving, mm of the search: as the headers have it, or the centres where one has no position. */
    double[] header() {
        return fixedSpace.positioned ? Affine3.identity() : centres();
    }

    /** The centres meet, mm of the search. */
    double[] centres() {
        double[] from = fixedSpace.centre();
        double[] to = movingSpace.centre();
        return Affine3.shift(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
    }

    /** What a map from voxels to voxels is in mm of the search. */
    double[] inSpace(double[] voxels) {
        return between(fixedSpace, movingSpace, voxels);
    }

    /** What it is in mm of the two worlds. */
    double[] inWorld(double[] voxels) {
        return between(fixed.grid(), moving.grid(), voxels);
    }

    private static double[] between(Grid from, Grid to, double[] voxels) {
        return Affine3.product(to.world(), Affine3.product(voxels, Affine3.inverse(from.world())));
    }

    /** What a map from mm to mm of the two worlds is in voxels. */
    double[] inVoxels(double[] world) {
        return Affine3.product(Affine3.inverse(moving.grid().world()), Affine3.product(world, fixed.grid().world()));
    }

    /** As the headers have it, mm of the two worlds. */
    double[] headerInWorld() {
        return inWorld(Affine3.product(Affine3.inverse(movingSpace.world()),
                Affine3.product(header(), fixedSpace.world())));
    }
}
