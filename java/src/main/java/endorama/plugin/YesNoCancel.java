package endorama.plugin;

import endorama.core.options.OptionTable;
import ij.IJ;
import ij.ImagePlus;
import ij.Macro;
import ij.gui.YesNoCancelDialog;
import ij.plugin.frame.Recorder;
import java.awt.GraphicsEnvironment;

/** The answer whether a command takes the whole stack, as IJ.setupDialog asks, where that question does not fit. */
enum YesNoCancel {
    YES, NO, CANCEL;

    /** Asks; a single image means yes, and so does the word "stack" in a macro. The answer is recorded. */
    static YesNoCancel ofStack(ImagePlus image, String question) {
        String line = Macro.getOptions();
        if (image.getStackSize() == 1) {
            return YES;
        }
        if (line != null || GraphicsEnvironment.isHeadless()) {
            return OptionTable.meansStack(line) ? YES : NO;
        }
        YesNoCancelDialog dialog = new YesNoCancelDialog(IJ.getInstance(), "Virtual Stack", image.getTitle()
                + " is a virtual stack. " + question);
        if (dialog.cancelPressed()) {
            return CANCEL;
        }
        if (Recorder.record) {
            Recorder.recordOption(dialog.yesPressed() ? "stack" : "slice");
        }
        return dialog.yesPressed() ? YES : NO;
    }
}
