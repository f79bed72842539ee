package endorama.plugin;

import static org.junit.jupiter.api.Assertions.assertFalse;

import endorama.core.equalize.BruteEqualization;
import endorama.core.options.Commands;
import ij.ImagePlus;
import ij.ImageStack;
import ij.plugin.filter.PlugInFilterRunner;
import ij.process.ByteProcessor;
import ij.process.ImageProcessor;
import ij.process.ShortProcessor;

/** Small images for the filter, with its runs and expected results. */
final class AheImages {
    static final int W = 48;
    static final int H = 36;
    static final int[] GREY = BruteEqualization.scene(W, H, 255, 1);

    private AheImages() {
    }

    /** Runs the filter as IJ.run does after finding the command in the menus, which need a display. */
    static void run(ImagePlus image, String options) throws Exception {
        BatchMode.open(image);
        InMacro.call(options, () -> new PlugInFilterRunner(new AheCommand(), Commands.AHE.title(), ""));
        assertFalse(image.isLocked());
    }

    static ImagePlus grey() {
        return new ImagePlus("grey", new ByteProcessor(W, H, BruteEqualization.bytes(GREY)));
    }

    /** A 16-bit image with the pixels of {@link #deepScene}. */
    static ImagePlus deep() {
        return new ImagePlus("deep", new ShortProcessor(W, H, BruteEqualization.shorts(deepScene()), null));
    }

    static int[] deepScene() {
        return BruteEqualization.scene(W, H, 3000, 7);
    }

    static ImagePlus stack(int slices) {
        ImageStack stack = new ImageStack(W, H);
        for (int i = 1; i <= slices; i++) {
            stack.addSlice("slice " + i, BruteEqualization.bytes(BruteEqualization.scene(W, H, 255, i)));
        }
        return new ImagePlus("stack", stack);
    }

    static int[] values(ImageProcessor ip) {
        int[] values = new int[ip.getWidth() * ip.getHeight()];
        for (int i = 0; i < values.length; i++) {
            values[i] = ip.get(i) & 0xffffff;
        }
        return values;
    }

    /** Expected pixels of a slice of {@link #stack}, from 1, without limit. */
    static int[] expected(int slice, int window) {
        return BruteEqualization.grey8(BruteEqualization.scene(W, H, 255, slice), W, window, 0);
    }
}
