package endorama.plugin;

import endorama.core.mutual.MutualOutcome;
import endorama.core.mutual.MutualRow;
import ij.ImagePlus;
import ij.measure.ResultsTable;

/** What registration by mutual information makes. */
public final class MutualOutput {
    private final ImagePlus image;
    private final MutualOutcome outcome;

    MutualOutput(ImagePlus image, MutualOutcome outcome) {
        this.image = image;
        this.outcome = outcome;
    }

    /** What was registered, or the picture of both; null if only transforms were asked for, or nothing was found. */
    public ImagePlus image() {
        return image;
    }

    /** A row for each image or volume. */
    public ResultsTable table() {
        return Tables.table(MutualRow.TABLE, outcome.rows());
    }

    public MutualOutcome result() {
        return outcome;
    }
}
