package endorama.cli;

import endorama.core.AlignedFrames;
import endorama.core.AtomicFile;
import endorama.core.ExposureParameters;
import endorama.core.ExposureResult;
import endorama.core.ExposureRow;
import endorama.core.ExposureSession;
import endorama.core.ExposureTable;
import endorama.core.FrameSource;
import endorama.core.TransformsFile;
import endorama.core.options.Commands;
import endorama.core.options.Option;
import endorama.core.options.OptionException;
import endorama.core.options.OptionValues;
import ij.ImagePlus;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.OptionSpec;

/** Aligns exposures in files. */
final class ExposuresTask extends Task {
    ExposuresTask() {
        super("exposures", null);
    }

    @Override
    List<OptionSpec> files() {
        List<OptionSpec> files = new ArrayList<OptionSpec>();
        files.add(input());
        files.add(file("output", "STACK.tif|FOLDER", false, "The aligned frames: a .tif stack, or a folder that exists,"
                + " one .png a frame. Without it only shifts are computed."));
        Option mode = Commands.EXPOSURES.option("output");
        files.add(file("mode", "MODE", false, mode.help() + " (" + mode.allowed() + ", default " + mode.fallback()
                + ")"));
        return files;
    }

    /** In a shell this is a file, and the choice is the mode, as with apply. */
    @Override
    boolean leftOut(String key) {
        return key.equals("output");
    }

    @Override
    int run(Arguments arguments, Console console) throws IOException {
        OptionValues values = mode(arguments);
        File output = arguments.file("output");
        check(output);
        File transforms = arguments.output("transforms");
        File table = arguments.output("table");
        FrameSource source = arguments.input();
        ExposureParameters parameters = ExposureParameters.of(values);
        ExposureResult result = new ExposureSession(source, parameters, console).run();
        // The small files first: a full disk must not cost the transforms.
        if (transforms != null) {
            TransformsFile.write(transforms, result.saved(), values.toMap(), result.backend());
        }
        if (table != null) {
            ExposureTable.write(table, result.rows());
        }
        print(result, console);
        if (output == null && transforms == null && table == null) {
            printRows(result, console);
        }
        if (result.failure() != null) {
            throw result.failure();
        }
        return move(result, source, parameters, output, console);
    }

    private static void check(File output) throws IOException {
        if (output != null && output.isDirectory()) {
            AtomicFile.check(new File(output, "frame.png"));
        } else if (output != null) {
            if (!Inputs.isTiff(output)) {
                throw new IllegalArgumentException(output + ": must end in .tif, or be a folder that exists");
            }
            AtomicFile.check(output);
        }
    }

    /** Writes the frames in their places, if there are any and somebody wants them. */
    private static int move(ExposureResult result, FrameSource source, ExposureParameters parameters, File output,
            Console console) throws IOException {
        if (result.registered() < 2 && !result.cancelled()) {
            console.log("no frame could be aligned with another");
            return Main.NOTHING;
        }
        boolean wanted = output != null && !parameters.transformsOnly();
        if (wanted && !result.cancelled()) {
            try (AlignedFrames frames = new AlignedFrames(source, result, parameters)) {
                write(frames, source, output, console);
            }
        }
        if (console.cancelled()) {
            console.log("interrupted" + (wanted ? "; " + output + " is not complete" : ""));
            return Main.INTERRUPTED;
        }
        return Main.DONE;
    }

    private static OptionValues mode(Arguments arguments) {
        File mode = arguments.file("mode");
        try {
            return mode == null ? arguments.values() : arguments.values().with("output", mode.getPath());
        } catch (OptionException e) {
            throw new IllegalArgumentException("mode " + mode + ": must be "
                    + Commands.EXPOSURES.option("output").allowed(), e);
        }
    }

    /** A folder keeps what was written before an interrupt, a stack is whole or not there. */
    private static void write(AlignedFrames frames, FrameSource source, File output, Console console)
            throws IOException {
        if (output.isDirectory()) {
            for (int i = 0; i < frames.count() && !console.cancelled(); i++) {
                File file = new File(output, String.format(Locale.ROOT, "frame%05d.png", i + 1));
                ImageFiles.writePng(file, ImageFiles.processor(frames.type(), frames.width(), frames.height(),
                        frames.pixels(i)));
                console.progress(i + 1, frames.count());
            }
        } else {
            try {
                ImagePlus image = new ImagePlus(output.getName(), new WrittenStack(frames, console));
                if (source instanceof TiffStack) {
                    ((TiffStack) source).giveLook(image);
                }
                image.getCalibration().xOrigin += frames.originX();
                image.getCalibration().yOrigin += frames.originY();
                ImageFiles.writeTiff(output, image);
            } catch (WrittenStack.Stopped e) {
                return;
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
        }
        if (!console.cancelled()) {
            console.print("output      " + frames.count() + " frames of " + frames.width() + " x " + frames.height()
                    + " px: " + output);
        }
    }

    private static void print(ExposureResult result, Console console) {
        console.print("aligned     " + result.summary());
        console.print("field       " + result.field().description());
        console.print(String.format(Locale.ROOT, "speed       %.1f frames a second, %s",
                result.rows().size() / Math.max(1e-9, result.seconds()), result.backend()));
    }

    private static void printRows(ExposureResult result, Console console) {
        for (ExposureRow row : result.rows()) {
            console.print(String.format(Locale.ROOT, "frame %-5d against %-5d (%.2f, %.2f) px, certainty %.2f, %s",
                    row.frame, row.reference, row.dx, row.dy, row.certainty, row.status));
        }
    }
}
