package endorama.plugin;

import endorama.core.chains.ChainRow;
import endorama.core.chains.ChainTable;
import endorama.core.common.Progress;
import endorama.core.engine.AlignedFrames;
import endorama.core.fourier.FourierParameters;
import endorama.core.fourier.FourierResult;
import endorama.core.fourier.FourierSession;
import endorama.core.fourier.OverlaidFrames;
import endorama.core.frames.FrameSource;
import endorama.core.options.Commands;
import endorama.core.options.OptionValues;
import ij.ImagePlus;
import ij.WindowManager;
import java.io.IOException;

/** Plugins &gt; Endorama &gt; Register Rotation and Scale... */
public final class FourierCommand extends StackCommand {
    /** One run: the image and its reference image; null: its own slices. */
    private static final class Job {
        final ImagePlus image;
        final StackSource source;
        final ImagePlus onto;
        final OptionValues values;
        final FourierParameters parameters;

        Job(ImagePlus image, StackSource source, ImagePlus onto, OptionValues values) {
            this.image = image;
            this.source = onto == null ? new StackSource(image, 2).chosen(values) : source;
            this.onto = onto;
            this.values = values;
            this.parameters = parameters();
        }

        private FourierParameters parameters() {
            FourierParameters p = FourierParameters.of(values).withSelection(source.region());
            p = p.withThreads(threads(p.threads()));
            if (onto == null) {
                return p;
            }
            StackSource current = new StackSource(new ImagePlus(onto.getTitle(), onto.getProcessor()), 1);
            return p.onto(current, new StackSource(onto, 1).region());
        }
    }

    public FourierCommand() {
        super(Commands.FOURIER, 2);
    }

    /**
     * Registers slices for scripts: shows nothing, saves what the options ask for.
     *
     * @param options as in a macro, "reference=First output=Overlay"; may be empty
     */
    public static FourierOutput exec(ImagePlus image, String options) throws IOException {
        OptionValues values = Commands.FOURIER.parseMacro(options);
        return exec(image, onto(image, values), values);
    }

    /** Registers every slice of the image onto the current slice of another one, for scripts. */
    public static FourierOutput exec(ImagePlus image, ImagePlus onto, String options) throws IOException {
        return exec(image, onto, Commands.FOURIER.parseMacro(options));
    }

    private static FourierOutput exec(ImagePlus image, ImagePlus onto, OptionValues values) throws IOException {
        Job job = new Job(image, new StackSource(image, 1).chosen(values), onto, values);
        SavedFiles files = new SavedFiles(values, "transforms", job.source.count());
        FourierResult result = new FourierSession(job.source, job.parameters, Progress.NONE).run();
        save(result, ChainTable.FOURIER, job.source, values, files);
        rethrow(result.failure());
        return new FourierOutput(images(job, result, Progress.NONE), result);
    }

    /** A single image can be registered onto another one. */
    @Override
    int leastFrames() {
        return Images.others(WindowManager.getCurrentImage()).isEmpty() ? super.leastFrames() : 1;
    }

    @Override
    void execute(ImagePlus image, StackSource source, OptionValues values) throws IOException {
        SavedFiles files = new SavedFiles(values, "transforms", source.count());
        Job job = new Job(image, source, onto(image, values), values);
        ImageJProgress progress = new ImageJProgress("Register rotation and scale");
        FourierResult result = new FourierSession(job.source, job.parameters, progress).run();
        if (!result.cancelled()) {
            progress = new ImageJProgress("Align frames");
        }
        // The small table comes first: too little memory for a stack, or a full disk, must not cost the rest.
        new FourierOutput(null, result).table().show(Images.title(image, "rotation and scale"));
        ImagePlus shown;
        try {
            shown = images(job, result, progress);
        } finally {
            save(result, ChainTable.FOURIER, job.source, values, files);
        }
        if (shown != null) {
            shown.show();
        }
        if (!result.complete() && !result.isEmpty()) {
            progress.log(image.getTitle() + ": " + result.summary());
        }
        progress.finish((progress.cancelled() ? "Stopped: " : "") + result.summary());
        rethrow(result.failure());
        if (result.isEmpty() && !result.cancelled()) {
            throw new IllegalArgumentException("nothing of " + image.getTitle() + " could be registered"
                    + (job.onto == null ? "" : " onto " + job.onto.getTitle()) + ": " + result.summary());
        }
    }

    /** The image that the option names; null if it names none. */
    private static ImagePlus onto(ImagePlus image, OptionValues values) {
        String title = values.getImage("onto");
        return title.isEmpty() ? null : Images.titled("onto", title, image);
    }

    /** Registered frames up to a stop; null if none are asked for, or there are none. */
    private static ImagePlus images(Job job, FourierResult result, Progress progress) throws IOException {
        if (job.parameters.transformsOnly() || result.isEmpty() || result.cancelled()) {
            return null;
        }
        if (job.parameters.overlay()) {
            try (OverlaidFrames frames = new OverlaidFrames(job.source, result, job.parameters)) {
                return stack(job, result, frames, "overlay", progress);
            }
        }
        try (AlignedFrames frames = result.aligned(job.source, job.parameters.threads())) {
            return stack(job, result, frames, "aligned", progress);
        }
    }

    private static ImagePlus stack(Job job, FourierResult result, FrameSource frames, String what, Progress progress)
            throws IOException {
        try {
            ImagePlus made = aligned(job.image, what, frames,
                    i -> label(job.source.sliceLabel(i), result.rows().get(i)), 0, 0, progress);
            if (job.onto != null) {
                made.setCalibration(job.onto.getCalibration().copy());
            }
            made.setProperty("Info", "Endorama registration of " + job.image.getTitle()
                    + (job.onto == null ? "" : " onto " + job.onto.getTitle()) + "\n" + result.summary() + "\n"
                    + result.field() + "\n" + result.backend() + "\n" + job.values);
            return made;
        } catch (OutOfMemoryError e) {
            throw tooLarge(frames.count(), frames.width(), frames.height(), e);
        }
    }

    /** The label of a slice; of a black one the reason: its frame is not registered. */
    private static String label(String label, ChainRow row) {
        return row.registered ? label : row.status + (label == null ? "" : ": " + label);
    }
}
