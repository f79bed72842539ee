package endorama.cli;

import endorama.core.chains.ChainRow;
import endorama.core.chains.ChainTable;
import endorama.core.engine.AlignedFrames;
import endorama.core.exposures.ExposureParameters;
import endorama.core.exposures.ExposureResult;
import endorama.core.exposures.ExposureSession;
import endorama.core.frames.FrameSource;
import endorama.core.options.OptionValues;
import endorama.core.transforms.TransformsFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.OptionSpec;

/** Aligns exposures in files. */
final class ExposuresTask extends AlignTask {
    ExposuresTask() {
        super("exposures");
    }

    @Override
    List<OptionSpec> files() {
        List<OptionSpec> files = new ArrayList<OptionSpec>();
        files.add(input());
        files.add(output());
        files.add(mode());
        return files;
    }

    /** In a shell the output is a file, and the choice is the option mode, like that of apply. */
    @Override
    boolean leftOut(String key) {
        return key.equals("output");
    }

    @Override
    int run(Arguments arguments, Console console) throws IOException {
        OptionValues values = withMode(arguments);
        Outputs outputs = outputs(arguments, console);
        FrameSource source = arguments.input();
        ExposureParameters parameters = ExposureParameters.of(values);
        ExposureResult result = new ExposureSession(source, parameters, console).run();
        if (result.cancelled() && result.registered() < 2) {
            // Earlier results are worth more than an empty file.
            console.log("interrupted before a frame was aligned; nothing is written");
            return Main.INTERRUPTED;
        }
        // The small files come first: they fit onto a disk that the frames would fill.
        outputs.write("transforms", file -> TransformsFile.write(file, result.saved().of(source), values.toMap(),
                result.backend()));
        outputs.write("table", file -> ChainTable.EXPOSURES.write(file, result.rows()));
        print(result, console);
        if (outputs.isEmpty()) {
            printRows(result, console);
        }
        return outputs.code(result.failure() != null ? console.report(result.failure())
                : move(result, source, parameters, outputs, console));
    }

    /** Writes the aligned frames, if there are any and they are asked for. */
    private static int move(ExposureResult result, FrameSource source, ExposureParameters parameters, Outputs outputs,
            Console console) {
        if (result.registered() < 2) {
            console.log("no frame could be aligned with another");
            return Main.NOTHING;
        }
        boolean wanted = outputs.file("output") != null && !parameters.transformsOnly();
        if (wanted && !result.cancelled()) {
            outputs.write("output", file -> {
                try (AlignedFrames frames = result.aligned(source, parameters)) {
                    write(frames, source, file, console, image -> {
                        image.getCalibration().xOrigin += frames.originX();
                        image.getCalibration().yOrigin += frames.originY();
                    });
                }
            });
        }
        return end(wanted, outputs, console);
    }

    private static void print(ExposureResult result, Console console) {
        console.print("aligned     " + result.summary());
        console.print("field       " + result.field());
        console.print(String.format(Locale.ROOT, "speed       %.1f frames a second, %s",
                result.rows().size() / Math.max(1e-9, result.seconds()), result.backend()));
    }

    private static void printRows(ExposureResult result, Console console) {
        for (ChainRow row : result.rows()) {
            console.print(String.format(Locale.ROOT, "frame %-5d against %-5d (%.2f, %.2f) px, certainty %.2f, %s",
                    row.frame, row.reference, row.dx, row.dy, row.certainty, row.status));
        }
    }
}
