package endorama.cli;

import endorama.core.chains.ChainResult;
import endorama.core.chains.ChainRow;
import endorama.core.files.Table;
import endorama.core.frames.FrameSource;
import endorama.core.options.OptionValues;
import endorama.core.transforms.TransformsFile;
import ij.ImagePlus;
import java.io.File;
import java.io.IOException;
import java.util.Collections;
import java.util.Locale;
import java.util.function.Consumer;
import picocli.CommandLine.Model.OptionSpec;

/** A command that finds the transforms of the frames of a sequence, and writes the aligned frames. */
abstract class AlignTask extends Task {
    private final Table<ChainRow> table;
    private final String nothing;

    /** @param nothing the message where no frame could be aligned */
    AlignTask(String name, Table<ChainRow> table, String nothing) {
        super(name, null);
        this.table = table;
        this.nothing = nothing;
    }

    /** The line of a row, printed where no output file is given. */
    abstract String line(ChainRow row);

    /** In a shell the output is a file, and the choice is the option mode, like that of apply. */
    @Override
    boolean leftOut(String key) {
        return key.equals("output");
    }

    static OptionSpec output() {
        return file("output", "STACK.tif|FOLDER", false, "The aligned frames: a .tif stack, or a folder that exists,"
                + " one .png a frame. Without it only transforms are computed.");
    }

    /** The output files, checked before anything is computed. */
    static Outputs outputs(Arguments arguments, Console console) throws IOException {
        if (arguments.file("output") != null) {
            FrameWriter.checkName(arguments.file("output"));
        }
        return arguments.outputs(console, FrameWriter::isFrame);
    }

    /**
     * Writes aligned frames, and logs where an interrupt ended that.
     *
     * @param source where they come from: a stack's colours and calibration go over to the new one
     * @param metadata what else the image that is written is given
     */
    static void write(FrameSource frames, FrameSource source, File output, Console console, Consumer<ImagePlus> metadata)
            throws IOException {
        int written = FrameWriter.write(frames, output, i -> i + 1, image -> {
            TiffStack tiff = Inputs.tiff(source);
            if (tiff != null) {
                tiff.giveMetadata(image);
            }
            metadata.accept(image);
        }, console);
        if (written == frames.count()) {
            console.print("output      " + frames.count() + (frames.count() == 1 ? " frame of " : " frames of ")
                    + frames.width() + " x " + frames.height() + " px: " + output);
        }
    }

    /**
     * Writes the results and prints a summary; gives the exit code.
     *
     * @param moved writes the aligned frames
     */
    final int finish(ChainResult result, FrameSource source, OptionValues values, Outputs outputs, Console console,
            Outputs.Writing moved) {
        if (result.cancelled() && result.isEmpty()) {
            // Earlier results are worth more than an empty file.
            console.log("interrupted before a frame was " + result.done() + "; nothing is written");
            return Main.INTERRUPTED;
        }
        // The small files come first: they fit onto a disk that the frames would fill.
        outputs.write("transforms", file -> TransformsFile.write(file, result.saved().of(source), values.toMap(),
                result.backend()));
        outputs.write("table", file -> table.write(file, result.rows()));
        print(result, outputs.isEmpty(), console);
        return outputs.code(result.failure() != null ? console.report(result.failure())
                : move(result, values, outputs, console, moved));
    }

    private void print(ChainResult result, boolean rows, Console console) {
        console.print(String.format("%-12s", result.done()) + result.summary());
        console.print("field       " + result.field());
        console.print(String.format(Locale.ROOT, "speed       %.1f frames a second, %s",
                result.rows().size() / Math.max(1e-9, result.seconds()), result.backend()));
        for (ChainRow row : rows ? result.rows() : Collections.<ChainRow>emptyList()) {
            console.print(line(row));
        }
    }

    /** Writes the aligned frames, if there are any and they are asked for. */
    private int move(ChainResult result, OptionValues values, Outputs outputs, Console console, Outputs.Writing moved) {
        if (result.isEmpty()) {
            console.log(nothing);
            return Main.NOTHING;
        }
        boolean wanted = outputs.file("output") != null && !values.isChoice("output", "Transforms only");
        if (wanted && !result.cancelled()) {
            outputs.write("output", moved);
        }
        if (console.cancelled()) {
            console.log("interrupted" + (wanted ? "; " + outputs.file("output") + " is not complete" : ""));
            return Main.INTERRUPTED;
        }
        return Main.DONE;
    }
}
