package endorama.cli;

import endorama.core.AtomicFile;
import endorama.core.DemoSequence;
import endorama.core.FrameReadException;
import endorama.core.Transforms;
import endorama.core.TransformsFile;
import ij.ImagePlus;
import ij.VirtualStack;
import ij.process.ColorProcessor;
import ij.process.ImageProcessor;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.OptionSpec;

/** A synthetic sequence into files. */
final class DemoSequenceTask extends Task {
    DemoSequenceTask() {
        super("demo-sequence", null);
    }

    @Override
    List<OptionSpec> files() {
        List<OptionSpec> files = new ArrayList<OptionSpec>();
        files.add(file("output", "FOLDER|STACK.tif", true, "Where the frames go: a folder (made if need be), one .png"
                + " a frame, or a .tif stack."));
        return files;
    }

    @Override
    int run(Arguments arguments, Console console) throws IOException {
        File output = arguments.file("output");
        File truth = arguments.output("truth");
        boolean stack = Inputs.isTiff(output) && !output.isDirectory();
        if (stack) {
            arguments.output("output");
        } else if (!output.isDirectory() && !output.mkdir()) {
            throw new IOException(output + ": the folder cannot be made");
        } else {
            AtomicFile.check(new File(output, "frame.png"));
        }
        try (DemoSequence demo = DemoSequence.of(arguments.values())) {
            int done = stack ? writeStack(demo, output, console) : writeFolder(demo, output, console);
            if (truth != null) {
                TransformsFile.write(truth, demo.truth(), arguments.values().toMap(), null);
            }
            console.print("frames      " + done + " of " + demo.count() + ", " + demo.width() + " x " + demo.height()
                    + " px: " + output);
            if (done < demo.count()) {
                console.log("interrupted after " + done + " frames, which are written");
                return Main.INTERRUPTED;
            }
            return Main.DONE;
        }
    }

    private static int writeFolder(DemoSequence demo, File folder, Console console) throws IOException {
        int done = 0;
        for (; done < demo.count() && !console.cancelled(); done++) {
            File file = new File(folder, String.format(Locale.ROOT, "frame%05d.png", done + 1));
            ImageFiles.writePng(file, new ColorProcessor(demo.width(), demo.height(), (int[]) demo.pixels(done)));
            console.progress(done + 1, demo.count());
        }
        return done;
    }

    /** Rendered while it is written. */
    private static int writeStack(final DemoSequence demo, File file, final Console console) throws IOException {
        VirtualStack frames = new VirtualStack(demo.width(), demo.height(), demo.count()) {
            @Override
            public ImageProcessor getProcessor(int n) {
                try {
                    console.progress(n, demo.count());
                    return new ColorProcessor(demo.width(), demo.height(), (int[]) demo.pixels(n - 1));
                } catch (FrameReadException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
        frames.setBitDepth(24);
        ImageFiles.writeTiff(file, new ImagePlus(file.getName(), frames));
        return demo.count();
    }
}
