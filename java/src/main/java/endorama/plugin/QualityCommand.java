package endorama.plugin;

import endorama.core.common.Progress;
import endorama.core.mosaic.Quality;
import endorama.core.options.Commands;
import endorama.core.options.OptionValues;
import ij.IJ;
import ij.ImagePlus;
import ij.measure.ResultsTable;
import java.io.IOException;
import java.util.Locale;

/** Plugins &gt; Endorama &gt; Mosaic Quality... */
public final class QualityCommand extends StackCommand {
    public QualityCommand() {
        super(Commands.QUALITY, 2);
    }

    /** Measures the quality for scripts: shows nothing, saves what the options ask for. */
    public static ResultsTable exec(ImagePlus image, String options) throws IOException {
        OptionValues values = Commands.QUALITY.parseMacro(options);
        SavedFiles files = new SavedFiles(values);
        Quality quality = measure(new StackSource(image, 2).chosen(values), values, Progress.NONE);
        save(quality, files);
        return Tables.table(Quality.TABLE, quality.rows());
    }

    @Override
    void execute(ImagePlus image, StackSource source, OptionValues values) throws IOException {
        SavedFiles files = new SavedFiles(values);
        ImageJProgress progress = new ImageJProgress("Quality");
        Quality quality = measure(source, values, progress);
        Tables.table(Quality.TABLE, quality.rows()).show(Images.title(image, "quality"));
        String summary = String.format(Locale.ROOT, "%s%s: mean quality %.4f of %d pairs, %d frames apart",
                quality.cancelled() ? "Stopped. " : "", image.getTitle(), quality.mean(), quality.rows().size(),
                values.getInt("distance"));
        progress.finish(summary);
        IJ.log(summary);
        save(quality, files);
    }

    private static Quality measure(StackSource source, OptionValues values, Progress progress) throws IOException {
        Quality quality = Quality.measure(source, OpenTables.transforms(values.getFile("transforms")),
                values.getInt("distance"), parameters(source, values), progress);
        if (quality.rows().isEmpty() && !quality.cancelled()) {
            throw new IllegalArgumentException("no two frames " + values.getInt("distance")
                    + " apart have transforms in " + values.getFile("transforms"));
        }
        return quality;
    }

    /** Saves the table, unless nothing was done before Escape: an earlier table is worth more. */
    private static void save(Quality quality, SavedFiles files) throws IOException {
        if (!quality.cancelled() || !quality.rows().isEmpty()) {
            files.save("table", file -> Quality.TABLE.write(file, quality.rows())).finish();
        }
    }
}
