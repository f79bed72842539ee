package endorama.cli;

import endorama.core.chains.ChainRow;
import endorama.core.chains.ChainTable;
import endorama.core.engine.AlignedFrames;
import endorama.core.fourier.FourierParameters;
import endorama.core.fourier.FourierResult;
import endorama.core.fourier.FourierSession;
import endorama.core.fourier.OverlaidFrames;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.options.OptionValues;
import endorama.core.transforms.TransformsFile;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.OptionSpec;

/** Registers rotation, scale and translation of images in files. */
final class FourierTask extends AlignTask {
    FourierTask() {
        super("fourier");
    }

    @Override
    List<OptionSpec> files() {
        List<OptionSpec> files = new ArrayList<OptionSpec>();
        files.add(OptionSpec.builder("--input").type(String[].class).arity("1..2").required(true)
                .paramLabel("FOLDER|STACK.tif|IMAGE").description("A folder or a stack, whose frames are registered"
                        + " with one another; or an image and, after it, what is registered onto it: an image of any size, a"
                        + " folder or a stack.").build());
        files.add(output());
        files.add(mode());
        return files;
    }

    /** In a shell the output is a file, and the choice is the option mode, like that of apply; the other image is an input. */
    @Override
    boolean leftOut(String key) {
        return key.equals("output") || key.equals("onto");
    }

    @Override
    int run(Arguments arguments, Console console) throws IOException {
        OptionValues values = withMode(arguments);
        Outputs outputs = outputs(arguments, console);
        List<File> inputs = arguments.files("input");
        FrameSource source = arguments.chosen(open(inputs.get(inputs.size() - 1)));
        FourierParameters parameters = inputs.size() == 1 ? FourierParameters.of(values)
                : FourierParameters.of(values).onto(single(inputs.get(0)), null);
        FourierResult result = new FourierSession(source, parameters, console).run();
        if (result.cancelled() && result.isEmpty()) {
            // Earlier results are worth more than an empty file.
            console.log("interrupted before a frame was registered; nothing is written");
            return Main.INTERRUPTED;
        }
        // The small files come first: they fit onto a disk that the frames would fill.
        outputs.write("transforms", file -> TransformsFile.write(file, result.saved().of(source), values.toMap(),
                result.backend()));
        outputs.write("table", file -> ChainTable.FOURIER.write(file, result.rows()));
        print(result, console, outputs.isEmpty());
        return outputs.code(result.failure() != null ? console.report(result.failure())
                : show(result, source, parameters, outputs, console));
    }

    private static FrameSource open(File file) throws FrameReadException {
        return file.isFile() && !Inputs.isTiff(file) ? ImageFiles.frame(file) : Inputs.open(file);
    }

    private static FrameSource single(File file) throws FrameReadException {
        FrameSource image = open(file);
        if (image.count() != 1) {
            throw new IllegalArgumentException(file + " has " + image.count() + " frames; the first of two inputs must"
                    + " be one image, onto which the other is registered");
        }
        return image;
    }

    /** Writes the registered frames, if there are any and they are asked for. */
    private static int show(FourierResult result, FrameSource source, FourierParameters parameters, Outputs outputs,
            Console console) {
        if (result.isEmpty()) {
            console.log("nothing could be registered");
            return Main.NOTHING;
        }
        boolean wanted = outputs.file("output") != null && !parameters.transformsOnly();
        if (wanted && !result.cancelled()) {
            outputs.write("output", file -> write(result, source, parameters, file, console));
        }
        return end(wanted, outputs, console);
    }

    private static void write(FourierResult result, FrameSource source, FourierParameters parameters, File output,
            Console console) throws IOException {
        if (parameters.overlay()) {
            try (OverlaidFrames frames = new OverlaidFrames(source, result, parameters)) {
                write(frames, source, output, console, image -> { });
            }
        } else {
            try (AlignedFrames frames = result.aligned(source, parameters.threads())) {
                write(frames, source, output, console, image -> { });
            }
        }
    }

    private static void print(FourierResult result, Console console, boolean rows) {
        console.print("registered  " + result.summary());
        console.print("field       " + result.field());
        console.print(String.format(Locale.ROOT, "speed       %.1f frames a second, %s",
                result.rows().size() / Math.max(1e-9, result.seconds()), result.backend()));
        for (ChainRow row : rows ? result.rows() : new ArrayList<ChainRow>()) {
            String reference = row.reference == 0 ? "onto image" : "against " + row.reference;
            console.print(String.format(Locale.ROOT, "frame %-5d %-13s %8.3f degrees, scale %.5f, (%.2f, %.2f) px,"
                    + " ncc %.3f, %s", row.frame, reference, row.angle, row.scale, row.dx, row.dy, row.ncc, row.status));
        }
    }
}
