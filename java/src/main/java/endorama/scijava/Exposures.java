package endorama.scijava;

import endorama.core.options.Commands;
import endorama.plugin.ExposuresCommand;
import endorama.plugin.ExposuresOutput;
import ij.ImagePlus;
import ij.measure.ResultsTable;
import java.io.IOException;
import org.scijava.ItemIO;
import org.scijava.command.Command;
import org.scijava.plugin.Parameter;
import org.scijava.plugin.Plugin;

/** {@link endorama.plugin.ExposuresCommand} for SciJava. */
@Plugin(type = Command.class, label = "Align Exposures", headless = true)
public final class Exposures extends ImageCommand {
    @Parameter(type = ItemIO.OUTPUT)
    private ImagePlus result;

    @Parameter(type = ItemIO.OUTPUT)
    private ResultsTable table;

    public Exposures() {
        super(Commands.EXPOSURES);
    }

    @Override
    void execute(ImagePlus current, String line) throws IOException {
        ExposuresOutput output = ExposuresCommand.exec(current, line);
        result = output.aligned();
        table = output.table();
    }
}
