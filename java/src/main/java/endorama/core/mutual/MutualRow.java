package endorama.core.mutual;

import endorama.core.files.Table;
import endorama.core.volumes.Affine3;
import endorama.jni.MutualResult;
import java.util.Arrays;
import java.util.Locale;

/** The result for one image or volume of the moving ones. */
public final class MutualRow {
    /** The outcome of a registration. */
    public enum Status {
        /** Registered. */
        OK,
        /** A transform was found, but another one, or chance, is nearly as good. */
        LOW_CERTAINTY,
        /** The images hardly overlap at any start. */
        NO_OVERLAP,
        /** One of them has a single grey value in the overlap. */
        NO_CONTENT,
        /** Stopped before its end: the best transform so far. */
        STOPPED;

        /** The word in the table. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /** The table of these rows; times in ms. */
    public static final Table<MutualRow> TABLE = new Table<MutualRow>(
            r -> Arrays.<Object>asList(r.frame, r.status.toString(), r.isRegistered() ? 1 : 0, r.before, r.after, r.overlap,
                    r.certainty, r.shift, r.turn, r.scale, r.evaluations, r.starts, r.stop, 1000 * r.seconds, r.levels,
                    r.backend),
            "frame", "status", "registered", "before", "after", "overlap", "certainty", "shift", "turn", "scale", "evaluations",
            "starts", "stop", "time", "levels", "backend");

    private static final String[] STOPS = {"converged", "evaluations", "stopped"};

    /** Number, from 1, of the slice or volume among the moving ones. */
    public final int frame;
    /** Outcome. */
    public final Status status;
    /** The measure at the start of the search and at its result; NaN: no overlap. */
    public final double before, after;
    /** Share of the fixed voxels that fall into the moving image, 0..1. */
    public final double overlap;
    /** Certainty, 0 (none) .. 1. */
    public final double certainty;
    /** Distance of the fixed image's centre from its start by the headers, or by the centres, in the moving one, mm. */
    public final double shift;
    /** Rotation angle, degrees, 0..180. */
    public final double turn;
    /** Scale from the fixed to the moving image, mm to mm. */
    public final double scale;
    /** Number of evaluations of the measure, and of starts. */
    public final int evaluations, starts;
    /** Why the search ended. */
    public final String stop;
    /** Voxels, bins, evaluations, measure and time of each level, from the full size. */
    public final String levels;
    /** Total time, s. */
    public final double seconds;
    /** Back end, {@code cpu} or {@code cuda}. */
    public final String backend;
    private final double[] voxels;
    private final double[] world;

    MutualRow(int frame, MutualPair pair, boolean planar, MutualResult r, double seconds, String backend) {
        this.frame = frame;
        status = r.stop() == MutualResult.CANCELLED ? Status.STOPPED : Status.values()[r.status()];
        before = r.before();
        after = r.after();
        overlap = r.overlap();
        certainty = r.certainty();
        voxels = r.voxels();
        world = pair.inWorld(voxels);
        double[] found = r.world();
        shift = apart(pair.fixedSpace.centre(), pair.header(), found);
        double volume = Math.abs(Affine3.determinant(found));
        scale = planar ? Math.sqrt(volume) : Math.cbrt(volume);
        turn = turn(found);
        evaluations = r.evaluations();
        starts = r.starts();
        stop = STOPS[r.stop()];
        levels = levels(r);
        this.seconds = seconds;
        this.backend = backend;
    }

    /** Distance between the images of a point under two maps. */
    private static double apart(double[] p, double[] one, double[] other) {
        double[] a = Affine3.apply(one, p[0], p[1], p[2]);
        double[] b = Affine3.apply(other, p[0], p[1], p[2]);
        return Math.sqrt(square(a[0] - b[0]) + square(a[1] - b[1]) + square(a[2] - b[2]));
    }

    private static double square(double value) {
        return value * value;
    }

    /** Angle of the rotation nearest to the map, its axes orthogonalized one after the other. */
    private static double turn(double[] m) {
        double[][] axes = new double[3][];
        for (int i = 0; i < 3; i++) {
            axes[i] = new double[] {m[i], m[4 + i], m[8 + i]};
            for (int k = 0; k < i; k++) {
                double along = dot(axes[i], axes[k]);
                for (int j = 0; j < 3; j++) {
                    axes[i][j] -= along * axes[k][j];
                }
            }
            double length = Math.sqrt(dot(axes[i], axes[i]));
            for (int j = 0; j < 3; j++) {
                axes[i][j] /= length;
            }
        }
        double cosine = (axes[0][0] + axes[1][1] + axes[2][2] - 1) / 2;
        double sine = Math.sqrt(square(axes[0][1] - axes[1][0]) + square(axes[0][2] - axes[2][0])
                + square(axes[1][2] - axes[2][1])) / 2;
        return Math.toDegrees(Math.atan2(sine, cosine));
    }

    private static double dot(double[] a, double[] b) {
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    }

    private static String levels(MutualResult r) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < r.levels(); i++) {
            int[] size = r.levelSize(i);
            text.append(i == 0 ? "" : "; ").append(size[0]).append('x').append(size[1]).append('x').append(size[2])
                    .append(String.format(Locale.ROOT, ": %d bins %d evaluations %.5f %.1f ms", size[3],
                            r.levelEvaluations(i), r.levelMeasure(i), 1000 * r.levelSeconds(i)));
        }
        return text.toString();
    }

    /** A transform was found with certainty. */
    public boolean isRegistered() {
        return status == Status.OK;
    }

    /** A transform was found, with certainty or not, or the best one until a stop. */
    public boolean isShown() {
        return status == Status.OK || status == Status.STOPPED;
    }

    /** Fixed -&gt; moving, voxels: 16 numbers, row by row, in a new array. */
    public double[] voxels() {
        return voxels.clone();
    }

    /** Fixed -&gt; moving, mm: 16 numbers, row by row, in a new array. */
    public double[] world() {
        return world.clone();
    }
}
