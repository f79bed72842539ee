package endorama.cli;

import endorama.core.frames.FrameSource;
import endorama.core.mosaic.FrameTable;
import endorama.core.mosaic.Links;
import endorama.core.mosaic.MosaicResult;
import endorama.core.mosaic.MosaicSession;
import endorama.core.options.MosaicParameters;
import endorama.core.options.Option;
import endorama.core.paint.Panorama;
import endorama.core.transforms.TransformsFile;
import endorama.core.zarr.OmeZarr;
import endorama.picture.CameraPath;
import endorama.picture.PathFiles;
import endorama.report.Report;
import ij.gui.Overlay;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import picocli.CommandLine.Model.OptionSpec;

/** Makes a panorama from frames. */
final class MosaicTask extends Task {
    private static final Option JOBS = Option.integer("Jobs", 1, 1, 64).help("Panoramas made at the same time.");
    private static final List<String> OUTPUTS = Arrays.asList("output", "transforms", "table", "json", "rois",
            "overlay", "film", "report", "plot");
    /** Options whose files need a painted panorama. */
    private static final List<String> PICTURES = Arrays.asList("output", "rois", "overlay", "film", "report");
    private static final List<String> SINGLE = Arrays.asList("input", Links.KEY, "transforms", "table", "json", "rois",
            "overlay", "film", "report", "plot");

    MosaicTask() {
        super("mosaic", null);
    }

    @Override
    List<OptionSpec> files() {
        return Arrays.asList(
                input(false),
                file("output", "IMAGE|FOLDER", false, "The panorama: .png, .tif, .ome.tif or .ome.zarr; none where only"
                        + " tables are asked for. With --batch: the folder for all."),
                file("json", "FILE", false, "Where to save transforms, options, version and back end as JSON."),
                plot(),
                file("options", "RUN.json", false, "Take the options of a run that was saved with --json; what the command"
                        + " line says goes before."),
                mask(),
                file("batch", "FOLDER", false, "In place of --input: one panorama of each sub-folder, stack and video in"
                        + " it, with transforms, table and report, and summary.csv of all."),
                file("jobs", "N", false, "With --batch: panoramas made at the same time, which share the processors ("
                        + JOBS.allowed() + ", default 1)."),
                flag("resume", "With --batch: leave out what summary.csv says is done with the same options."));
    }

    /** The option for curves by frame. */
    static OptionSpec plot() {
        return file("plot", "IMAGE", false, "Where to save curves by frame: quality, and place (.png); those of further panoramas"
                + " beside it.");
    }

    @Override
    boolean leftOut(String key) {
        return key.equals("curve") || key.equals("zarr");
    }

    @Override
    int run(Arguments arguments, Console console) throws IOException {
        if (arguments.file("batch") != null) {
            return batch(arguments, console);
        }
        check(arguments);
        checkPng(arguments, "plot");
        PathFiles.checkNames(arguments.values());
        Outputs outputs = arguments.outputs(console);
        FrameSource source = arguments.input();
        MosaicParameters parameters = arguments.parameters(source)
                .withScratch(ImageFiles.scratch(outputs.file("output")));
        parameters = needsPicture(outputs) ? parameters : parameters.withoutPicture();
        try (MosaicResult result = new MosaicSession(source, parameters, console)
                .links(Links.of(arguments.values())).run()) {
            return finish(result, parameters, source, arguments.file("input").getName(), outputs, console);
        }
    }

    /** Curves by frame; of further panoramas to files beside the first. */
    private static void writePlots(MosaicResult result, Outputs outputs) {
        boolean is = !result.rows().isEmpty();
        for (int component = 1; is && (component == 1 || component <= result.panoramas().size()); component++) {
            int number = component;
            is = outputs.writeOf("plot", component, file -> ImageFiles.writePng(file, FramePlot.draw(result, number)));
        }
    }

    /** A painted panorama is asked for. */
    static boolean needsPicture(Outputs outputs) {
        boolean any = false;
        for (String picture : PICTURES) {
            any |= outputs.file(picture) != null;
        }
        return any;
    }

    private static void check(Arguments arguments) {
        if (arguments.file("input") == null) {
            throw new IllegalArgumentException("--input: missing; give a folder, a stack or a video, or --batch FOLDER");
        }
        boolean any = false;
        for (String output : OUTPUTS) {
            any |= arguments.file(output) != null;
        }
        if (!any) {
            throw new IllegalArgumentException("--output: missing; give a panorama to write, or at least --transforms");
        }
        if (arguments.file("output") != null) {
            ImageFiles.checkName(arguments.file("output"));
        }
        for (String only : new String[] {"jobs", "resume"}) {
            if (arguments.isGiven(only)) {
                throw new IllegalArgumentException("--" + only + ": goes with --batch FOLDER alone");
            }
        }
    }

    static void checkPng(Arguments arguments, String name) {
        File file = arguments.file(name);
        if (file != null && !file.getName().toLowerCase(Locale.ROOT).endsWith(".png")) {
            throw new IllegalArgumentException("--" + name + " " + file + ": must end in .png");
        }
    }

