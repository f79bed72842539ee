package endorama.scijava;

import endorama.core.options.OptionTable;
import ij.IJ;
import java.awt.GraphicsEnvironment;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.scijava.ItemVisibility;
import org.scijava.command.Command;
import org.scijava.plugin.Parameter;

/**
 * A command of the plugin as one of SciJava's. With options it shows nothing and gives its results as outputs; without them, on
 * a screen, it opens the command of the menu with its dialog and windows.
 */
abstract class ScriptCommand implements Command {
    private final OptionTable table;

    @Parameter(required = false, visibility = ItemVisibility.INVISIBLE, persist = false,
            description = "As in a macro, \"template=31 highlights\"; may be empty.")
    private String options;

    ScriptCommand(OptionTable table) {
        this.table = table;
    }

    /**
     * Does the work, shows nothing and sets the outputs.
     *
     * @param line options as in a macro
     */
    abstract void execute(String line) throws IOException;

    @Override
    public final void run() {
        if (options == null && !GraphicsEnvironment.isHeadless()) {
            IJ.run(table.title());
            return;
        }
        try {
            execute(options == null ? "" : options);
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }
}
