package endorama.scijava;

import endorama.core.options.Commands;
import endorama.plugin.FourierCommand;
import endorama.plugin.FourierOutput;
import ij.ImagePlus;
import ij.measure.ResultsTable;
import java.io.IOException;
import org.scijava.ItemIO;
import org.scijava.ItemVisibility;
import org.scijava.command.Command;
import org.scijava.plugin.Parameter;
import org.scijava.plugin.Plugin;

/** {@link endorama.plugin.FourierCommand} for SciJava. */
@Plugin(type = Command.class, label = "Register Rotation and Scale", headless = true)
public final class RotationAndScale extends ImageCommand {
    @Parameter(required = false, visibility = ItemVisibility.INVISIBLE, persist = false,
            description = "In place of an open image that the options name.")
    private ImagePlus onto;

    @Parameter(type = ItemIO.OUTPUT)
    private ImagePlus result;

    @Parameter(type = ItemIO.OUTPUT)
    private ResultsTable table;

    public RotationAndScale() {
        super(Commands.FOURIER);
    }

    @Override
    void execute(ImagePlus current, String line) throws IOException {
        FourierOutput output = onto == null ? FourierCommand.exec(current, line) : FourierCommand.exec(current, onto, line);
        result = output.image();
        table = output.table();
    }
}
