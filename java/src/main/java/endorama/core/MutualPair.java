package endorama.core;

import java.util.ArrayList;
import java.util.List;

/** One registration of a run: a volume or an image, and what it is registered onto. */
final class MutualPair {
    final Volume fixed;
    final Volume moving;
    /** The slice of the fixed volume that it is, from 0; 0 of a volume. */
    final int slice;

    private MutualPair(Volume fixed, Volume moving, int slice) {
        this.fixed = fixed;
        this.moving = moving;
        this.slice = slice;
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
                    + " or all onto a single one");
        }
        for (int i = 0; i < moving.slices(); i++) {
            int onto = there == 1 ? 0 : i;
            pairs.add(new MutualPair(fixed.slice(onto), moving.slice(i), onto));
        }
        return pairs;
    }

    /** Both have a position that can be compared. */
    boolean isPositioned() {
        return fixed.grid().positioned && moving.grid().positioned;
    }

    /** Fixed -&gt; moving, mm: the headers' own alignment, or that of the centres where one has no position. */
    double[] header() {
        return isPositioned() ? Affine3.identity() : centres();
    }

    /** The centres meet. */
    double[] centres() {
        double[] from = fixed.grid().centre();
        double[] to = moving.grid().centre();
        return Affine3.shift(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
    }

    /** What a map from voxels to voxels is in mm. */
    double[] inWorld(double[] voxels) {
        return Affine3.product(moving.grid().world(), Affine3.product(voxels, Affine3.inverse(fixed.grid().world())));
    }
}
