package endorama.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ij.IJ;
import ij.ImagePlus;
import ij.VirtualStack;
import ij.WindowManager;
import ij.macro.Interpreter;
import ij.process.ImageProcessor;
import java.awt.event.KeyEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Commands as the menu runs them, on the current image, in batch mode: without a window. */
class MenuRunTest {
    @BeforeEach
    void batchMode() {
        Interpreter.batchMode = true;
    }

    @AfterEach
    void clean() {
        WindowManager.setTempCurrentImage(null);
        while (Interpreter.getBatchModeImageCount() > 0) {
            Interpreter.removeBatchModeImage(Interpreter.getLastBatchModeImage());
        }
        Interpreter.batchMode = false;
        IJ.resetEscape();
    }

    private static void run(ImagePlus image, String options) throws Exception {
        Interpreter.addBatchModeImage(image);
        WindowManager.setTempCurrentImage(image);
        InMacro.call(options, () -> {
            new MosaicCommand().run("");
            return null;
        });
    }

    /** A sequence in which somebody presses Escape while a frame is read. */
    private static ImagePlus escapingAt(int frame, ImagePlus frames) {
        return new ImagePlus("escaping", new VirtualStack(frames.getWidth(), frames.getHeight(), frames.getStackSize()) {
            @Override
            public ImageProcessor getProcessor(int n) {
                if (n == frame) {
                    IJ.setKeyDown(KeyEvent.VK_ESCAPE);
                }
                return frames.getStack().getProcessor(n).duplicate();
            }

            @Override
            public int getBitDepth() {
                return 24;
            }
        });
    }

    @Test
    void escapeKeepsWhatIsDone() throws Exception {
        ImagePlus frames = DemoCommand.exec("width=240 height=200 frames=60");
        // The last frame looked at for the field of view is 60; 41 is first read when it is its turn.
        ImagePlus image = escapingAt(42, frames);
        run(image, "field=Whole ");
        assertFalse(image.isLocked());
        ImagePlus panorama = Interpreter.getLastBatchModeImage();
        assertNotSame(image, panorama);
        String info = panorama.getInfoProperty();
        assertTrue(info.contains("Stopped: "), info);
        assertTrue(info.matches("(?s).*Stopped: (\\d+) of \\1 frames registered.*"), info);
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
}
