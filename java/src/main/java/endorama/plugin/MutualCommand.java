package endorama.plugin;

import endorama.core.common.Progress;
import endorama.core.frames.FrameSource;
import endorama.core.mutual.MutualOutcome;
import endorama.core.mutual.MutualParameters;
import endorama.core.mutual.MutualPicture;
import endorama.core.mutual.MutualRow;
import endorama.core.mutual.MutualSession;
import endorama.core.mutual.MutualTransforms;
import endorama.core.mutual.RegisteredVolumes;
import endorama.core.options.Commands;
import endorama.core.options.OptionException;
import endorama.core.options.OptionValues;
import endorama.core.volumes.Volume;
import ij.ImagePlus;
import ij.ImageStack;
import ij.WindowManager;
import ij.measure.Calibration;
import ij.process.ByteProcessor;
import ij.process.ColorProcessor;
import java.io.File;
import java.io.IOException;

/** Plugins &gt; Endorama &gt; Register by Mutual Information... */
public final class MutualCommand extends StackCommand {
    /** One run: the moving and the fixed image. */
    private static final class Job {
        final ImagePlus moving;
        final ImagePlus fixed;
        final OptionValues values;
        final MutualParameters parameters;
        final Volume movingVolume;
        final Volume fixedVolume;

        Job(ImagePlus moving, ImagePlus fixed, OptionValues values) {
            this.moving = moving;
            this.fixed = fixed;
            this.values = values;
            movingVolume = ImageVolume.of(moving);
            fixedVolume = ImageVolume.of(fixed);
            MutualParameters p = MutualParameters.of(values).withMask(mask());
            parameters = p.withThreads(threads(p.threads()));
            checkTransforms();
        }

        /** The mask: the image that the options name, or the selection in the fixed one; null: every voxel counts. */
        private FrameSource mask() {
            String title = values.getImage("mask");
            if (!title.isEmpty()) {
                return new StackSource(Images.titled("mask", title), 1);
            }
            StackSource source = new StackSource(fixed, 1);
            return source.region() == null ? null : new StackSource(new ImagePlus("selection",
                    new ByteProcessor(fixed.getWidth(), fixed.getHeight(), source.selection())), 1);
        }

        private void checkTransforms() {
            if (!values.getFile("transforms").isEmpty()) {
                boolean planar = parameters.planar(fixedVolume.grid(), movingVolume.grid());
                int n = planar ? moving.getStackSize() : movingVolume.frames();
                MutualTransforms.checkName(new File(values.getFile("transforms")), planar, n == 1);
            }
        }

        MutualOutcome run(Progress progress) throws IOException {
            return new MutualSession(fixedVolume, movingVolume, parameters, progress).run();
        }
    }

    public MutualCommand() {
        super(Commands.MUTUAL, 1);
    }

    /** One slice is enough, but another image to register onto must be open before the dialog. */
    @Override
    int leastFrames() {
        ImagePlus current = WindowManager.getCurrentImage();
        if (Images.others(current).isEmpty()) {
            throw new IllegalArgumentException(current.getTitle() + " is the only open image; open the one that it is to be"
                    + " registered onto, too");
        }
        return super.leastFrames();
    }

    /**
     * Registers images for scripts: shows nothing, saves what the options ask for.
     *
     * @param moving what is registered
     * @param options as in a macro, "fixed=T2.tif model=Affine"
     */
    public static MutualOutput exec(ImagePlus moving, String options) throws IOException {
        OptionValues values = Commands.MUTUAL.parseMacro(options);
        return exec(moving, Images.titled("fixed", values.getImage("fixed")), values);
    }

    /** Registers onto an image that need not be open, for scripts; the options name none. */
    public static MutualOutput exec(ImagePlus moving, ImagePlus fixed, String options) throws IOException {
        return exec(moving, fixed, Commands.MUTUAL.parseMacro("fixed=[" + fixed.getTitle() + "] " + options));
    }

    private static MutualOutput exec(ImagePlus moving, ImagePlus fixed, OptionValues values) throws IOException {
        Job job = new Job(moving, fixed, values);
        SavedFiles files = new SavedFiles(values);
        MutualOutcome outcome = job.run(Progress.NONE);
        save(outcome, values, files);
        rethrow(outcome.failure());
        return new MutualOutput(image(job, outcome), outcome);
    }

