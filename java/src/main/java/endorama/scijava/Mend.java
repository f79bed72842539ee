package endorama.scijava;

import endorama.core.options.Commands;
import ij.IJ;
import java.awt.GraphicsEnvironment;
import org.scijava.command.Command;
import org.scijava.plugin.Plugin;

/** {@link endorama.plugin.MendCommand} for SciJava: opens its window for the current image. */
@Plugin(type = Command.class, label = "Mend Panorama", headless = true)
public final class Mend extends ScriptCommand {
    public Mend() {
        super(Commands.MEND);
    }

    @Override
    void execute(String line) {
        if (GraphicsEnvironment.isHeadless()) {
            throw new IllegalArgumentException("links are mended in a window, and there is no display; a table of links that was"
                    + " saved there is taken by " + Commands.MOSAIC.title() + " with links=[FILE]");
        }
        IJ.run(Commands.MEND.title(), line);
    }
}
