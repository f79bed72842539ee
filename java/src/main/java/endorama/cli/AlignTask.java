package endorama.cli;

import endorama.core.frames.FrameSource;
import ij.ImagePlus;
import java.io.File;
import java.io.IOException;
import java.util.function.Consumer;
import picocli.CommandLine.Model.OptionSpec;

/** A command that finds the transforms of the frames of a sequence, and writes the aligned frames. */
abstract class AlignTask extends Task {
    AlignTask(String name) {
        super(name, null);
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
            console.print("output      " + frames.count() + " frames of " + frames.width() + " x " + frames.height()
                    + " px: " + output);
        }
    }

    /** The exit code after writing. */
    static int end(boolean wanted, Outputs outputs, Console console) {
        if (console.cancelled()) {
            console.log("interrupted" + (wanted ? "; " + outputs.file("output") + " is not complete" : ""));
            return Main.INTERRUPTED;
        }
        return Main.DONE;
    }
}
