package endorama.plugin;

import endorama.core.common.Progress;
import endorama.core.mosaic.Sweep;
import endorama.core.options.Commands;
import endorama.core.options.OptionValues;
import ij.IJ;
import ij.ImagePlus;
import ij.measure.ResultsTable;
import java.io.IOException;

/** Plugins &gt; Endorama &gt; Mosaic Parameter Sweep... */
public final class SweepCommand extends StackCommand {
    public SweepCommand() {
        super(Commands.SWEEP, 2);
    }

    /** Runs a sweep for scripts: shows nothing, saves what the options ask for. */
    public static ResultsTable exec(ImagePlus image, String options) throws IOException {
        OptionValues values = Commands.SWEEP.parseMacro(options);
        SavedFiles files = new SavedFiles(values);
        Sweep sweep = sweep(new StackSource(image, 2).chosen(values), values, Progress.NONE);
        save(sweep, files);
        return Tables.table(sweep.table(), sweep.rows());
    }

    @Override
    void execute(ImagePlus image, StackSource source, OptionValues values) throws IOException {
        SavedFiles files = new SavedFiles(values);
        ImageJProgress progress = new ImageJProgress("Sweep");
        Sweep sweep = sweep(source, values, progress);
        Tables.table(sweep.table(), sweep.rows()).show(Images.title(image, "sweep"));
        if (IJ.getInstance() != null) {
            SweepPlot.draw(sweep, "quality", image.getTitle()).show();
            SweepPlot.draw(sweep, "time_ms", image.getTitle()).show();
        }
        if (sweep.best() != null) {
            IJ.log(image.getTitle() + ": " + sweep.best());
        }
        progress.finish(sweep.rows().size() + " combinations" + (sweep.cancelled() ? ", stopped" : "")
                + (sweep.best() == null ? "" : "; " + sweep.best()));
        save(sweep, files);
    }

    private static Sweep sweep(StackSource source, OptionValues values, Progress progress) throws IOException {
        return Sweep.run(source, values.getText("ranges"), parameters(source, values), progress);
    }

    /** Saves the table, unless nothing was done before Escape: an earlier table is worth more. */
    private static void save(Sweep sweep, SavedFiles files) throws IOException {
        if (!sweep.cancelled() || sweep.measured()) {
            files.save("table", sweep::write).finish();
        }
    }
}
