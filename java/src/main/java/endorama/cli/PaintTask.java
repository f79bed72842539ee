package endorama.cli;

import endorama.core.frames.FrameSource;
import endorama.core.mosaic.Links;
import endorama.core.mosaic.MosaicResult;
import endorama.core.mosaic.MosaicSession;
import endorama.core.mosaic.StageFile;
import endorama.core.options.MosaicParameters;
import endorama.picture.PathFiles;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine.Model.OptionSpec;

/** The last stage of a mosaic: reads the frames again and paints them in their poses. */
final class PaintTask extends Task {
    PaintTask() {
        super("paint", "Last stage of a mosaic: paints the frames in the poses of solve. Options that are not given are"
                + " those of register.");
    }

    @Override
    List<OptionSpec> files() {
        return Arrays.asList(
                input(),
                file("places", "FILE.json", true, "What solve wrote."),
                file("output", "IMAGE", true, "The panorama: .png, .tif, .ome.tif or .ome.zarr."),
                file("json", "FILE", false, "Where to save transforms, options, version and back end as JSON."),
                MosaicTask.plot(),
                mask());
    }

    @Override
    List<String> read() {
        return Collections.singletonList("places");
    }

    @Override
    String saved() {
        return "places";
    }

    @Override
    boolean leftOut(String key) {
        return key.equals("curve") || key.equals("zarr") || key.equals(Links.KEY);
    }

    @Override
    int run(Arguments arguments, Console console) throws IOException {
        ImageFiles.checkName(arguments.file("output"));
        MosaicTask.checkPng(arguments, "plot");
        PathFiles.checkNames(arguments.values());
        Outputs outputs = arguments.outputs(console);
        StageFile file = StageFile.read(arguments.file("places"), StageFile.POSES);
        FrameSource source = arguments.input();
        file.check(source);
        MosaicParameters parameters = arguments.parameters(source)
                .withScratch(ImageFiles.scratch(outputs.file("output")));
        file.check(parameters);
        try (MosaicResult result = new MosaicSession(source, parameters, console).painting(file).run()) {
            return MosaicTask.finish(result, parameters, source, arguments.file("input").getName(), outputs, console);
        }
    }
}
