package endorama.plugin;

import endorama.core.common.OnlyStopping;
import endorama.core.common.Progress;
import endorama.core.equalize.EqualizeParameters;
import endorama.core.options.Commands;
import endorama.core.options.OptionTable;
import endorama.core.options.OptionValues;
import ij.IJ;
import ij.ImagePlus;
import ij.plugin.filter.ExtendedPlugInFilter;
import ij.plugin.filter.PlugInFilterRunner;
import ij.process.ImageProcessor;

/**
 * Plugins &gt; Endorama &gt; Adaptive Equalization... An in-place filter with preview and undo; slices of a virtual stack,
 * which would forget a change, go to a new image.
 *
 * <p>The preview runs on a thread of ImageJ's, which is interrupted when an option changes: the equalizer checks for that after
 * every band of rows.
 */
public final class AheCommand implements ExtendedPlugInFilter {
    private static final OptionTable TABLE = Commands.AHE;
    private static final int FLAGS = DOES_8G | DOES_16 | DOES_RGB | SUPPORTS_MASKING;

    private ImagePlus image;
    private Thread commandThread;
    private SliceEqualizer preview;
    private SliceEqualizer slices;
    private ImageJProgress progress;
    private volatile OptionValues previewed = TABLE.defaults();
    /** Undo of the display range; null where there is none. */
    private DisplayUndo undo;
    private boolean all;
    private boolean failed;
    private int total;
    private int done;

    /**
     * Equalizes an image itself for scripts: the current slice or, with the word {@code stack} in the options, all of them.
     * Shows nothing.
     *
     * @return the image; of a virtual stack a new one
     */
    public static ImagePlus exec(ImagePlus image, String options) {
        SliceEqualizer.check(image);
        OptionValues values = TABLE.parseMacro(options);
        boolean all = image.getStackSize() == 1 || OptionTable.meansStack(options);
        try (SliceEqualizer slices = new SliceEqualizer(image, parameters(values), all)) {
            return image.getStack().isVirtual() ? slices.toNewImage(Progress.NONE) : slices.inPlace(Progress.NONE);
        }
    }

    /** The parameters, with ImageJ's setting for 0 threads. */
    private static EqualizeParameters parameters(OptionValues values) {
        EqualizeParameters parameters = EqualizeParameters.of(values);
        return parameters.withThreads(StackCommand.threads(parameters.threads()));
    }

    @Override
    public int setup(String argument, ImagePlus current) {
        image = current;
        commandThread = Thread.currentThread();
        if (current == null) {
            IJ.noImage();
            return DONE;
        }
        try {
            SliceEqualizer.check(current);
            undo = current.getBitDepth() == 16 && !current.getStack().isVirtual() ? new DisplayUndo(current) : null;
        } catch (Throwable e) {
            Failure.report(TABLE, e);
            return DONE;
        }
        return FLAGS;
    }

    @Override
    public int showDialog(ImagePlus current, String command, PlugInFilterRunner runner) {
        try {
            preview = new SliceEqualizer(image, parameters(previewed), false);
            OptionValues values = OptionDialog.ask(TABLE, runner, changed -> previewed = changed);
            preview.close();
            int flags = values == null ? DONE : image.getStack().isVirtual() ? virtualFlags() : stackFlags();
            if ((flags & DONE) == 0) {
                slices = new SliceEqualizer(image, parameters(values), all);
                progress = new ImageJProgress("Equalization");
            }
            return flags;
        } catch (Throwable e) {
            fail(e);
            return DONE;
        }
    }

    private int stackFlags() {
        int flags = IJ.setupDialog(image, FLAGS);
        all = (flags & DOES_STACKS) != 0;
        return flags;
    }

    /** Flags for a virtual stack: ImageJ calls run() once, for the slice shown, and expects no change of it. */
    private int virtualFlags() {
        YesNoCancel answer = YesNoCancel.ofStack(image, "Its slices cannot be changed in place. Equalize all "
                + image.getStackSize() + " slices\ninto a new stack? (No: only the current slice, into a new image.)");
        all = answer == YesNoCancel.YES;
        return answer == YesNoCancel.CANCEL ? DONE : FLAGS & ~SUPPORTS_MASKING | NO_CHANGES;
    }

    @Override
    public void setNPasses(int passes) {
        if (Thread.currentThread() == commandThread) {
            total = passes;
        }
    }

    @Override
    public void run(ImageProcessor ip) {
        if (Thread.currentThread() != commandThread) {
            preview(ip);
        } else if (!failed && !progress.cancelled()) {
            try {
                equalize(ip);
            } catch (Throwable e) {
                fail(e);
            }
        }
    }

    private void equalize(ImageProcessor ip) {
        if (image.getStack().isVirtual()) {
            ImagePlus result = slices.toNewImage(progress);
            if (result != null) {
                result.show();
            }
            done = total;
        } else {
            slices.slice(ip, total == 1 ? progress : new OnlyStopping(progress));
            done++;
            progress.progress(done, total);
        }
        if (done == total || progress.cancelled()) {
            slices.close();
            slices.showWhole();
            if (undo != null && done == 1 && total == 1) {
                undo.watch();
            }
            progress.finish("");
        }
    }

    /** Equalizes the preview until ImageJ interrupts the thread, which it does when an option changes. */
    private void preview(ImageProcessor ip) {
        try {
            preview.set(parameters(previewed));
            preview.slice(ip, SliceEqualizer.INTERRUPTED);
        } catch (Throwable e) {
            IJ.showStatus("Preview: " + Failure.message(e));
        }
    }

    /** Reports a failure and unlocks the image, which ImageJ would not do where the report ends a macro. */
    private void fail(Throwable problem) {
        failed = true;
        for (SliceEqualizer open : new SliceEqualizer[] {preview, slices}) {
            if (open != null) {
                open.close();
            }
        }
        image.unlock();
        Failure.report(TABLE, problem);
    }
}
