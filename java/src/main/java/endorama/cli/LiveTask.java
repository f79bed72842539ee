package endorama.cli;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.OneFrame;
import endorama.core.frames.PixelType;
import endorama.core.live.FrameReader;
import endorama.core.live.FrameSlot;
import endorama.core.live.LiveRun;
import endorama.core.live.StreamException;
import endorama.core.mosaic.LiveCounts;
import endorama.core.mosaic.LivePlace;
import endorama.core.mosaic.LiveSession;
import endorama.core.mosaic.MosaicResult;
import endorama.core.options.MosaicParameters;
import endorama.picture.PathFiles;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Model.OptionSpec;

/** Makes a panorama from frames that come while it grows. */
final class LiveTask extends Task {
    private static final List<String> PICTURES = Arrays.asList("output", "preview", "overlay", "plot");

    LiveTask() {
        super("live", null);
    }

    @Override
    List<OptionSpec> files() {
        return Arrays.asList(
                file("input", "-|FILE|FOLDER", true, "Where frames come from: - is standard input; a pipe or file with YUV4MPEG2"
                        + " (.y4m) or, with --format, raw frames; with --watch a folder that images come into; or a folder of"
                        + " images, a TIFF stack or a video that is there as a whole."),
                flag("watch", "The images of the folder --input in the order of their names, those that come later too, until a"
                        + " file named END is there. Each is taken when it is whole."),
                file("format", "FORMAT", false, "The pipe or file holds raw frames: gray8, gray16 (little-endian), rgb24 or bgr24."),
                file("size", "WIDTHxHEIGHT", false, "Size of raw frames, such as 1920x1080."),
                flag("every", "No frame is dropped where they come faster than they are registered; whoever writes the pipe"
                        + " waits. Of files none is dropped but with --rate."),
                file("rate", "FPS", false, "Reads a file at this pace, as if it came from a camera."),
                file("idle", "SECONDS", false, "Ends when no frame has come for so long."),
                file("output", "IMAGE", false, "The panorama: .png, .tif, .ome.tif or .ome.zarr."),
                file("preview", "IMAGE", false, "The growing panorama (.png), written anew each second."),
                file("json", "FILE", false, "Where to save transforms, options, version and back end as JSON."),
                MosaicTask.plot(),
                file("options", "RUN.json", false, "Take the options of a live run that was saved with --json; what the command"
                        + " line says goes before."),
                mask());
    }

    @Override
    List<String> written() {
        return Collections.singletonList("preview");
    }

    @Override
    boolean leftOut(String key) {
        return key.equals("zarr");
    }

    @Override
    int run(Arguments arguments, Console console) throws IOException {
        check(arguments);
        LiveInput input = new LiveInput(arguments, console);
        Outputs outputs = arguments.outputs(console);
        if (outputs.isEmpty()) {
            throw new IllegalArgumentException("--output: missing; give a panorama to write, or at least --preview or --transforms");
        }
        for (String name : PICTURES) {
            File file = outputs.file(name);
            if (file != null && input.watched() != null && input.watched().getCanonicalFile().equals(
                    file.getCanonicalFile().getParentFile())) {
                throw new IllegalArgumentException("--" + name + " " + file + ": lies in the folder that is watched, where it would"
                        + " be taken for a frame");
            }
        }
        return new Work(arguments, input, outputs, console).run();
    }

    private static void check(Arguments arguments) throws IOException {
        MosaicParameters parameters = MosaicParameters.of(arguments.values());
        MosaicTask.checkPng(arguments, "plot");
        MosaicTask.checkPng(arguments, "preview");
        PathFiles.checkNames(arguments.values());
        arguments.checkTransforms("transforms", LiveSession.MANY);
        parameters.devices();
        if (arguments.file("mask") == null) {
            arguments.parameters(null);
        }
        if (arguments.file("output") != null) {
            ImageFiles.checkName(arguments.file("output"));
        }
    }

    /** One run of the command. */
    private static final class Work {
        private final Arguments arguments;
        private final LiveInput input;
        private final Outputs outputs;
        private final Console console;
        private final FrameSlot slot;
        private final LiveRun run;
        private final PreviewFile preview;
        private MosaicParameters parameters;
        private volatile boolean finish;
        private volatile LiveSession session;
        private volatile LivePlace place;
        private volatile boolean foundAgain;