    private static int batch(Arguments arguments, Console console) throws IOException {
        for (String single : SINGLE) {
            if (arguments.file(single) != null) {
                throw new IllegalArgumentException("--" + single + ": does not go with --batch, in which every panorama"
                        + " has files of its own");
            }
        }
        if (arguments.file("output") == null) {
            throw new IllegalArgumentException("--output: missing; give a folder for the panoramas");
        }
        File jobs = arguments.file("jobs");
        long n = (Long) JOBS.parse(jobs == null ? "1" : jobs.getPath());
        return new MosaicBatch(arguments, arguments.file("batch"), arguments.file("output"), (int) n, console)
                .run(arguments.flag("resume"));
    }

    /** Writes and prints the results of a sequence of a name, whatever ended the run, and returns the exit code. */
    static int finish(MosaicResult result, MosaicParameters parameters, FrameSource source, String name, Outputs outputs,
            Console console) {
        if (result.cancelled() && result.registered() < 2) {
            // Earlier results are worth more than an empty file.
            console.log("interrupted before a frame was registered; nothing is written");
            return Main.INTERRUPTED;
        }
        boolean outlines = Boolean.TRUE.equals(parameters.options().get("outlines"));
        IntFunction<Overlay> overlays = k -> CameraPath.of(result, k, source.width(), source.height(), outlines);
        OmeZarr zarr = ImageFiles.zarr(parameters, source);
        boolean written = write(result, parameters, source, overlays, zarr, outputs);
        writePlots(result, outputs);
        writePaths(PathFiles.of(result, source.width(), source.height()), outputs);
        print(result, written ? outputs.file("output") : null, console);
        writePanoramas(result, overlays, zarr, written, outputs, console);
        outputs.write("report", new Report(result, source, name, parameters.options())::write);
        console.print("verdict     " + result.verdict());
        return outputs.code(code(result, console));
    }

    private static int code(MosaicResult result, Console console) {
        if (result.failure() != null) {
            return console.report(result.failure());
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

    /** Writes the outputs; true if there is a panorama and it was written. */
    private static boolean write(MosaicResult result, MosaicParameters parameters, FrameSource source,
            IntFunction<Overlay> overlays, OmeZarr zarr, Outputs outputs) {
        // Called before anything is written, so that the results of an interrupted run are still written.
        outputs.stopped();
        // The small files come first: they fit onto a disk that the panorama would fill.
        outputs.write("transforms", file -> TransformsFile.write(file, result.saved().of(source), parameters,
                result.backend()));
        outputs.write("table", file -> FrameTable.of(result.rows(), result.width(), result.height())
                .write(file, result.allRows()));
        outputs.write("json", file -> TransformsFile.writeJson(file, result.saved(), parameters.options(),
                result.backend()));
        if (result.panorama() != null) {
            outputs.announce(result.panorama(), outputs.file("output"));
        }
        boolean written = result.panorama() != null && outputs.write("output", file -> ImageFiles.write(file,
                result.panorama(), overlays.apply(1), zarr, outputs.stopped()));
        if (written) {
            outputs.writeExtras(result.panorama(), "");
        }
        return written;
    }

    private static void writePaths(List<PathFiles> paths, Outputs outputs) {
        for (PathFiles path : paths) {
            outputs.writeOf("rois", path.component(), path::writeRois);
            outputs.writeOf("overlay", path.component(), path::writePicture);
            outputs.writeOf("film", path.component(), path::writeFilm);
        }
    }

    /** Writes the further panoramas of several connected components to files beside the output, where the largest is. */
    private static void writePanoramas(MosaicResult result, IntFunction<Overlay> overlays, OmeZarr zarr, boolean written,
            Outputs outputs, Console console) {
        for (int component = 1; component <= result.panoramas().size() && result.panoramas().size() > 1
                && outputs.file("output") != null; component++) {
            Panorama panorama = result.panoramas().get(component - 1);
            int number = component;
            File file = panorama == null ? null : number == 1 ? written ? outputs.file("output") : null
                    : outputs.writeBeside("output", "-" + component,
                            one -> ImageFiles.write(one, panorama, overlays.apply(number), zarr, outputs.stopped()));
            console.print("panorama " + component + "  " + result.framesOf(component) + " frames"
                    + (panorama == null ? "" : ", " + panorama.width() + " x " + panorama.height() + " px") + ": "
                    + (file == null ? "not written" : file));
            if (file != null && number > 1) {
                outputs.writeExtras(panorama, "-" + component);
            }
        }
    }

    /** Prints the summary; file: null if the panorama was not written. */
    private static void print(MosaicResult result, File file, Console console) {
        Panorama panorama = result.panorama();
        if (panorama != null) {
            console.print("panorama    " + panorama.width() + " x " + panorama.height() + " px, first frame at ("
                    + panorama.originX() + ", " + panorama.originY() + "): " + (file == null ? "not written" : file));
        }
        console.print("field       " + result.field());
        if (result.light() != null) {
            console.print("light       " + result.light());
        }
        console.print("frames      " + result.summary());
        if (result.doubted() != null) {
            console.print("doubtful    " + result.doubted());
        }
        if (result.lost() != null) {
            console.print("lost        " + result.lost());
        }
        for (String warning : result.warnings()) {
            console.print("warning     " + warning);
        }
        console.print(String.format(Locale.ROOT, "speed       %.1f frames a second, %s",
                result.rows().size() / Math.max(1e-9, result.seconds()), result.backend()));
        if (!Double.isNaN(result.meanQuality())) {
            console.print(String.format(Locale.ROOT, "quality     %.4f (mean of the pairs)", result.meanQuality()));
        }
    }
}
