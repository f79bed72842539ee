package endorama.scijava;

import endorama.core.options.Commands;
import endorama.plugin.SweepCommand;
import ij.ImagePlus;
import ij.measure.ResultsTable;
import java.io.IOException;
import org.scijava.ItemIO;
import org.scijava.command.Command;
import org.scijava.plugin.Parameter;
import org.scijava.plugin.Plugin;

/** {@link endorama.plugin.SweepCommand} for SciJava. */
@Plugin(type = Command.class, label = "Mosaic Parameter Sweep", headless = true)
public final class Sweep extends ImageCommand {
    @Parameter(type = ItemIO.OUTPUT)
    private ResultsTable table;

    public Sweep() {
        super(Commands.SWEEP);
    }

    @Override
    void execute(ImagePlus current, String line) throws IOException {
        table = SweepCommand.exec(current, line);
    }
}
