package endorama.cli;

import endorama.core.files.FilePlan;
import endorama.core.mosaic.MosaicResult;
import endorama.core.mosaic.MosaicSession;
import endorama.core.options.Commands;
import endorama.core.options.MosaicParameters;
import endorama.core.transforms.DemoSequence;
import endorama.core.transforms.Drift;
import endorama.core.transforms.Transforms;
import endorama.core.transforms.TransformsFile;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.OptionSpec;

/** Renders a synthetic sequence, makes its panorama, and measures the distance from the truth. */
final class DemoTask extends Task {
    DemoTask() {
        super("demo", "Makes a synthetic sequence, its panorama, and compares that with the truth.");
    }

    @Override
    List<OptionSpec> files() {
        return Arrays.asList(
                file("output", "FOLDER", false, "Folder (made if need be) for panorama.png, transforms.csv,"
                        + " frames.csv, report.html and truth.csv (default demo)."),
                file("backend", "BACKEND", false, Commands.MOSAIC.option("backend").help() + " ("
                        + Commands.MOSAIC.option("backend").allowed() + ")"),
                file("threads", "THREADS", false, "CPU threads; 0 for every processor."));
    }

    @Override
    boolean leftOut(String key) {
        return key.equals("truth");
    }

    @Override
    int run(Arguments arguments, Console console) throws IOException {
        File folder = arguments.file("output") == null ? new File("demo") : arguments.file("output");
        if (!folder.isDirectory() && !folder.mkdir()) {
            throw new IOException(folder + ": the folder cannot be made");
        }
        MosaicParameters parameters = MosaicParameters.defaults();
        for (String key : new String[] {"backend", "threads"}) {
            if (arguments.file(key) != null) {
                parameters = parameters.with(key, arguments.file(key).getPath());
            }
        }
        Outputs outputs = new Outputs(console, new FilePlan());
        outputs.add("output", new File(folder, "panorama.png"));
        outputs.add("transforms", new File(folder, "transforms.csv"));
        outputs.add("table", new File(folder, "frames.csv"));
        outputs.add("report", new File(folder, "report.html"));
        outputs.add("truth", new File(folder, "truth.csv"));
        try (DemoSequence demo = DemoSequence.of(arguments.values())) {
            return run(demo, parameters, outputs, arguments, console);
        }
    }

    private static int run(DemoSequence demo, MosaicParameters parameters, Outputs outputs, Arguments arguments,
            Console console) throws IOException {
        DemoFrames frames = new DemoFrames(demo);
        if (!frames.render(console)) {
            console.log("interrupted before the sequence was rendered; there is no panorama");
            return Main.INTERRUPTED;
        }
        Transforms truth = demo.truth();
        outputs.write("truth", file -> TransformsFile.write(file, truth, arguments.values().toMap(), null));
        console.print(String.format(Locale.ROOT, "demo        %d frames of %d x %d px, %.1f rendered a second",
                demo.count(), demo.width(), demo.height(), frames.rate()));
        try (MosaicResult result = new MosaicSession(frames, parameters, console).run()) {
            int code = MosaicTask.finish(result, parameters, frames, "Demo sequence", outputs, console);
            if (result.registered() > 1) {
                print(Drift.of(result.saved(), truth, demo.width(), demo.height()), console);
            }
            return code;
        }
    }

    private static void print(Drift drift, Console console) {
        console.print(String.format(Locale.ROOT, "pair error  %.3f px mean, %.3f px largest, against the truth",
                drift.meanPairError(), drift.maxPairError()));
        console.print(String.format(Locale.ROOT, "drift       %.3f px RMS over the frames, %.3f px at the last",
                drift.driftRms(), drift.lastDrift()));
    }
}
