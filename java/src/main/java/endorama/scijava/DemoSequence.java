package endorama.scijava;

import endorama.core.options.Commands;
import endorama.plugin.DemoCommand;
import ij.ImagePlus;
import java.io.IOException;
import org.scijava.ItemIO;
import org.scijava.command.Command;
import org.scijava.plugin.Parameter;
import org.scijava.plugin.Plugin;

/** {@link endorama.plugin.DemoCommand} for SciJava. */
@Plugin(type = Command.class, label = "Endoscopic Demo Sequence", headless = true)
public final class DemoSequence extends ScriptCommand {
    @Parameter(type = ItemIO.OUTPUT)
    private ImagePlus result;

    public DemoSequence() {
        super(Commands.DEMO);
    }

    @Override
    void execute(String line) throws IOException {
        result = DemoCommand.exec(line);
    }
}
