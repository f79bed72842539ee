package endorama.cli;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.VideoFrames;
import endorama.core.live.FileFrames;
import endorama.core.live.FrameStream;
import endorama.core.live.PacedFrames;
import endorama.core.live.PipeFrames;
import endorama.core.live.StreamException;
import endorama.core.options.Option;
import java.io.BufferedInputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;

/** What --input of a live run names: standard input, a pipe, a file, or a folder. */
final class LiveInput {
    private static final Option RATE = Option.number("Rate", 0, 0, 10000).aboveMin().unit("frames a second")
            .help("Pace at which a file is read.");
    private static final Option IDLE = Option.number("Idle", 0, 0, 86400).unit("s").help("Silence that ends the run.");
    private static final int BUFFER = 1 << 16;

    private final Arguments arguments;
    private final Console console;
    private final String path;
    private final File file;
    private final boolean watch;
    private final double rate;

    /** @throws IllegalArgumentException if options do not go together */
    LiveInput(Arguments arguments, Console console) throws IOException {
        this.arguments = arguments;
        this.console = console;
        file = arguments.file("input");
        path = file.getPath();
        watch = arguments.flag("watch");
        rate = number(arguments, RATE);
        check();
    }

    /** Seconds without a frame after which the run ends; 0: it waits. */
    double idle() {
        return number(arguments, IDLE);
    }

    private static double number(Arguments arguments, Option option) {
        File given = arguments.file(option.key());
        return given == null ? 0 : (Double) option.parse(given.getPath());
    }

    private void check() throws IOException {
        boolean raw = arguments.isGiven("format");
        if (raw != arguments.isGiven("size")) {
            throw new IllegalArgumentException("--" + (raw ? "format" : "size") + ": goes with --" + (raw ? "size" : "format")
                    + " alone; raw frames need both");
        }
        if (raw) {
            PipeFrames.checkRaw(text("format"), text("size"));
        }
        if (!isStandard() && !file.exists()) {
            throw new FrameReadException(file + ": no such file or folder");
        }
        if (watch != file.isDirectory() && (watch || raw)) {
            throw new IllegalArgumentException(watch ? "--watch: goes with --input FOLDER alone"
                    : "--format: goes with a pipe or file, not with a folder");
        }
        if (rate > 0 && (watch || isPipe())) {
            throw new IllegalArgumentException("--rate: goes with a file or folder that is there as a whole, not with "
                    + (watch ? "--watch" : "a pipe"));
        }
        if (watch && raw) {
            throw new IllegalArgumentException("--format: goes with a pipe or file, not with --watch");
        }
    }

    private String text(String name) {
        return arguments.file(name).getPath();
    }

    private boolean isStandard() {
        return path.equals("-");
    }

    /** Frames come when they are made. */
    private boolean isPipe() {
        return isStandard() || !file.isFile() && !file.isDirectory();
    }

    /** Name for people. */
    String name() {
        return isStandard() ? "standard input" : file.getName();
    }

    /** Frames are dropped where they come faster than they are registered. */
    boolean drops() {
        return (isPipe() || rate > 0) && !arguments.flag("every");
    }

    /** The folder that is watched; null: none is. */
    File watched() {
        return watch ? file : null;
    }

    /** Opens it, which may take until somebody writes to it. */
    FrameStream open() throws IOException {
        FrameStream stream = watch ? new WatchedFolder(file) : isFrames() ? new FileFrames(Inputs.open(file)) : bytes();
        return rate > 0 ? new PacedFrames(stream, rate) : stream;
    }

    /** A sequence in files, as other commands read it. */
    private boolean isFrames() {
        return file.isDirectory() || file.isFile() && !arguments.isGiven("format") && (Inputs.isTiff(file)
                || VideoFrames.isVideo(file));
    }

    private FrameStream bytes() throws IOException {
        InputStream in = new BufferedInputStream(isStandard() ? System.in : new FileInputStream(file), BUFFER);
        try {
            if (arguments.isGiven("format")) {
                return PipeFrames.raw(in, text("format"), text("size"));
            }
            PipeFrames frames = PipeFrames.y4m(in);
            if (frames.warning() != null) {
                console.log(frames.warning());
            }
            return frames;
        } catch (StreamException e) {
            String other = file.isFile() && !path.toLowerCase(Locale.ROOT).endsWith(".y4m")
                    ? "; or a folder of images, a TIFF stack or a video" : "";
            throw new StreamException(e.getMessage() + other, e);
        }
    }
}
