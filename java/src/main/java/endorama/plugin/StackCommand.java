package endorama.plugin;

import endorama.core.options.MosaicParameters;
import endorama.core.options.OptionTable;
import endorama.core.options.OptionValues;
import ij.IJ;
import ij.ImagePlus;
import ij.Prefs;
import ij.WindowManager;
import ij.plugin.PlugIn;
import java.io.IOException;

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
        if (parameters.threads() == 0) {
            parameters = parameters.withThreads(Math.min(256, Prefs.getThreads()));
        }
        return parameters.field() == MosaicParameters.Field.SELECTION
                ? parameters.withSelection(source.selection()) : parameters;
    }

    /** Rethrows what ended a run early, after its results were kept; null: nothing did. */
    static void rethrow(RuntimeException failure) {
        if (failure != null) {
            throw failure;
        }
    }
}
