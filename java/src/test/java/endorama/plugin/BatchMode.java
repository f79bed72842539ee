package endorama.plugin;

import ij.IJ;
import ij.ImagePlus;
import ij.WindowManager;
import ij.macro.Interpreter;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** ImageJ's batch mode: images that are open without windows. Added by {@link ExtendWith}, it ends after each test. */
final class BatchMode implements AfterEachCallback {
    /** Opens images in batch mode, the current one last. */
    static void open(ImagePlus current, ImagePlus... others) {
        Interpreter.batchMode = true;
        for (ImagePlus other : others) {
            Interpreter.addBatchModeImage(other);
        }
        Interpreter.addBatchModeImage(current);
        WindowManager.setTempCurrentImage(current);
    }

    /** Closes every image and resets Escape. */
    static void end() {
        WindowManager.setTempCurrentImage(null);
        while (Interpreter.getBatchModeImageCount() > 0) {
            Interpreter.removeBatchModeImage(Interpreter.getLastBatchModeImage());
        }
        Interpreter.batchMode = false;
        IJ.resetEscape();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        end();
    }
}