    @Override
    void execute(ImagePlus image, StackSource source, OptionValues values) throws IOException {
        ImagePlus fixed = Images.titled("fixed", values.getImage("fixed"));
        if (fixed == image) {
            throw new OptionException("fixed", "fixed " + image.getTitle() + ": must be another image than the current one");
        }
        SavedFiles files = new SavedFiles(values);
        Job job = new Job(image, fixed, values);
        ImageJProgress progress = new ImageJProgress("Register by mutual information");
        MutualOutcome outcome = job.run(progress);
        if (!outcome.rows().isEmpty()) {
            new MutualOutput(null, outcome).table().show(Images.title(image, "mutual information"));
        }
        ImagePlus shown;
        try {
            shown = image(job, outcome);
        } finally {
            save(outcome, values, files);
        }
        if (shown != null) {
            shown.show();
        }
        if (!outcome.complete()) {
            progress.log(image.getTitle() + ": " + outcome.summary());
        }
        progress.finish((outcome.cancelled() ? "Stopped: " : "") + outcome.summary());
        rethrow(outcome.failure());
        if (outcome.isEmpty() && !outcome.cancelled()) {
            throw new IllegalArgumentException(image.getTitle() + " could not be registered onto " + fixed.getTitle()
                    + ": " + outcome.summary());
        }
    }

    /** The registered image, marked if the search was stopped; null if none is asked for, or nothing was found. */
    private static ImagePlus image(Job job, MutualOutcome outcome) throws IOException {
        if (outcome.isBlank() || job.parameters.transformsOnly()) {
            return null;
        }
        ImagePlus made;
        if (job.parameters.overlay()) {
            MutualPicture picture = MutualPicture.of(outcome, job.parameters);
            made = new ImagePlus(Images.title(job.moving, "overlay"),
                    new ColorProcessor(picture.width, picture.height, picture.pixels));
        } else {
            made = registered(job, outcome);
        }
        if (outcome.cancelled()) {
            made.setTitle(made.getTitle() + " (stopped)");
        }
        made.setProperty("Info", "Endorama registration of " + job.moving.getTitle() + " onto " + job.fixed.getTitle()
                + "\n" + outcome.summary() + "\n" + outcome.backend() + "\n" + job.values);
        return made;
    }

    private static ImagePlus registered(Job job, MutualOutcome outcome) throws IOException {
        try (RegisteredVolumes slices = new RegisteredVolumes(outcome, job.parameters)) {
            ImageStack stack = Images.stack(slices, i -> slices.label(i).isEmpty() ? null : slices.label(i), Progress.NONE);
            ImagePlus made = new ImagePlus(Images.title(job.moving, "registered"), stack);
            Images.keepSettings(made, job.moving, 0, 0);
            made.setCalibration(calibration(job));
            made.setDimensions(1, slices.count() / outcome.outputFrames(), outcome.outputFrames());
            made.setOpenAsHyperStack(outcome.outputFrames() > 1);
            return made;
        } catch (OutOfMemoryError e) {
            throw new IllegalArgumentException("the memory does not hold the registered stack; raise it in Edit > Options"
                    + " > Memory & Threads, or take output=[Transforms only]; the shell writes slice by slice", e);
        }
    }

    /** The calibration: positions of voxels from the fixed image, values from the moving one. */
    private static Calibration calibration(Job job) {
        Calibration calibration = job.fixed.getCalibration().copy();
        Calibration values = job.moving.getCalibration();
        calibration.setFunction(values.getFunction(), values.getCoefficients(), values.getValueUnit());
        return calibration;
    }

    /** Saves the results, unless nothing was done before Escape: earlier results are worth more. */
    private static void save(MutualOutcome outcome, OptionValues values, SavedFiles files) throws IOException {
        if (!outcome.rows().isEmpty()) {
            files.save("table", file -> MutualRow.TABLE.write(file, outcome.rows()))
                    .save("transforms", file -> MutualTransforms.write(file, outcome, values.toMap()))
                    .finish();
        }
    }
}
