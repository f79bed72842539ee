package endorama.plugin;

import endorama.core.mutual.MutualOutcome;
import endorama.core.mutual.MutualRow;
import endorama.core.mutual.MutualTable;
import ij.ImagePlus;
import ij.measure.ResultsTable;
import java.util.ArrayList;
import java.util.List;

/** The results of registration by mutual information. */
public final class MutualOutput {
    private final ImagePlus image;
    private final MutualOutcome outcome;

    MutualOutput(ImagePlus image, MutualOutcome outcome) {
        this.image = image;
        this.outcome = outcome;
    }

    /** The registered image, or the picture of both; null if only transforms were asked for, or nothing was found. */
    public ImagePlus image() {
        return image;
    }

    /** One row a registered image or volume. */
    public ResultsTable table() {
        List<List<Object>> cells = new ArrayList<List<Object>>();
        for (MutualRow row : outcome.rows()) {
            cells.add(MutualTable.cells(row));
        }
        return Tables.table(MutualTable.COLUMNS, cells);
    }

    public MutualOutcome result() {
        return outcome;
    }
}
