package endorama.plugin;

import static endorama.plugin.AheImages.H;
import static endorama.plugin.AheImages.W;
import static endorama.plugin.AheImages.deep;
import static endorama.plugin.AheImages.deepScene;
import static endorama.plugin.AheImages.run;
import static endorama.plugin.AheImages.values;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import endorama.core.equalize.BruteEqualization;
import ij.CompositeImage;
import ij.ImageListener;
import ij.ImagePlus;
import ij.ImageStack;
import ij.Undo;
import ij.WindowManager;
import ij.gui.OvalRoi;
import ij.process.LUT;
import ij.process.ShortProcessor;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The display range after equalizing 16 bits: it shows all values, Undo restores the old one, and the user's choice stays. */
@ExtendWith(BatchMode.class)
class AheDisplayTest {
    @Test
    void deepImageIsShownWhole() throws Exception {
        int[] deep = deepScene();
        ImagePlus image = deep();
        image.setDisplayRange(100, 2000);
        run(image, "window=21 limit=0 ");
        assertArrayEquals(BruteEqualization.grey16(deep, W, 21, 0), values(image.getProcessor()));
        assertEquals(0, image.getDisplayRangeMin());
        assertEquals(65535, image.getDisplayRangeMax());
        undo(image);
        assertArrayEquals(deep, values(image.getProcessor()));
        assertEquals(100, image.getDisplayRangeMin());
        assertEquals(2000, image.getDisplayRangeMax());
        undo(image);
        assertArrayEquals(BruteEqualization.grey16(deep, W, 21, 0), values(image.getProcessor()));
        assertEquals(65535, image.getDisplayRangeMax());
    }

    private static void undo(ImagePlus image) {
        WindowManager.setTempCurrentImage(image);
        Undo.undo();
        updated(image);
    }

    /** Sends the event of ImageJ about an image with a window. */
    private static void updated(ImagePlus image) {
        for (Object listener : ImagePlus.getListeners().toArray()) {
            ((ImageListener) listener).imageUpdated(image);
        }
    }

    /** A range that the user chose since then stays, and other pixels end the watch. */
    @Test
    void displayThatWasChangedByHandStays() throws Exception {
        int[] deep = deepScene();
        ImagePlus image = deep();
        image.setDisplayRange(100, 2000);
        run(image, "window=21 limit=0 ");
        image.setDisplayRange(5, 4000);
        updated(image);
        assertEquals(4000, image.getDisplayRangeMax());
        image.getProcessor().set(0, 0, 17);
        updated(image);
        image.getProcessor().setPixels(BruteEqualization.shorts(deep));
        image.setDisplayRange(5, 4000);
        updated(image);
        assertEquals(4000, image.getDisplayRangeMax());
    }

    /** The range of the image is kept, as the rest of it would be black in 0..65535. */
    @Test
    void deepSelectionGoesIntoTheRangeOfTheImage() throws Exception {
        int[] deep = deepScene();
        ImagePlus image = deep();
        image.setDisplayRange(100, 2000);
        image.setRoi(new OvalRoi(4, 4, 40, 30));
        run(image, "window=21 limit=0 ");
        int[] whole = BruteEqualization.grey16(deep, W, 21, 0);
        int low = Arrays.stream(deep).min().getAsInt();
        int high = Arrays.stream(deep).max().getAsInt();
        int[] out = values(image.getProcessor());
        for (int i = 0; i < out.length; i++) {
            long mapped = low + Math.round((double) whole[i] * (high - low) / 65535);
            assertEquals(image.getRoi().contains(i % W, i / W) ? mapped : deep[i], out[i]);
        }
        assertEquals(100, image.getDisplayRangeMin());
        assertEquals(2000, image.getDisplayRangeMax());
        WindowManager.setTempCurrentImage(image);
        Undo.undo();
        assertArrayEquals(deep, values(image.getProcessor()));
    }

    private static ImagePlus deepStack() {
        ImageStack stack = new ImageStack(W, H);
        for (int i = 0; i < 2; i++) {
            stack.addSlice(new ShortProcessor(W, H, BruteEqualization.shorts(BruteEqualization.scene(W, H, 900, i)), null));
        }
        return new ImagePlus("deep", stack);
    }

    /** Every channel, in place and where a virtual stack goes to a new image. */
    @Test
    void everyChannelIsShownWhole() {
        ImagePlus image = deepStack();
        image.setDimensions(2, 1, 1);
        CompositeImage coloured = new CompositeImage(image, CompositeImage.COMPOSITE);
        for (int channel = 1; channel <= 2; channel++) {
            coloured.setC(channel);
            coloured.setDisplayRange(10 * channel, 500);
        }
        AheCommand.exec(coloured, "window=11 limit=0 stack");
        for (LUT channel : coloured.getLuts()) {
            assertEquals(0, channel.min);
            assertEquals(65535, channel.max);
        }
    }

    @Test
    void deepStackIsShownWhole() throws Exception {
        ImagePlus image = deepStack();
        run(image, "window=11 limit=3 stack ");
        assertEquals(65535, image.getDisplayRangeMax());
        assertArrayEquals(BruteEqualization.grey16(BruteEqualization.scene(W, H, 900, 1), W, 11, 3),
                values(image.getStack().getProcessor(2)));
    }
}
