package endorama.core.mutual;

import endorama.core.common.RunResult;
import endorama.core.frames.Frames;
import endorama.core.mutual.MutualRow.Status;
import endorama.core.volumes.Grid;
import endorama.core.volumes.Volume;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The result of registration by mutual information, complete or not: everything that was computed before it ended. */
public final class MutualOutcome extends RunResult {
    private final Volume fixed;
    private final Volume moving;
    private final boolean planar;
    private final List<MutualPair> pairs;
    private final List<MutualRow> rows;

    MutualOutcome(Volume fixed, Volume moving, boolean planar, List<MutualPair> pairs, List<MutualRow> rows,
            String backend, double seconds, boolean cancelled, RuntimeException failure) {
        super(backend, seconds, cancelled, failure);
        this.fixed = fixed;
        this.moving = moving;
        this.planar = planar;
        this.pairs = pairs;
        this.rows = Collections.unmodifiableList(new ArrayList<MutualRow>(rows));
    }

    /** One row a slice or volume, up to the last one reached. */
    public List<MutualRow> rows() {
        return rows;
    }

    /** The fixed image. */
    public Volume fixed() {
        return fixed;
    }

    /** The moving image. */
    public Volume moving() {
        return moving;
    }

    /** Slices were registered, not volumes. */
    public boolean planar() {
        return planar;
    }

    MutualPair pair(int row) {
        return pairs.get(row);
    }

    /** The grid of one resampled volume or slice, that of the fixed image. */
    public Grid grid() {
        return pairs.get(0).fixed.grid();
    }

    /** The grid of the whole output: slices registered one by one lie like those of the fixed image. */
    public Grid outputGrid() {
        Grid one = fixed.grid();
        if (!planar || one.depth == rows.size()) {
            return one;
        }
        double[] s = one.spacing();
        return rows.size() == 1 ? one.plane() : Grid.spaced(one.width, one.height, rows.size(), s[0], s[1], s[2]);
    }

    /** Number of volumes in the output, each in {@link #outputGrid}. */
    public int outputFrames() {
        return planar ? 1 : rows.size();
    }

    /** Number of registered slices or volumes. */
    public int registered() {
        int n = 0;
        for (MutualRow row : rows) {
            n += row.isRegistered() ? 1 : 0;
        }
        return n;
    }

    /** Nothing is registered. */
    public boolean isEmpty() {
        return registered() == 0;
    }

    /** No row is worth showing. */
    public boolean isBlank() {
        for (MutualRow row : rows) {
            if (row.isShown()) {
                return false;
            }
        }
        return true;
    }

    /** All slices or volumes are registered. */
    public boolean complete() {
        return registered() == pairs.size();
    }

    /** One line for people: "12 of 14 images registered; not registered: images 4-5 (low certainty)". */
    public String summary() {
        String what = planar ? "image" : "volume";
        List<String> missing = new ArrayList<String>();
        for (Status status : Status.values()) {
            String frames = Frames.ranges(rows.size(), i -> i + 1, i -> rows.get(i).status == status);
            if (status != Status.OK && !frames.isEmpty()) {
                missing.add(pairs.size() == 1 ? "" + status : frames.replace("frame", what) + " (" + status + ")");
            }
        }
        return registered() + " of " + pairs.size() + " " + what + (pairs.size() == 1 ? "" : "s") + " registered"
                + (missing.isEmpty() ? "" : (pairs.size() == 1 ? "; " : "; not registered: ") + String.join(", ", missing));
    }
}
