package endorama.scijava;

import endorama.core.options.Commands;
import endorama.plugin.MosaicCommand;
import endorama.plugin.MosaicOutput;
import ij.ImagePlus;
import ij.measure.ResultsTable;
import java.io.IOException;
import org.scijava.ItemIO;
import org.scijava.command.Command;
import org.scijava.plugin.Parameter;
import org.scijava.plugin.Plugin;

/** {@link endorama.plugin.MosaicCommand} for SciJava. */
@Plugin(type = Command.class, label = "Mosaic Endoscopic Sequence", headless = true)
public final class Mosaic extends ImageCommand {
    @Parameter(type = ItemIO.OUTPUT)
    private ImagePlus panorama;

    @Parameter(type = ItemIO.OUTPUT)
    private ResultsTable frames;

    @Parameter(type = ItemIO.OUTPUT)
    private ResultsTable transforms;

    @Parameter(type = ItemIO.OUTPUT)
    private String verdict;

    public Mosaic() {
        super(Commands.MOSAIC);
    }

    @Override
    void execute(ImagePlus current, String line) throws IOException {
        MosaicOutput output = MosaicCommand.exec(current, line);
        panorama = output.panorama();
        frames = output.frames();
        transforms = output.transforms();
        verdict = output.result().verdict().toString();
    }
}
