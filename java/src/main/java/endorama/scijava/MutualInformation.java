package endorama.scijava;

import endorama.core.options.Commands;
import endorama.plugin.MutualCommand;
import endorama.plugin.MutualOutput;
import ij.ImagePlus;
import ij.measure.ResultsTable;
import java.io.IOException;
import org.scijava.ItemIO;
import org.scijava.ItemVisibility;
import org.scijava.command.Command;
import org.scijava.plugin.Parameter;
import org.scijava.plugin.Plugin;

/** {@link endorama.plugin.MutualCommand} for SciJava. */
@Plugin(type = Command.class, label = "Register by Mutual Information", headless = true)
public final class MutualInformation extends ImageCommand {
    @Parameter(required = false, visibility = ItemVisibility.INVISIBLE, persist = false,
            description = "In place of an open image that the options name.")
    private ImagePlus fixed;

    @Parameter(type = ItemIO.OUTPUT)
    private ImagePlus result;

    @Parameter(type = ItemIO.OUTPUT)
    private ResultsTable table;

    public MutualInformation() {
        super(Commands.MUTUAL);
    }

    @Override
    void execute(ImagePlus current, String line) throws IOException {
        MutualOutput output = fixed == null ? MutualCommand.exec(current, line) : MutualCommand.exec(current, fixed, line);
        result = output.image();
        table = output.table();
    }
}
