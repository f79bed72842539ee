package endorama.cli;

import endorama.core.mutual.MutualOutcome;
import endorama.core.mutual.MutualParameters;
import endorama.core.mutual.MutualPicture;
import endorama.core.mutual.MutualRow;
import endorama.core.mutual.MutualSession;
import endorama.core.mutual.MutualTransforms;
import endorama.core.mutual.RegisteredVolumes;
import endorama.core.options.OptionValues;
import endorama.core.volumes.Volume;
import ij.process.ColorProcessor;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.OptionSpec;

/** Registers an image or a volume in files onto another one by mutual information. */
final class MutualTask extends Task {
    private static final String VOLUME = "VOLUME.nii[.gz]|STACK.tif|IMAGE|FOLDER";

    MutualTask() {
        super("mutual", null);
    }

    @Override
    List<OptionSpec> files() {
        return Arrays.asList(
                file("fixed", VOLUME, true, "What is registered onto, and in whose grid the result lies: NIfTI, TIFF, a"
                        + " folder of slices, or anything else that ImageJ opens."),
                file("moving", VOLUME, true, "What is registered: one image or volume, or a series of them."),
                file("output", "OUT.tif|.nii|.nii.gz|.png", false, "The moving image in the grid of the fixed one, by the"
                        + " name. Without it only what else is asked for is written."),
                file("overlay", "PICTURE.png", false, "The middle slices of both over one another, before and after, and"
                        + " as a checkerboard."),
                file("mask", "IMAGE", false, "Of the fixed image's size (or one slice for all): only voxels where it is"
                        + " above 0 are compared."),
                mode());
    }

    /** In a shell the images are files, and the choice of the output is the option mode. */
    @Override
    boolean leftOut(String key) {
        return key.equals("output") || key.equals("fixed") || key.equals("mask");
    }

    @Override
    int run(Arguments arguments, Console console) throws IOException {
        OptionValues values = withMode(arguments);
        MutualParameters parameters = MutualParameters.of(values);
        checkNames(arguments, parameters);
        Outputs outputs = arguments.outputs(console);
        Volume fixed = VolumeFiles.read(arguments.file("fixed"));
        Volume moving = VolumeFiles.read(arguments.file("moving"));
        File mask = arguments.file("mask");
        parameters = mask == null ? parameters : parameters.withMask(VolumeFiles.read(mask).images());
        checkTransforms(outputs.file("transforms"), fixed, moving, parameters);
        MutualOutcome outcome = new MutualSession(fixed, moving, parameters, console).run();
        if (outcome.rows().isEmpty()) {
            // Earlier results are worth more than an empty file.
            console.log("interrupted before anything was registered; nothing is written");
            return Main.INTERRUPTED;
        }
        outputs.write("transforms", file -> MutualTransforms.write(file, outcome, values.toMap()));
        outputs.write("table", file -> MutualRow.TABLE.write(file, outcome.rows()));
        print(outcome, console);
        return outputs.code(outcome.failure() != null ? console.report(outcome.failure())
                : show(outcome, parameters, outputs, arguments.file("fixed"), console));
    }

    private static void checkNames(Arguments arguments, MutualParameters parameters) {
        File output = arguments.file("output");
        File overlay = arguments.file("overlay");
        if (output != null && !parameters.overlay()) {
            VolumeFiles.checkName(output);
        } else if (output != null) {
            ImageFiles.checkName(output);
        }
        if (overlay != null) {
            ImageFiles.checkName(overlay);
        }
    }

    private static void checkTransforms(File file, Volume fixed, Volume moving, MutualParameters parameters) {
        if (file != null) {
            boolean planar = parameters.planar(fixed.grid(), moving.grid());
            int n = moving.frames() * (planar ? moving.grid().depth : 1);
            MutualTransforms.checkName(file, planar, n == 1);
        }
    }

    /** Writes the images, if there are any and they are asked for. */
    private static int show(MutualOutcome outcome, MutualParameters parameters, Outputs outputs, File fixed,
            Console console) {
        if (!outcome.isBlank() && !parameters.transformsOnly()) {
            outputs.write("output", file -> {
                if (parameters.overlay()) {
                    picture(file, outcome, parameters);
                } else {
                    write(file, outcome, parameters, fixed);
                }
                console.print("output      " + outcome.outputGrid().description() + ": " + file);
            });
        }
        // The overlay is also written for an uncertain registration: it shows why.
        outputs.write("overlay", file -> picture(file, outcome, parameters));
        if (outcome.cancelled()) {
            console.log("interrupted; what is written is the best until then");
            return Main.INTERRUPTED;
        }
        if (outcome.isEmpty()) {
            console.log("nothing could be registered");
            return Main.NOTHING;
        }
        return Main.DONE;
    }

    private static void write(File file, MutualOutcome outcome, MutualParameters parameters, File fixed)
            throws IOException {
        try (RegisteredVolumes slices = new RegisteredVolumes(outcome, parameters)) {
            VolumeFiles.write(file, slices, outcome, fixed);
        }
    }

    private static void picture(File file, MutualOutcome outcome, MutualParameters parameters) throws IOException {
        MutualPicture picture = MutualPicture.of(outcome, parameters);
        ColorProcessor pixels = new ColorProcessor(picture.width, picture.height, picture.pixels);
        if (Inputs.isTiff(file)) {
            ImageFiles.writeTiff(file, new ij.ImagePlus(file.getName(), pixels));
        } else {
            ImageFiles.writePng(file, pixels);
        }
    }

    private static void print(MutualOutcome outcome, Console console) {
        console.print("fixed       " + outcome.fixed().name() + ", " + outcome.fixed().grid().description());
        console.print("moving      " + outcome.moving().name() + ", " + outcome.moving().grid().description()
                + (outcome.moving().frames() > 1 ? ", " + outcome.moving().frames() + " volumes" : ""));
        console.print("registered  " + outcome.summary());
        for (MutualRow row : outcome.rows()) {
            console.print(String.format(Locale.ROOT, "%-5s %-5d %.2f mm, %.2f degrees, scale %.4f, measure %.4f -> %.4f,"
                    + " overlap %.0f %%, certainty %.2f, %s", outcome.planar() ? "image" : "volume", row.frame, row.shift,
                    row.turn, row.scale, row.before, row.after, 100 * row.overlap, row.certainty, row.status));
        }
        MutualRow first = outcome.rows().get(0);
        // The first registration of a series stands as an example.
        console.print("search      " + first.starts + " starts, " + first.evaluations + " evaluations, " + first.stop);
        for (String level : first.levels.split("; ")) {
            console.print("level       " + level);
        }
        console.print(String.format(Locale.ROOT, "time        %.2f s, %s", outcome.seconds(), outcome.backend()));
    }
}
