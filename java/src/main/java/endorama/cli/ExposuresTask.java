package endorama.cli;

import endorama.core.chains.ChainRow;
import endorama.core.chains.ChainTable;
import endorama.core.engine.AlignedFrames;
import endorama.core.exposures.ExposureParameters;
import endorama.core.exposures.ExposureResult;
import endorama.core.exposures.ExposureSession;
import endorama.core.frames.FrameSource;
import endorama.core.options.OptionValues;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.OptionSpec;

/** Aligns exposures in files. */
final class ExposuresTask extends AlignTask {
    ExposuresTask() {
        super("exposures", ChainTable.EXPOSURES, "no frame could be aligned with another");
    }

    @Override
    List<OptionSpec> files() {
        return Arrays.asList(input(), output(), mode());
    }

    @Override
    int run(Arguments arguments, Console console) throws IOException {
        OptionValues values = withMode(arguments);
        Outputs outputs = outputs(arguments, console);
        FrameSource source = arguments.input();
        ExposureParameters parameters = ExposureParameters.of(values);
        ExposureResult result = new ExposureSession(source, parameters, console).run();
        return finish(result, source, values, outputs, console, file -> {
            try (AlignedFrames frames = result.aligned(source, parameters)) {
                write(frames, source, file, console, image -> {
                    image.getCalibration().xOrigin += frames.originX();
                    image.getCalibration().yOrigin += frames.originY();
                });
            }
        });
    }

    @Override
    String line(ChainRow row) {
        return String.format(Locale.ROOT, "frame %-5d against %-5d (%.2f, %.2f) px, certainty %.2f, %s", row.frame,
                row.reference, row.dx, row.dy, row.certainty, row.status);
    }
}
