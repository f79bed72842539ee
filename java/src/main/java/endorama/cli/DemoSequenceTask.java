package endorama.cli;

import endorama.core.transforms.DemoSequence;
import endorama.core.transforms.TransformsFile;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.Model.OptionSpec;

/** Writes a synthetic sequence into files. */
final class DemoSequenceTask extends Task {
    DemoSequenceTask() {
        super("demo-sequence", null);
    }

    @Override
    List<OptionSpec> files() {
        return Arrays.asList(
                file("output", "FOLDER|STACK.tif", true, "Where the frames go: a folder (made if need be), one .png"
                        + " a frame, or a .tif stack."));
    }

    @Override
    int run(Arguments arguments, Console console) throws IOException {
        File output = arguments.file("output");
        boolean stack = Inputs.isTiff(output) && !output.isDirectory();
        arguments.checkTransforms("truth", arguments.values().getInt("frames"));
        // Rendering does not check for an interrupt, and every file is written whole or not at all.
        console.endAtOnce();
        Outputs outputs = arguments.outputs(console, FrameWriter::isFrame);
        if (!stack && !output.isDirectory() && !output.mkdir()) {
            throw new IOException(output + ": the folder cannot be made");
        }
        try (DemoSequence demo = DemoSequence.of(arguments.values())) {
            int[] done = new int[1];
            outputs.write("output", file -> done[0] = FrameWriter.write(demo, file, i -> i + 1, image -> { }, console));
            boolean interrupted = console.cancelled() && done[0] < demo.count();
            if (done[0] > 0 || !interrupted) {
                outputs.write("truth", file -> TransformsFile.write(file, demo.truth(), arguments.values().toMap(),
                        null));
            }
            console.print("frames      " + done[0] + " of " + demo.count() + ", " + demo.width() + " x " + demo.height()
                    + " px: " + output);
            if (interrupted) {
                console.log("interrupted" + (stack ? "; " + output + " is not written"
                        : " after " + done[0] + " frames, which are written"));
            }
            return outputs.code(interrupted ? Main.INTERRUPTED : Main.DONE);
        }
    }
}
