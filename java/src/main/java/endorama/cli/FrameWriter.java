package endorama.cli;

import endorama.core.frames.FrameSource;
import endorama.picture.ImageSlices;
import ij.ImagePlus;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;

/** Writes frames one by one: into a folder, one .png a frame, or as a .tif stack. One frame is in memory. */
final class FrameWriter {
    private FrameWriter() {
    }

    /** @throws IllegalArgumentException unless frames can be written there */
    static void checkName(File output) {
        if (!output.isDirectory() && !Inputs.isTiff(output)) {
            throw new IllegalArgumentException(output + ": must end in .tif, or be a folder that exists: make it first");
        }
    }

    /** The name is one that a frame written into a folder may have. */
    static boolean isFrame(String name) {
        return name.matches("frame\\d{5,}\\.png");
    }

    /**
     * Writes all frames, or after an interrupt those before it; a stack is written whole or not at all.
     *
     * @param number that a frame, from 0, has in the name of its file
     * @param metadata gives the stack what it has besides pixels
     * @return frames written
     */
    static int write(FrameSource frames, File output, IntUnaryOperator number, Consumer<ImagePlus> metadata, Console console)
            throws IOException {
        return output.isDirectory() ? folder(frames, output, number, console) : stack(frames, output, metadata, console);
    }

    private static int folder(FrameSource frames, File folder, IntUnaryOperator number, Console console)
            throws IOException {
        int done = 0;
        for (; done < frames.count() && !console.cancelled(); done++) {
            File file = new File(folder, String.format(Locale.ROOT, "frame%05d.png", number.applyAsInt(done)));
            ImageFiles.writePng(file, ImageSlices.processor(frames.pixels(done), frames.width(), frames.height()));
            console.progress(done + 1, frames.count());
        }
        return done;
    }

    private static int stack(FrameSource frames, File file, Consumer<ImagePlus> metadata, Console console)
            throws IOException {
        try {
            ImagePlus image = new ImagePlus(file.getName(), new WrittenStack(frames, console));
            metadata.accept(image);
            ImageFiles.writeTiff(file, image);
            return frames.count();
        } catch (WrittenStack.Stopped e) {
            return 0;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
