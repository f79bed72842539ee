package endorama.plugin;

import endorama.core.mutual.MutualOutcome;
import endorama.core.mutual.MutualRow;
import ij.ImagePlus;
import ij.measure.ResultsTable;

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
        return Tables.table(MutualRow.TABLE, outcome.rows());
    }

    public MutualOutcome result() {
        return outcome;
    }
}
