package endorama.plugin;

import endorama.core.chains.ChainTable;
import endorama.core.common.Progress;
import endorama.core.engine.AlignedFrames;
import endorama.core.exposures.ExposureParameters;
import endorama.core.exposures.ExposureResult;
import endorama.core.exposures.ExposureSession;
import endorama.core.options.Commands;
import endorama.core.options.OptionValues;
import endorama.core.transforms.TransformsFile;
import ij.ImagePlus;
import ij.ImageStack;
import ij.Prefs;
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
        save(result, source, values, files);
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
            save(result, source, values, files);
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
        return parameters.threads() == 0 ? parameters.withThreads(Math.min(256, Prefs.getThreads())) : parameters;
    }

    /** Aligned frames up to a stop; null if none are asked for, none was aligned, or it was stopped before the first. */
    private static ImagePlus aligned(ImagePlus image, StackSource source, ExposureResult result, OptionValues values,
            Progress progress) throws IOException {
        ExposureParameters parameters = parameters(values);
        if (parameters.transformsOnly() || result.registered() < 2 || result.cancelled()) {
            return null;
        }
        try (AlignedFrames frames = result.aligned(source, parameters)) {
            ImageStack stack = new ImageStack(frames.width(), frames.height());
            for (int i = 0; i < frames.count() && (i == 0 || !progress.cancelled()); i++) {
                stack.addSlice(source.sliceLabel(i),
                        Images.processor(frames.pixels(i), frames.width(), frames.height()));
                progress.progress(i + 1, frames.count());
            }
            ImagePlus aligned = new ImagePlus(Images.title(image, "aligned"), stack);
            Images.keepSettings(aligned, image, frames.originX(), frames.originY());
            if (stack.getSize() == image.getStackSize()) {
                aligned.setDimensions(1, image.getNSlices(), image.getNFrames());
            }
            aligned.setProperty("Info", "Endorama alignment of " + image.getTitle() + "\n" + result.summary() + "\n"
                    + result.field() + "\n" + result.backend() + "\n" + values);
            return aligned;
        } catch (OutOfMemoryError e) {
            throw new IllegalArgumentException("the memory does not hold the aligned stack, " + result.rows().size()
                    + " frames of " + source.width() + " x " + source.height() + "; raise it in Edit > Options > Memory"
                    + " & Threads, or take output=[Transforms only]; the shell writes frame by frame", e);
        }
    }

    /** Saves the results, unless nothing was done before Escape: earlier results are worth more. */
    private static void save(ExposureResult result, StackSource source, OptionValues values, SavedFiles files)
            throws IOException {
        if (!result.cancelled() || result.registered() > 1) {
            files.save("table", file -> ChainTable.EXPOSURES.write(file, result.rows()))
                    .save("transforms", file -> TransformsFile.write(file, result.saved().of(source), values.toMap(),
                            result.backend()))
                    .finish();
        }
    }
}
