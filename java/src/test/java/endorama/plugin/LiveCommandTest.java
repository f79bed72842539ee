package endorama.plugin;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.live.FrameSlot;
import endorama.core.live.LiveFrame;
import ij.IJ;
import ij.ImagePlus;
import ij.ImageStack;
import ij.macro.Interpreter;
import ij.process.ByteProcessor;
import ij.process.FloatProcessor;
import java.awt.EventQueue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** An image that another thread updates. */
@ExtendWith(BatchMode.class)
class LiveCommandTest {
    private static final long LONG_MS = 20000;

    @TempDir
    Path folder;

    private static byte first(FrameSlot slot) throws Exception {
        LiveFrame frame = slot.take(LONG_MS);
        assertNotNull(frame, "no frame came");
        byte value = ((byte[]) frame.pixels())[0];
        frame.release();
        return value;
    }

    @Test
    void everyKindOfUpdateIsSeen() throws Exception {
        byte[] pixels = new byte[64 * 64];
        ImagePlus image = new ImagePlus("camera", new ByteProcessor(64, 64, pixels));
        FrameSlot slot = new FrameSlot(false);
        ImageUpdates updates = new ImageUpdates(image, slot);
        updates.start();
        assertEquals(0, first(slot));
        // Pixels change without a word.
        Arrays.fill(pixels, (byte) 5);
        assertEquals(5, first(slot));
        // ImageJ tells of it, though nothing that is compared has changed.
        updates.imageUpdated(image);
        assertEquals(5, first(slot));
        updates.imageUpdated(new ImagePlus("another", new ByteProcessor(64, 64)));
        assertEquals(null, slot.take(100));
        // The image gets other pixels.
        byte[] others = new byte[64 * 64];
        Arrays.fill(others, (byte) 9);
        image.setProcessor(new ByteProcessor(64, 64, others));
        assertEquals(9, first(slot));
        updates.imageClosed(image);
        assertTrue(slot.hasEnded());
        updates.stop();
        Arrays.fill(others, (byte) 11);
        assertEquals(null, slot.take(100));
    }

    /** What the camera shows after the copy does not change it. */
    @Test
    void framesAreCopies() throws Exception {
        byte[] pixels = new byte[16];
        ImagePlus image = new ImagePlus("camera", new ByteProcessor(4, 4, pixels));
        FrameSlot slot = new FrameSlot(false);
        ImageUpdates updates = new ImageUpdates(image, slot);
        updates.start();
        LiveFrame frame = slot.take(LONG_MS);
        updates.stop();
        pixels[3] = 7;
        assertArrayEquals(new byte[16], (byte[]) frame.pixels());
    }

    /** Pixels that are other ones whenever somebody looks, as while a camera writes them. */
    private static final class Written extends ByteProcessor {
        private volatile boolean busy = true;

        Written() {
            super(8, 8);
        }

        @Override
        public Object getPixels() {
            byte[] written = (byte[]) super.getPixels();
            written[0] += busy ? 1 : 0;
            return written;
        }
    }

    @Test
    void halfAPictureIsNotTaken() throws Exception {
        Written pixels = new Written();
        ImagePlus image = new ImagePlus("camera", pixels);
        FrameSlot slot = new FrameSlot(false);
        ImageUpdates updates = new ImageUpdates(image, slot);
        updates.imageUpdated(image);
        assertEquals(null, slot.take(20));
        pixels.busy = false;
        updates.imageUpdated(image);
        assertNotNull(slot.take(20));
        // Those that never hold still are taken as they are.
        pixels.busy = true;
        updates.start();
        assertNotNull(slot.take(LONG_MS));
        updates.stop();
    }

    @Test
    void theShownSliceIsTaken() throws Exception {
        ImageStack stack = new ImageStack(8, 8);
        for (int i = 1; i <= 3; i++) {
            ByteProcessor slice = new ByteProcessor(8, 8);
            slice.set(i);
            stack.addSlice(slice);
        }
        ImagePlus image = new ImagePlus("camera", stack);
        FrameSlot slot = new FrameSlot(false);
        ImageUpdates updates = new ImageUpdates(image, slot);
        updates.start();
        assertEquals(1, first(slot));
        image.setSlice(3);
        assertEquals(3, first(slot));
        updates.stop();
    }

