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
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.OptionSpec;

/** Registers rotation, scale and translation of images in files. */
final class FourierTask extends AlignTask {
    FourierTask() {
        super("fourier", ChainTable.FOURIER, "nothing could be registered");
    }

    @Override
    List<OptionSpec> files() {
        return Arrays.asList(
                OptionSpec.builder("--input").type(String[].class).arity("1..2").required(true)
                        .paramLabel("FOLDER|STACK.tif|IMAGE").description("A folder or a stack, whose frames are registered"
                                + " with one another; or an image and, after it, what is registered onto it: an image of any"
                                + " size, a folder or a stack.").build(),
                output(),
                mode());
    }

    /** In a shell the other image is an input, not an option. */
    @Override
    boolean leftOut(String key) {
        return super.leftOut(key) || key.equals("onto");
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
        return finish(result, source, values, outputs, console, file -> write(result, source, parameters, file, console));
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

    @Override
    String line(ChainRow row) {
        String reference = row.reference == 0 ? "onto image" : "against " + row.reference;
        return String.format(Locale.ROOT, "frame %-5d %-13s %8.3f degrees, scale %.5f, (%.2f, %.2f) px, ncc %.3f, %s",
                row.frame, reference, row.angle, row.scale, row.dx, row.dy, row.ncc, row.status);
    }
}
