package endorama.plugin;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelSize;
import endorama.core.frames.PixelType;
import endorama.core.live.FrameSlot;
import endorama.core.live.LiveRun;
import endorama.core.mosaic.LivePicture;
import endorama.core.mosaic.LiveSession;
import endorama.core.mosaic.MosaicResult;
import endorama.core.options.Commands;
import endorama.core.options.MosaicParameters;
import endorama.core.options.OptionValues;
import endorama.picture.ImageSlices;
import ij.IJ;
import ij.ImagePlus;
import ij.WindowManager;
import ij.macro.Interpreter;
import ij.measure.Calibration;
import ij.plugin.PlugIn;
import java.awt.EventQueue;
import java.io.File;
import java.io.IOException;

/** Plugins &gt; Endorama &gt; Live Mosaic... */
public final class LiveCommand implements PlugIn {
    private final ImagePlus image;
    private final OptionValues values;
    private final Progress progress;
    private final ScopeWindow window;
    private final FrameSlot slot;
    /** The failure that ended the frames before the user did; null: there was none. */
    private Exception ended;

    /** Made by ImageJ for its menu. */
    public LiveCommand() {
        this(null, null, Progress.NONE, null, null);
    }

    private LiveCommand(ImagePlus image, OptionValues values, Progress progress, FrameSlot slot, ScopeWindow window) {
        this.image = image;
        this.values = values;
        this.progress = progress;
        this.slot = slot;
        this.window = window;
    }

    @Override
    public void run(String argument) {
        ImagePlus current = WindowManager.getCurrentImage();
        if (current == null) {
            IJ.noImage();
            return;
        }
        attempt(() -> {
            check(current);
            OptionValues asked = OptionDialog.ask(Commands.LIVE);
            if (asked != null && EventQueue.isDispatchThread()) {
                // That thread draws the window and hears its buttons.
                new Thread(() -> attempt(() -> execute(current, asked)), "Endorama live").start();
            } else if (asked != null) {
                execute(current, asked);
            }
        });
    }

    /** A part of the command, whose failure is shown. */
    private interface Part {
        void run() throws IOException;
    }

    private static void attempt(Part part) {
        try {
            part.run();
        } catch (Throwable e) {
            Failure.report(Commands.LIVE, e);
        }
    }

    /**
     * Makes a panorama of what an image shows while another thread updates it, for scripts: shows nothing, saves what the options
     * ask for.
     *
     * @param options as in a macro, "seconds=10"; the seconds are needed
     * @throws RuntimeException if the run ended before, when what was done is saved
     */
    public static MosaicOutput exec(ImagePlus image, String options) throws IOException {
        check(image);
        OptionValues values = Commands.LIVE.parseMacro(options);
        checkEnd(values, false);
        SavedFiles files = MosaicCommand.files(LiveSession.MANY, values);
        LiveCommand command = new LiveCommand(image, values, Progress.NONE, new FrameSlot(false), null);
        try (LiveSession session = command.watch()) {
            MosaicOutput output = MosaicCommand.output(image, session.kept(), values, finished(image, session));
            try (MosaicResult result = output.result()) {
                MosaicCommand.save(image, result, session.kept(), values, files);
            }
            StackCommand.rethrow(output.failure());
            if (command.ended instanceof RuntimeException) {
                throw (RuntimeException) command.ended;
            }
            return output;
        }
    }

    private static void check(ImagePlus image) {
        if (ImageSlices.type(image) == null || image.getNChannels() > 1) {
            throw new IllegalArgumentException(image.getTitle() + " is " + (image.getNChannels() > 1 ? "an image of several channels"
                    : "a 32-bit image") + "; what it shows has to be 8-bit, 16-bit or RGB");
        }
    }

    private static void checkEnd(OptionValues values, boolean hasButton) {
        if (values.getDouble("seconds") == 0 && !hasButton) {
            throw new IllegalArgumentException("seconds 0: there is no window here, and no button Finish; give seconds=N");
        }
    }

    private static void execute(ImagePlus image, OptionValues values) throws IOException {
        boolean visible = IJ.getInstance() != null && !Interpreter.isBatchMode();
        checkEnd(values, visible);
        SavedFiles files = MosaicCommand.files(LiveSession.MANY, values);
        FrameSlot slot = new FrameSlot(false);
        ScopeWindow window = visible ? ScopeWindow.open(image, slot::dropped) : null;
        ImageJProgress progress = new ImageJProgress("Live mosaic") {
            @Override
            public boolean cancelled() {
                return super.cancelled() || window != null && window.isStopped();
            }
        };
        try (LiveSession session = new LiveCommand(image, values, progress, slot, window).watch()) {
            if (progress.cancelled()) {
                progress.finish("Stopped");
                growing(image, session);
                return;
            }
            if (window != null) {
                window.solving();
            }
            MosaicResult result = finished(image, session);
            MosaicOutput output = MosaicCommand.output(image, session.kept(), values, result);
            if (window != null) {
                window.close();
            }
            MosaicCommand.show(image, session.kept(), values, output, files, progress);
        } finally {
            if (window != null) {
                window.close();
            }
        }
    }

    /** The panorama of all kept frames. */
    private static MosaicResult finished(ImagePlus image, LiveSession session) throws FrameReadException {
        MosaicResult result = session.finish();
        if (result == null) {
            throw new FrameReadException(image.getTitle() + ": no two pictures fit together (" + session.counts().put
                    + " came): nothing to make a panorama of");
        }
        return result;
    }

    /** Shows the growing panorama as it is. */
    private static void growing(ImagePlus image, LiveSession session) {
        LivePicture picture = session.picture(-1);
        if (picture != null) {
            ImagePlus shown = new ImagePlus(Images.title(image, "panorama (growing)"),
                    ImageSlices.processor(picture.pixels, picture.width, picture.height));
            shown.show();
        }
    }

    /** Registers what the image shows, until it is told to end; the session is the caller's. */
    private LiveSession watch() throws IOException {
        ImageUpdates updates = new ImageUpdates(image, slot);
        LiveRun run = new LiveRun(slot, this::session,
                (session, place) -> {
                    if (window != null) {
                        window.placed(session, place);
                    }
                }, progress).seconds(values.getDouble("seconds")).timed(true);
        try {
            updates.start();
            ended = run.run(() -> progress.cancelled() || window != null && window.isEnding());
            if (ended != null && !progress.cancelled()) {
                progress.log(ended.getMessage() + "; the frames before it are kept");
            }
        } finally {
            updates.stop();
        }
        if (run.session() == null) {
            throw new FrameReadException(image.getTitle() + ": there was no picture in it");
        }
        return run.session();
    }

    private LiveSession session(int width, int height, PixelType type) {
        MosaicParameters parameters = MosaicParameters.of(values);
        parameters = parameters.withThreads(StackCommand.threads(parameters.threads()))
                .withScratch(new File(System.getProperty("java.io.tmpdir")));
        if (parameters.field() == MosaicParameters.Field.SELECTION) {
            parameters = parameters.withSelection(new StackSource(image, 1).selection());
        }
        Calibration calibration = image.getCalibration();
        PixelSize size = PixelSize.of(calibration.pixelWidth, calibration.pixelHeight, calibration.getUnit());
        return new LiveSession(width, height, type, size, parameters, progress);
    }
}
