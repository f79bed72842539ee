package endorama.core.chains;

import endorama.core.files.Table;
import java.util.Arrays;

/** The tables of exposures and of Fourier registration. */
public final class ChainTable {
    /** The table of exposures. */
    public static final Table<ChainRow> EXPOSURES = new Table<ChainRow>(
            r -> Arrays.<Object>asList(r.frame, r.reference, r.dx, r.dy, r.x, r.y, r.peak, r.certainty, r.mismatch, r.usable,
                    r.predicted ? 1 : 0, r.status.toString(), r.registered ? 1 : 0, r.backend),
            "frame", "reference", "dx", "dy", "x", "y", "peak", "certainty", "mismatch", "usable", "predicted", "status",
            "registered", "backend");
    /** The table of Fourier registration. */
    public static final Table<ChainRow> FOURIER = new Table<ChainRow>(
            r -> Arrays.<Object>asList(r.frame, r.reference, r.angle, r.scale, r.dx, r.dy, r.peak, r.ratio, r.overlap, r.ncc,
                    r.status.toString(), r.registered ? 1 : 0, r.backend),
            "frame", "reference", "angle", "scale", "dx", "dy", "peak", "ratio", "overlap", "ncc", "status", "registered",
            "backend");

    private ChainTable() {
    }
}
