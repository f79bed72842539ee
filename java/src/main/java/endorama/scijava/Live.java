package endorama.scijava;

import endorama.core.options.Commands;
import endorama.plugin.LiveCommand;
import endorama.plugin.MosaicOutput;
import ij.ImagePlus;
import java.io.IOException;
import org.scijava.ItemIO;
import org.scijava.command.Command;
import org.scijava.plugin.Parameter;
import org.scijava.plugin.Plugin;

/** {@link endorama.plugin.LiveCommand} for SciJava: registers what an image shows for some seconds. */
@Plugin(type = Command.class, label = "Live Mosaic", headless = true)
public final class Live extends ImageCommand {
    @Parameter(type = ItemIO.OUTPUT)
    private ImagePlus panorama;

    @Parameter(type = ItemIO.OUTPUT)
    private String verdict;

    public Live() {
        super(Commands.LIVE);
    }

    @Override
    void execute(ImagePlus current, String line) throws IOException {
        MosaicOutput output = LiveCommand.exec(current, line);
        panorama = output.panorama();
        verdict = output.result().verdict().toString();
    }
}
