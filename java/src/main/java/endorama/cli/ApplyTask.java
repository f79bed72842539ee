package endorama.cli;

import endorama.core.frames.FrameSource;
import endorama.core.mosaic.AppliedFrames;
import endorama.core.mosaic.ApplyTransforms;
import endorama.core.options.MosaicParameters;
import endorama.core.paint.Panorama;
import endorama.core.transforms.Transforms;
import endorama.core.transforms.TransformsFile;
import endorama.core.zarr.OmeZarr;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.Model.OptionSpec;

/** Applies saved transforms to another sequence. */
final class ApplyTask extends Task {
    ApplyTask() {
        super("apply", null);
    }

    @Override
    List<OptionSpec> files() {
        return Arrays.asList(
                input(),
                file("output", "IMAGE|FOLDER", true, "The panorama (.png, .tif or .ome.zarr), or the aligned frames: a .tif"
                        + " stack, or a folder that exists, one .png a frame."),
                mask());
    }

    @Override
    int run(Arguments arguments, Console console) throws IOException {
        boolean stack = arguments.values().isChoice("mode", "Aligned stack");
        if (stack) {
            FrameWriter.checkName(arguments.file("output"));
        } else {
            ImageFiles.checkName(arguments.file("output"));
        }
        Outputs outputs = arguments.outputs(console, stack ? FrameWriter::isFrame : null);
        Transforms transforms = TransformsFile.read(arguments.file("transforms"));
        FrameSource source = arguments.input();
        MosaicParameters parameters = arguments.parameters(source)
                .withScratch(stack ? null : ImageFiles.scratch(outputs.file("output")));
        ApplyTransforms apply = new ApplyTransforms(source, transforms, parameters, console);
        int done = stack ? align(apply, source, outputs.file("output"), console)
                : paint(apply, ImageFiles.zarr(parameters, source), outputs, console);
        if (console.cancelled()) {
            console.log("interrupted" + (done > 0 ? "; what was done is written" : "; nothing is written"));
            return Main.INTERRUPTED;
        }
        if (done == 0) {
            console.log("no frame has both a transform and pixels that can be read");
            return Main.NOTHING;
        }
        return outputs.code(Main.DONE);
    }

    private static int paint(ApplyTransforms apply, OmeZarr zarr, Outputs outputs, Console console) throws IOException {
        File output = outputs.file("output");
        try (Panorama panorama = apply.panorama()) {
            if (panorama == null) {
                return 0;
            }
            outputs.announce(panorama, output);
            ImageFiles.write(output, panorama, null, zarr, outputs.stopped());
            outputs.writeExtras(panorama, "");
            console.print("panorama    " + panorama.width() + " x " + panorama.height() + " px, first frame at ("
                    + panorama.originX() + ", " + panorama.originY() + "): " + output);
            return 1;
        }
    }

    private static int align(ApplyTransforms apply, FrameSource source, File output, Console console)
            throws IOException {
        try (AppliedFrames frames = apply.frames()) {
            int written = FrameWriter.write(frames, output, frames::number, image -> { }, console);
            int done = Math.max(0, written - frames.unreadable());
            console.print("aligned     " + done + " of " + source.count() + " frames: "
                    + (written == 0 ? "not written" : output));
            return done;
        }
    }
}
