package endorama.plugin;

import endorama.core.chains.ChainTable;
import endorama.core.common.Progress;
import endorama.core.engine.AlignedFrames;
import endorama.core.exposures.ExposureParameters;
import endorama.core.exposures.ExposureResult;
import endorama.core.exposures.ExposureSession;
import endorama.core.options.Commands;
import endorama.core.options.OptionValues;
import ij.ImagePlus;
import java.io.IOException;

/** Plugins &gt; Endorama &gt; Align Exposures... */
public final class ExposuresCommand extends StackCommand {
    public ExposuresCommand() {
        super(Commands.EXPOSURES, 2);
    }

    /**
     * Aligns exposures for scripts: shows nothing, saves what the options ask for.
     *
     * @param options as in a macro, "search=32 output=[Crop to common]"; may be empty
     */
    public static ExposuresOutput exec(ImagePlus image, String options) throws IOException {
        OptionValues values = Commands.EXPOSURES.parseMacro(options);
        StackSource source = new StackSource(image, 2).chosen(values);
        SavedFiles files = new SavedFiles(values, "transforms", source.count());
        ExposureResult result = new ExposureSession(source, parameters(values), Progress.NONE).run();
        save(result, ChainTable.EXPOSURES, source, values, files);
        rethrow(result.failure());
        return new ExposuresOutput(aligned(image, source, result, values, Progress.NONE), result);
    }

    @Override
    void execute(ImagePlus image, StackSource source, OptionValues values) throws IOException {
        SavedFiles files = new SavedFiles(values, "transforms", source.count());
        ImageJProgress progress = new ImageJProgress("Align exposures");
        ExposureResult result = new ExposureSession(source, parameters(values), progress).run();
        if (!result.cancelled()) {
            progress = new ImageJProgress("Move frames");
        }
        // The small table comes first: too little memory for a stack, or a full disk, must not cost the rest.
        new ExposuresOutput(null, result).table().show(Images.title(image, "shifts"));
        ImagePlus aligned;
        try {
            aligned = aligned(image, source, result, values, progress);
        } finally {
            save(result, ChainTable.EXPOSURES, source, values, files);
        }
        if (aligned != null) {
            aligned.show();
        }
        progress.finish((progress.cancelled() ? "Stopped: " : "") + result.summary());
        rethrow(result.failure());
        if (result.registered() < 2 && !result.cancelled()) {
            throw new IllegalArgumentException("no frame of " + image.getTitle() + " could be aligned with another: "
                    + result.summary());
        }
    }

    private static ExposureParameters parameters(OptionValues values) {
        ExposureParameters parameters = ExposureParameters.of(values);
        return parameters.withThreads(threads(parameters.threads()));
    }

    /** Aligned frames up to a stop; null if none are asked for, none was aligned, or it was stopped before the first. */
    private static ImagePlus aligned(ImagePlus image, StackSource source, ExposureResult result, OptionValues values,
            Progress progress) throws IOException {
        ExposureParameters parameters = parameters(values);
        if (parameters.transformsOnly() || result.registered() < 2 || result.cancelled()) {
            return null;
        }
        try (AlignedFrames frames = result.aligned(source, parameters)) {
            ImagePlus aligned = aligned(image, "aligned", frames, source::sliceLabel, frames.originX(), frames.originY(),
                    progress);
            aligned.setProperty("Info", "Endorama alignment of " + image.getTitle() + "\n" + result.summary() + "\n"
                    + result.field() + "\n" + result.backend() + "\n" + values);
            return aligned;
        } catch (OutOfMemoryError e) {
            throw tooLarge(result.rows().size(), source.width(), source.height(), e);
        }
    }
}
