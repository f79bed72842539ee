package endorama.scijava;

import endorama.core.options.OptionTable;
import ij.ImagePlus;
import ij.WindowManager;
import java.io.IOException;
import org.scijava.ItemVisibility;
import org.scijava.plugin.Parameter;

/** A command that works on an image: the one that is given, or the current one. */
abstract class ImageCommand extends ScriptCommand {
    @Parameter(required = false, visibility = ItemVisibility.INVISIBLE, persist = false,
            description = "Without it the current image.")
    private ImagePlus image;

    ImageCommand(OptionTable table) {
        super(table);
    }

    abstract void execute(ImagePlus current, String line) throws IOException;

    @Override
    final void execute(String line) throws IOException {
        ImagePlus current = image != null ? image : WindowManager.getCurrentImage();
        if (current == null) {
            throw new IllegalArgumentException("image: missing; none is given, and none is open");
        }
        execute(current, line);
    }
}
