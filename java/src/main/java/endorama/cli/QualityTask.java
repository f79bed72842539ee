package endorama.cli;

import endorama.core.frames.FrameSource;
import endorama.core.mosaic.Quality;
import endorama.core.transforms.Transforms;
import endorama.core.transforms.TransformsFile;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.OptionSpec;

/** Measures how well saved transforms fit. */
final class QualityTask extends Task {
    QualityTask() {
        super("quality", null);
    }

    @Override
    List<OptionSpec> files() {
        return Arrays.asList(input(), mask());
    }

    @Override
    int run(Arguments arguments, Console console) throws IOException {
        Outputs outputs = arguments.outputs(console);
        Transforms transforms = TransformsFile.read(arguments.file("transforms"));
        FrameSource source = arguments.input();
        int distance = arguments.values().getInt("distance");
        Quality quality = Quality.measure(source, transforms, distance, arguments.parameters(source), console);
        if (quality.cancelled() && quality.rows().isEmpty()) {
            console.log("interrupted before anything was measured; nothing is written");
            return Main.INTERRUPTED;
        }
        outputs.write("table", file -> Quality.TABLE.write(file, quality.rows()));
        console.print(String.format(Locale.ROOT, "quality     %.4f (mean of %d pairs, %d apart)", quality.mean(),
                quality.rows().size(), distance));
        return outputs.code(code(quality, distance, console));
    }

    private static int code(Quality quality, int distance, Console console) {
        if (quality.cancelled()) {
            console.log("interrupted after " + quality.rows().size() + " pairs");
            return Main.INTERRUPTED;
        }
        if (Double.isNaN(quality.mean())) {
            console.log("no two frames " + distance + " apart could be compared: both need a transform, and to"
                    + " overlap");
            return Main.NOTHING;
        }
        return Main.DONE;
    }
}
