package endorama.scijava;

import endorama.core.options.Commands;
import endorama.plugin.ApplyCommand;
import ij.ImagePlus;
import java.io.IOException;
import org.scijava.ItemIO;
import org.scijava.command.Command;
import org.scijava.plugin.Parameter;
import org.scijava.plugin.Plugin;

/** {@link endorama.plugin.ApplyCommand} for SciJava. */
@Plugin(type = Command.class, label = "Apply Transforms", headless = true)
public final class Apply extends ImageCommand {
    @Parameter(type = ItemIO.OUTPUT)
    private ImagePlus result;

    public Apply() {
        super(Commands.APPLY);
    }

    @Override
    void execute(ImagePlus current, String line) throws IOException {
        result = ApplyCommand.exec(current, line);
    }
}
