package endorama.plugin;

import endorama.core.chains.ChainResult;
import endorama.core.chains.ChainRow;
import endorama.core.common.Progress;
import endorama.core.files.Table;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.options.MosaicParameters;
import endorama.core.options.OptionTable;
import endorama.core.options.OptionValues;
import endorama.core.transforms.TransformsFile;
import ij.IJ;
import ij.ImagePlus;
import ij.ImageStack;
import ij.Prefs;
import ij.WindowManager;
import ij.plugin.PlugIn;
import java.io.IOException;
import java.util.function.IntFunction;

/** Base of the commands that work on the current image. */
abstract class StackCommand implements PlugIn {
    private final OptionTable table;
    private final int leastFrames;

    StackCommand(OptionTable table, int leastFrames) {
        this.table = table;
        this.leastFrames = leastFrames;
    }

    /** Least number of slices of the current image. */
    int leastFrames() {
        return leastFrames;
    }

    /** Does the work and shows the results; exceptions are reported. */
    abstract void execute(ImagePlus image, StackSource source, OptionValues values) throws IOException;

    @Override
    public final void run(String argument) {
        ImagePlus image = WindowManager.getCurrentImage();
        if (image == null) {
            IJ.noImage();
            return;
        }
        try {
            // Checked before the dialog: nobody should fill it in for an image that cannot be used.
            StackSource source = new StackSource(image, leastFrames());
            OptionValues values = OptionDialog.ask(table);
            if (values != null) {
                locked(image, source.chosen(values), values);
            }
        } catch (Throwable e) {
            Failure.report(table, e);
        }
    }

    private void locked(ImagePlus image, StackSource source, OptionValues values) throws IOException {
        if (!image.lockSilently()) {
            throw new IllegalArgumentException(image.getTitle() + " is in use by another command");
        }
        try {
            execute(image, source, values);
        } finally {
            image.unlock();
        }
    }

    /** The parameters, with ImageJ's setting for 0 threads, and with the selection if the field asks for it. */
    static MosaicParameters parameters(StackSource source, OptionValues values) {
        MosaicParameters parameters = MosaicParameters.of(values);
        parameters = parameters.withThreads(threads(parameters.threads()));
        return parameters.field() == MosaicParameters.Field.SELECTION
                ? parameters.withSelection(source.selection()) : parameters;
    }

    /** Number of CPU threads: as asked for, or ImageJ's own setting. */
    static int threads(int asked) {
        return asked > 0 ? asked : Math.min(256, Prefs.getThreads());
    }

    /** Aligned frames as an image with the colours, display range and calibration of the one they come from. */
    static ImagePlus aligned(ImagePlus image, String what, FrameSource frames, IntFunction<String> label, int originX,
            int originY, Progress progress) throws FrameReadException {
        ImageStack stack = Images.stack(frames, label, progress);
        ImagePlus aligned = new ImagePlus(Images.title(image, what), stack);
        Images.keepSettings(aligned, image, originX, originY);
        if (stack.getSize() == image.getStackSize()) {
            aligned.setDimensions(1, image.getNSlices(), image.getNFrames());
        }
        return aligned;
    }

    static IllegalArgumentException tooLarge(int frames, int width, int height, OutOfMemoryError e) {
        return new IllegalArgumentException("the memory does not hold the aligned stack, " + frames + " frames of " + width
                + " x " + height + "; raise it in Edit > Options > Memory & Threads, or take output=[Transforms only]; the"
                + " shell writes frame by frame", e);
    }

    /** Saves the results, unless nothing was done before Escape: earlier results are worth more. */
    static void save(ChainResult result, Table<ChainRow> table, StackSource source, OptionValues values, SavedFiles files)
            throws IOException {
        if (!result.cancelled() || !result.isEmpty()) {
            files.save("table", file -> table.write(file, result.rows()))
                    .save("transforms", file -> TransformsFile.write(file, result.saved().of(source), values.toMap(),
                            result.backend()))
                    .finish();
        }
    }

    /** Rethrows what ended a run early, after its results were kept; null: nothing did. */
    static void rethrow(RuntimeException failure) {
        if (failure != null) {
            throw failure;
        }
    }
}
