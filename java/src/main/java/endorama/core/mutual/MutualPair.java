package endorama.core.mutual;

import endorama.core.volumes.Affine3;
import endorama.core.volumes.Grid;
import endorama.core.volumes.Volume;
import java.util.ArrayList;
import java.util.List;

/**
 * One registration of a run: a moving and a fixed volume or image. Where one of them has no position, the orientation of its
 * axes in the world is unknown too: the search takes both along the axes of their arrays. Results are in their worlds in any
 * case.
 */
final class MutualPair {
    final Volume fixed;
    final Volume moving;
    /** Index, from 0, of the slice of the fixed volume; 0 for a volume. */
    final int slice;
    /** Grids of their voxels for the search. */
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
     * All pairs of two images: every volume of a series onto the first fixed one; or every slice onto the slice of the same
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

    /** The start by the headers: fixed -&gt; moving, mm of the search; by the centres where one has no position. */
    double[] header() {
        return fixedSpace.positioned ? Affine3.identity() : centres();
    }

    /** The start by the centres: fixed -&gt; moving, mm of the search. */
    double[] centres() {
        double[] from = fixedSpace.centre();
        double[] to = movingSpace.centre();
        return Affine3.shift(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
    }

    /** Converts a map between voxels to mm of the search. */
    double[] inSpace(double[] voxels) {
        return between(fixedSpace, movingSpace, voxels);
    }

    /** Converts a map between voxels to mm of the two worlds. */
    double[] inWorld(double[] voxels) {
        return between(fixed.grid(), moving.grid(), voxels);
    }

    private static double[] between(Grid from, Grid to, double[] voxels) {
        return Affine3.product(to.world(), Affine3.product(voxels, Affine3.inverse(from.world())));
    }

    /** Converts a map between mm of the two worlds to voxels. */
    double[] inVoxels(double[] world) {
        return Affine3.product(Affine3.inverse(moving.grid().world()), Affine3.product(world, fixed.grid().world()));
    }

    /** The start by the headers, mm of the two worlds. */
    double[] headerInWorld() {
        return inWorld(Affine3.product(Affine3.inverse(movingSpace.world()),
                Affine3.product(header(), fixedSpace.world())));
    }
}