    /** Work on an image into which a camera puts 25 pictures a second. */
    private interface Watching {
        void on(ImagePlus camera) throws Exception;
    }

    private static void withCamera(Watching work) throws Exception {
        ImagePlus demo = DemoCommand.exec("width=240 height=200 frames=30 step=6");
        ImagePlus camera = new ImagePlus("camera", demo.getStack().getProcessor(1).duplicate());
        Object pixels = camera.getProcessor().getPixels();
        Thread showing = new Thread(() -> {
            try {
                for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
                    int at = i % 58;
                    System.arraycopy(demo.getStack().getPixels(1 + (at < 30 ? at : 58 - at)), 0, pixels, 0, 240 * 200);
                    Thread.sleep(40);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        showing.start();
        try {
            work.on(camera);
        } finally {
            showing.interrupt();
            showing.join();
        }
    }

    @Test
    void aScriptMakesAPanoramaOfWhatIsShown() throws Exception {
        withCamera(camera -> {
            MosaicOutput output = LiveCommand.exec(camera, "seconds=3 transforms=[" + folder.resolve("t.csv") + "]");
            assertTrue(output.panorama().getWidth() > 200, output.panorama().toString());
            assertTrue(output.result().rows().size() > 3);
            assertEquals("camera panorama", output.panorama().getTitle());
            assertTrue(new String(Files.readAllBytes(folder.resolve("t.csv"))).startsWith("frame,m00"));
        });
    }

    private static void macro(ImagePlus camera, String options) throws Exception {
        IJ.getErrorMessage();
        BatchMode.open(camera);
        InMacro.call(options, () -> {
            new LiveCommand().run("");
            return null;
        });
    }

    /** The panorama is the current image afterwards; the camera's is as it was and can be used by others meanwhile. */
    @Test
    void aMacroGetsThePanorama() throws Exception {
        withCamera(camera -> {
            macro(camera, "seconds=2 ");
            assertEquals(null, IJ.getErrorMessage());
            assertEquals("camera panorama", Interpreter.getLastBatchModeImage().getTitle());
            assertFalse(camera.isLocked());
            assertEquals(1, camera.getStackSize());
        });
    }

    /** The thread that draws windows is not held while frames come. */
    @Test
    void theThreadOfEventsStartsAnother() throws Exception {
        withCamera(camera -> {
            BatchMode.open(camera);
            long start = System.nanoTime();
            EventQueue.invokeAndWait(() -> {
                try {
                    macro(camera, "seconds=2 ");
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            assertTrue(System.nanoTime() - start < 2e9);
            for (int i = 0; i < 600 && camera == Interpreter.getLastBatchModeImage(); i++) {
                Thread.sleep(50);
            }
            assertEquals("camera panorama", Interpreter.getLastBatchModeImage().getTitle());
        });
    }

    @Test
    void aMacroWithoutAWindowHasToSayWhenItEnds() throws Exception {
        ImagePlus still = new ImagePlus("still", new ByteProcessor(64, 64));
        macro(still, "step=4 ");
        String message = String.valueOf(IJ.getErrorMessage());
        assertTrue(message.contains("seconds 0: there is no window here"), message);
        macro(still, "seconds=0.2 ");
        message = String.valueOf(IJ.getErrorMessage());
        assertTrue(message.contains("no two pictures fit together"), message);
    }

    @Test
    void whatCannotBeWatchedIsRefused() throws IOException {
        ImagePlus grey = new ImagePlus("still", new ByteProcessor(64, 64));
        assertThrows(IllegalArgumentException.class, () -> LiveCommand.exec(grey, ""));
        assertThrows(IllegalArgumentException.class,
                () -> LiveCommand.exec(new ImagePlus("f", new FloatProcessor(64, 64)), "seconds=1"));
        assertTrue(assertThrows(IOException.class, () -> LiveCommand.exec(grey, "seconds=0.3")).getMessage()
                .contains("nothing to make a panorama of"));
    }
}
