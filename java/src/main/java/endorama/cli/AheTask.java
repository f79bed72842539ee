package endorama.cli;

import endorama.core.common.OnlyStopping;
import endorama.core.common.Progress;
import endorama.core.equalize.EqualizeParameters;
import endorama.core.equalize.Equalizer;
import endorama.core.frames.ForwardingFrames;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelType;
import endorama.picture.ImageSlices;
import ij.ImagePlus;
import ij.process.ImageProcessor;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Model.OptionSpec;

/** Adaptive equalization of files: one image, the images of a folder, or the frames of a TIFF stack. */
final class AheTask extends Task {
    AheTask() {
        super("ahe", null);
    }

    @Override
    List<OptionSpec> files() {
        return Arrays.asList(
                file("input", "IMAGE|STACK.tif|FOLDER", true, "An image (png, jpg, tif, bmp or gif), a TIFF stack, or a"
                        + " folder of such."),
                file("output", "IMAGE|STACK.tif|FOLDER", true, "A .png or .tif, a .tif for a stack; a folder (made if"
                        + " need be) for a folder. The type of the pixels stays, a .tif keeps calibration and labels."));
    }

    @Override
    int run(Arguments arguments, Console console) throws IOException {
        File input = arguments.file("input");
        if (!input.exists()) {
            throw new FrameReadException(input + ": no such file or folder");
        }
        EqualizeParameters parameters = EqualizeParameters.of(arguments.values());
        return input.isDirectory() ? folder(arguments, parameters, console) : single(arguments, parameters, console);
    }

    private static int single(Arguments arguments, EqualizeParameters parameters, Console console) throws IOException {
        File input = arguments.file("input");
        File output = arguments.file("output");
        ImageFiles.checkName(output);
        arguments.outputs(console);
        TiffStack stack = Inputs.isTiff(input) ? new TiffStack(input) : null;
        int n = stack == null ? 1 : stack.count();
        if (n > 1 && !Inputs.isTiff(output)) {
            throw new IllegalArgumentException(output + ": must end in .tif, " + input + " is a stack of " + n
                    + " images");
        }
        try (Equalizer equalizer = new Equalizer(parameters, n)) {
            int done = stack == null ? image(input, output, equalizer, console)
                    : stack(stack, output, equalizer, console);
            if (done < n) {
                console.log("interrupted after " + done + " of " + n + " images; " + output + " is not written");
                return Main.INTERRUPTED;
            }
            console.print("equalized   " + n + (n == 1 ? " image, " : " images, ") + equalizer.description() + ": "
                    + output);
            return Main.DONE;
        }
    }

    /** Equalizes file by file: sizes and types may differ. A file that cannot be read or written does not stop the others. */
    private static int folder(Arguments arguments, EqualizeParameters parameters, Console console) throws IOException {
        File output = arguments.file("output");
        Map<String, File> files = files(arguments.file("input"));
        arguments.outputs(console, files::containsKey);
        if (!output.isDirectory() && !output.mkdir()) {
            throw new IOException(output + ": the folder cannot be made");
        }
        int code = Main.DONE;
        int done = 0;
        int tried = 0;
        try (Equalizer equalizer = new Equalizer(parameters, files.size())) {
            for (Map.Entry<String, File> file : files.entrySet()) {
                if (console.cancelled()) {
                    break;
                }
                try {
                    done += file(file.getValue(), new File(output, file.getKey()), equalizer, console);
                } catch (IOException e) {
                    console.log(e.getMessage() + "; left out");
                    code = Main.code(e);
                }
                console.progress(++tried, files.size());
            }
            console.print("equalized   " + done + " of " + files.size() + " files, " + equalizer.description() + ": "
                    + output);
        }
        if (console.cancelled()) {
            console.log("interrupted after " + done + " of " + files.size() + " files, which are written");
            return Main.INTERRUPTED;
        }
        return code == Main.INPUT && done > 0 ? Main.PARTIAL : code;
    }

    /**
     * The images of a folder by the name of their output: their file name, with PNG for anything but a TIFF. Names that differ
     * only in case are one file on some file systems.
     */
    private static Map<String, File> files(File folder) throws FrameReadException {
        Map<String, File> files = new LinkedHashMap<String, File>();
        Set<String> taken = new HashSet<String>();
        for (File file : ImageFolder.list(folder)) {
            String ending = Inputs.isTiff(file) ? ".tif" : ".png";
            String name = Inputs.isTiff(file) ? file.getName() : file.getName().replaceFirst("\\.[^.]*$", ending);
            while (!taken.add(name.toLowerCase(Locale.ROOT))) {
                name += ending;
            }
            files.put(name, file);
        }
        return files;
    }

    /** Equalizes one file; returns 1 if the output was written. */
    private static int file(File input, File output, Equalizer equalizer, Console console) throws IOException {
        TiffStack stack = Inputs.isTiff(input) ? new TiffStack(input) : null;
        equalizer.beginSequence();
        int done = stack == null ? image(input, output, equalizer, console)
                : stack(stack, output, equalizer, console);
        return done == (stack == null ? 1 : stack.count()) ? 1 : 0;
    }

    private static int image(File input, File output, Equalizer equalizer, Console console) throws IOException {
        Image image = ImageFiles.read(input);
        if (!equalizer.apply(image.type, image.width, image.height, image.pixels, null, image.pixels,
                new OnlyStopping(console))) {
            return 0;
        }
        ImageProcessor ip = ImageSlices.processor(image.pixels, image.width, image.height);
        if (Inputs.isTiff(output)) {
            ImageFiles.writeTiff(output, new ImagePlus(output.getName(), ip));
        } else {
            ImageFiles.writePng(output, ip);
        }
        return 1;
    }

    /** Equalizes a stack while it is written: one frame is in memory. Returns the number of frames done. */
    private static int stack(TiffStack frames, File output, Equalizer equalizer, Console console) throws IOException {
        WrittenStack equalized = new WrittenStack(new EqualizedFrames(frames, equalizer, console), console);
        try {
            ImagePlus image = new ImagePlus(output.getName(), equalized);
            frames.giveMetadata(image);
            if (frames.type() == PixelType.GREY16) {
                image.setDisplayRange(0, 65535);
            }
            ImageFiles.writeTiff(output, image);
        } catch (WrittenStack.Stopped e) {
            return equalized.done();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return frames.count();
    }

    /** The frames of a file, equalized on demand. */
    private static final class EqualizedFrames extends ForwardingFrames {
        private final Equalizer equalizer;
        private final Progress progress;

        EqualizedFrames(TiffStack frames, Equalizer equalizer, Console console) {
            super(frames);
            this.equalizer = equalizer;
            this.progress = new OnlyStopping(console);
        }

        @Override
        public Object pixels(int index) throws FrameReadException {
            Object pixels = source.pixels(index);
            if (!equalizer.apply(type(), width(), height(), pixels, null, pixels, progress)) {
                throw new WrittenStack.Stopped();
            }
            return pixels;
        }
    }
}
