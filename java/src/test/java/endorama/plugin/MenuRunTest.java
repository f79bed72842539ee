package endorama.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.options.Commands;
import endorama.core.options.OptionValues;
import ij.IJ;
import ij.ImagePlus;
import ij.VirtualStack;
import ij.macro.Interpreter;
import ij.process.ByteProcessor;
import ij.process.ImageProcessor;
import java.awt.event.KeyEvent;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Commands as run by the menu, on the current image, in batch mode: without a window. */
@ExtendWith(BatchMode.class)
class MenuRunTest {
    private static void run(ImagePlus image, String options) throws Exception {
        BatchMode.open(image);
        InMacro.call(options, () -> {
            new MosaicCommand().run("");
            return null;
        });
    }

    /** A sequence in which Escape is pressed while a frame is read. */
    private static ImagePlus escapingAt(int frame, ImagePlus frames) {
        return new ImagePlus("escaping", new LazyStack(frames, n -> {
            if (n == frame) {
                IJ.setKeyDown(KeyEvent.VK_ESCAPE);
            }
        }));
    }

    @Test
    void escapeKeepsWhatIsDone() throws Exception {
        ImagePlus frames = DemoCommand.exec("width=240 height=200 frames=60");
        // Not sampled for the field of view; for a fixed pattern all frames would be. It is read ahead.
        int frame = 42;
        ImagePlus image = escapingAt(frame, frames);
        run(image, "field=Whole pattern=None ");
        assertFalse(image.isLocked());
        ImagePlus panorama = Interpreter.getLastBatchModeImage();
        assertNotSame(image, panorama);
        String info = panorama.getInfoProperty();
        assertTrue(info.contains("Stopped: "), info);
        Matcher done = Pattern.compile("Stopped: (\\d+) ok, 0 doubtful, 0 not registered").matcher(info);
        assertTrue(done.find(), info);
        int ok = Integer.parseInt(done.group(1));
        assertTrue(ok > 1 && ok <= frame, info);
    }

    @Test
    void imageIsUnlockedAfterAnError() throws Exception {
        ImagePlus image = DemoCommand.exec("width=240 height=200 frames=3");
        run(image, "field=Selection ");
        assertFalse(image.isLocked());
        assertEquals(1, Interpreter.getBatchModeImageCount());
    }

    @Test
    void lockedImageIsLeftAlone() throws Exception {
        ImagePlus image = DemoCommand.exec("width=240 height=200 frames=3");
        Thread other = new Thread(image::lockSilently);
        other.start();
        other.join();
        run(image, "");
        assertTrue(image.isLocked());
        assertEquals(1, Interpreter.getBatchModeImageCount());
    }

    /** A sequence whose reader fails like an incomplete Java, or for lack of memory. */
    private static ImagePlus failing(Supplier<Error> thrown) {
        boolean[] shown = new boolean[1];
        ImagePlus image = new ImagePlus("failing", new VirtualStack(64, 48, 3) {
            @Override
            public ImageProcessor getProcessor(int n) {
                if (shown[0]) {
                    throw thrown.get();
                }
                return new ByteProcessor(64, 48);
            }

            @Override
            public int getBitDepth() {
                return 8;
            }
        });
        shown[0] = true;
        return image;
    }

    private static void assertTold(Supplier<Error> thrown, String... texts) throws Exception {
        IJ.getErrorMessage();
        ImagePlus image = failing(thrown);
        run(image, "field=Whole ");
        assertFalse(image.isLocked());
        String message = String.valueOf(IJ.getErrorMessage());
        for (String text : texts) {
            assertTrue(message.contains(text), text + " in: " + message);
        }
    }

    @Test
    void errorsOfJavaAreTold() throws Exception {
        assertTold(() -> new OutOfMemoryError("Java heap space"), "Java heap space", "Memory & Threads");
        assertTold(StackOverflowError::new, "-Xss");
        assertTold(() -> new AssertionError("odd"), "odd", "report it");
    }

    @Test
    void partOfJavaThatIsMissingIsTold() throws Exception {
        ImagePlus image = DemoCommand.exec("width=240 height=200 frames=3");
        IJ.getErrorMessage();
        BatchMode.open(image);
        InMacro.call("", () -> {
            new StackCommand(Commands.MOSAIC, 2) {
                @Override
                void execute(ImagePlus current, StackSource source, OptionValues values) {
                    throw new NoClassDefFoundError("javax/imageio/ImageIO");
                }
            }.run("");
            return null;
        });
        assertFalse(image.isLocked());
        String message = String.valueOf(IJ.getErrorMessage());
        assertTrue(message.contains("javax/imageio/ImageIO") && message.contains("install it anew"), message);
    }
}
