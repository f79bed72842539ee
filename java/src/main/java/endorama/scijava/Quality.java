package endorama.scijava;

import endorama.core.options.Commands;
import endorama.plugin.QualityCommand;
import ij.ImagePlus;
import ij.measure.ResultsTable;
import java.io.IOException;
import org.scijava.ItemIO;
import org.scijava.command.Command;
import org.scijava.plugin.Parameter;
import org.scijava.plugin.Plugin;

/** {@link endorama.plugin.QualityCommand} for SciJava. */
@Plugin(type = Command.class, label = "Mosaic Quality", headless = true)
public final class Quality extends ImageCommand {
    @Parameter(type = ItemIO.OUTPUT)
    private ResultsTable table;

    public Quality() {
        super(Commands.QUALITY);
    }

    @Override
    void execute(ImagePlus current, String line) throws IOException {
        table = QualityCommand.exec(current, line);
    }
}
