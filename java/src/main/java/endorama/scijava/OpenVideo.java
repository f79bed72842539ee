package endorama.scijava;

import endorama.core.options.Commands;
import endorama.plugin.VideoCommand;
import ij.ImagePlus;
import java.io.IOException;
import org.scijava.ItemIO;
import org.scijava.command.Command;
import org.scijava.plugin.Parameter;
import org.scijava.plugin.Plugin;

/** {@link endorama.plugin.VideoCommand} for SciJava. */
@Plugin(type = Command.class, label = "Open Video", headless = true)
public final class OpenVideo extends ScriptCommand {
    @Parameter(type = ItemIO.OUTPUT)
    private ImagePlus result;

    public OpenVideo() {
        super(Commands.VIDEO);
    }

    @Override
    void execute(String line) throws IOException {
        result = VideoCommand.exec(line);
    }
}