        Work(Arguments arguments, LiveInput input, Outputs outputs, Console console) {
            this.arguments = arguments;
            this.input = input;
            this.outputs = outputs;
            this.console = console;
            slot = new FrameSlot(!input.drops());
            run = new LiveRun(slot, this::open, this::placed, console)
                    .seconds(arguments.values().getDouble("seconds")).idle(input.idle()).timed(input.drops());
            preview = new PreviewFile(outputs.file("preview"), console);
        }

        private LiveSession open(int width, int height, PixelType type) throws IOException {
            parameters = arguments.parameters(new OneFrame("", type, width, height, null))
                    .withScratch(outputs.folder());
            parameters = MosaicTask.needsPicture(outputs) ? parameters : parameters.withoutPicture();
            session = new LiveSession(width, height, type, null, parameters, console);
            return session;
        }

        private void placed(LiveSession of, LivePlace where) {
            foundAgain |= where.foundAgain;
            place = where;
        }

        int run() throws IOException {
            ScheduledExecutorService clock = Executors.newScheduledThreadPool(2, Work::thread);
            Exception ended;
            try (InterruptKey key = new InterruptKey(() -> finish = true)) {
                new FrameReader(input::open, slot, console::lost).start();
                clock.scheduleAtFixedRate(this::tell, 1, 1, TimeUnit.SECONDS);
                if (outputs.file("preview") != null) {
                    clock.scheduleWithFixedDelay(() -> preview.tryToWrite(session), 1, 1, TimeUnit.SECONDS);
                }
                ended = run.run(() -> finish || console.cancelled());
            } catch (StreamException e) {
                throw new StreamException(input.name() + ": " + e.getMessage(), e);
            } finally {
                clock.shutdown();
            }
            try (LiveSession closed = session) {
                return closed == null ? nothing() : finish(ended);
            }
        }

        private static Thread thread(Runnable work) {
            Thread thread = new Thread(work, "Endorama live");
            thread.setDaemon(true);
            return thread;
        }

        private int nothing() throws FrameReadException {
            if (console.cancelled() || finish) {
                console.log("interrupted before a frame came; nothing is written");
                return Main.INTERRUPTED;
            }
            throw new FrameReadException(input.name() + ": no frame came");
        }

        /** "found, 812 frames, 96 kept, 3 dropped, 18 ms". */
        private void tell() {
            LivePlace last = place;
            if (last == null) {
                console.status("waiting for frames");
                return;
            }
            String word = foundAgain && last.state == LivePlace.State.FOUND ? "found again" : last.state.word();
            foundAgain = false;
            console.status(String.format(Locale.ROOT, "%s, %s, %.0f ms", word, counts(session.counts()), run.latencies().last()));
        }

        private String counts(LiveCounts counts) {
            return slot.offered() + " frames, " + counts.kept + " kept, " + slot.dropped() + " dropped";
        }

        private int finish(Exception ended) throws IOException {
            outputs.write("preview", file -> preview.write(session));
            LiveCounts counts = session.counts();
            console.print("live        " + counts(counts) + ", " + counts.lost + " not found; " + run.latencies());
            int failed = ended == null ? Main.DONE : told(ended);
            try (MosaicResult result = session.finish()) {
                if (result == null) {
                    console.log("no two frames fit together (" + counts.put + " came): nothing to make a panorama of");
                    boolean nothing = failed == Main.DONE || failed == Main.PARTIAL;
                    return outputs.code(console.cancelled() ? Main.INTERRUPTED : nothing ? Main.NOTHING : failed);
                }
                int code = MosaicTask.finish(result, parameters, session.kept(), input.name(), outputs, console);
                return code == Main.DONE ? failed : code;
            }
        }

        /** Says what ended the frames early, and returns the exit code for it. */
        private int told(Exception ended) {
            if (ended instanceof FrameReadException) {
                console.lost(input.name() + ": " + ended.getMessage());
                return Main.PARTIAL;
            }
            return console.report(ended);
        }
    }
}
