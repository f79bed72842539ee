package endorama.cli;

import endorama.core.FrameSource;
import endorama.core.FrameTable;
import endorama.core.MosaicParameters;
import endorama.core.MosaicResult;
import endorama.core.MosaicSession;
import endorama.core.Panorama;
import endorama.core.TransformsFile;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.OptionSpec;

/** From frames to a panorama. */
final class MosaicTask extends Task {
    /** Where results go; null where nobody asked. */
    static final class Outputs {
        File panorama;
        File transforms;
        File table;
        File json;
    }

    MosaicTask() {
        super("mosaic", null);
    }

    @Override
    List<OptionSpec> files() {
        List<OptionSpec> files = new ArrayList<OptionSpec>();
        files.add(input());
        files.add(file("output", "IMAGE", true, "The panorama: .png or .tif."));
        files.add(file("json", "FILE", false, "Where to save transforms, options, version and back end as JSON."));
        files.add(mask());
        return files;
    }

    @Override
    boolean leftOut(String key) {
        return key.equals("outlines");
    }

    @Override
    int run(Arguments arguments, Console console) throws IOException {
        Outputs outputs = new Outputs();
        outputs.panorama = arguments.image("output");
        outputs.transforms = arguments.output("transforms");
        outputs.table = arguments.output("table");
        outputs.json = arguments.output("json");
        FrameSource source = arguments.input();
        MosaicParameters parameters = arguments.parameters(source);
        MosaicResult result = new MosaicSession(source, parameters, console).run();
        return finish(result, parameters, outputs, console);
    }

    /** Writes and prints what there is, whatever ended the run, and returns the exit code. */
    static int finish(MosaicResult result, MosaicParameters parameters, Outputs outputs, Console console)
            throws IOException {
        write(result, parameters, outputs);
        print(result, outputs.panorama, console);
        if (result.failure() != null) {
            throw result.failure();
        }
        if (result.cancelled()) {
            console.log("interrupted after " + result.rows().size() + " frames; what was done is written");
            return Main.INTERRUPTED;
        }
        if (result.registered() < 2) {
            console.log("no frame could be registered with another");
            return Main.NOTHING;
        }
        return Main.DONE;
    }

    private static void write(MosaicResult result, MosaicParameters parameters, Outputs outputs) throws IOException {
        // The small files first: a full disk must not cost the transforms.
        if (outputs.transforms != null) {
            TransformsFile.write(outputs.transforms, result.saved(), parameters, result.backend());
        }
        if (outputs.table != null) {
            FrameTable.write(outputs.table, result.rows());
        }
        if (outputs.json != null) {
            TransformsFile.writeJson(outputs.json, result.saved(), parameters.options(), result.backend());
        }
        if (result.panorama() != null) {
            ImageFiles.write(outputs.panorama, result.panorama());
        }
    }

    private static void print(MosaicResult result, File file, Console console) {
        Panorama panorama = result.panorama();
        if (panorama != null) {
            console.print("panorama    " + panorama.width() + " x " + panorama.height() + " px, first frame at ("
                    + panorama.originX() + ", " + panorama.originY() + "): " + file);
        }
        console.print("field       " + result.field().description());
        console.print("frames      " + result.registered() + " of " + result.rows().size() + " registered");
        console.print(String.format(Locale.ROOT, "speed       %.1f frames a second, %s",
                result.rows().size() / Math.max(1e-9, result.seconds()), result.backend()));
        console.print(String.format(Locale.ROOT, "quality     %.4f (mean of the pairs)", result.meanQuality()));
    }
}
