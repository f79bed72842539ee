package endorama.scijava;

import endorama.core.options.Commands;
import endorama.plugin.AheCommand;
import ij.ImagePlus;
import org.scijava.ItemIO;
import org.scijava.command.Command;
import org.scijava.plugin.Parameter;
import org.scijava.plugin.Plugin;

/** {@link endorama.plugin.AheCommand} for SciJava. */
@Plugin(type = Command.class, label = "Adaptive Equalization", headless = true)
public final class Equalize extends ImageCommand {
    @Parameter(type = ItemIO.OUTPUT)
    private ImagePlus result;

    public Equalize() {
        super(Commands.AHE);
    }

    @Override
    void execute(ImagePlus current, String line) {
        result = AheCommand.exec(current, line);
    }
}
