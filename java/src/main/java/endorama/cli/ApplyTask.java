package endorama.cli;

import endorama.core.ApplyTransforms;
import endorama.core.AtomicFile;
import endorama.core.FrameReadException;
import endorama.core.FrameSource;
import endorama.core.Panorama;
import endorama.core.Transforms;
import endorama.core.TransformsFile;
import ij.ImagePlus;
import ij.ImageStack;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.OptionSpec;

/** Saved transforms on another sequence. */
final class ApplyTask extends Task {
    ApplyTask() {
        super("apply", null);
    }

    @Override
    List<OptionSpec> files() {
        List<OptionSpec> files = new ArrayList<OptionSpec>();
        files.add(input());
        files.add(file("output", "IMAGE|FOLDER", true, "The panorama (.png or .tif), or the aligned frames: a .tif"
                + " stack (held in memory), or a folder that exists, one .png a frame."));
        files.add(mask());
        return files;
    }

    @Override
    int run(Arguments arguments, Console console) throws IOException {
        boolean stack = arguments.values().isChoice("mode", "Aligned stack");
        File output = arguments.file("output");
        boolean folder = stack && output.isDirectory();
        if (!folder) {
            if (stack && !Inputs.isTiff(output)) {
                throw new IllegalArgumentException(output + ": must end in .tif, or be a folder that exists");
            }
            arguments.image("output");
        } else {
            AtomicFile.check(new File(output, "frame.png"));
        }
        Transforms transforms = TransformsFile.read(arguments.file("transforms"));
        FrameSource source = arguments.input();
        ApplyTransforms apply = new ApplyTransforms(source, transforms, arguments.parameters(source), console);
        int done = stack ? align(apply, source, output, folder) : paint(apply, output, console);
        if (stack) {
            console.print("aligned     " + done + " of " + source.count() + " frames: " + output);
        }
        if (console.cancelled()) {
            console.log("interrupted" + (done > 0 ? "; what was done is written" : "; nothing is written"));
            return Main.INTERRUPTED;
        }
        if (done == 0) {
            console.log("no frame has both a transform and pixels that can be read; nothing is written");
            return Main.NOTHING;
        }
        return Main.DONE;
    }

    private static int paint(ApplyTransforms apply, File output, Console console) throws IOException {
        Panorama panorama = apply.panorama();
        if (panorama == null) {
            return 0;
        }
        ImageFiles.write(output, panorama);
        console.print("panorama    " + panorama.width() + " x " + panorama.height() + " px, first frame at ("
                + panorama.originX() + ", " + panorama.originY() + "): " + output);
        return 1;
    }

    private static int align(ApplyTransforms apply, final FrameSource source, final File output,
            final boolean folder) throws IOException {
        final ImageStack stack = new ImageStack(source.width(), source.height());
        final IOException[] failed = new IOException[1];
        ApplyTransforms.Sink sink = new ApplyTransforms.Sink() {
            @Override
            public void frame(int frame, Object pixels) throws FrameReadException {
                if (!folder) {
                    stack.addSlice(source.label(frame), pixels);
                    return;
                }
                try {
                    File file = new File(output, String.format(Locale.ROOT, "frame%05d.png", frame + 1));
                    ImageFiles.writePng(file, ImageFiles.processor(source.type(), source.width(), source.height(),
                            pixels));
                } catch (IOException e) {
                    failed[0] = e;
                    throw new FrameReadException(e.getMessage(), e);
                }
            }
        };
        int done;
        try {
            done = apply.align(sink);
        } catch (FrameReadException e) {
            throw failed[0] == null ? e : failed[0];
        }
        if (!folder && done > 0) {
            ImageFiles.writeTiff(output, new ImagePlus(output.getName(), stack));
        }
        return done;
    }
}
