package endorama.picture;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ij.ImagePlus;
import ij.ImageStack;
import ij.process.ByteProcessor;
import ij.process.ColorProcessor;
import ij.process.ImageConverter;
import ij.process.ImageProcessor;
import org.junit.jupiter.api.Test;

/** Slices that are at hand. */
class ImageSlicesTest {
    private static ImageStack stack(ImageProcessor... slices) {
        ImageStack stack = new ImageStack(slices[0].getWidth(), slices[0].getHeight());
        for (ImageProcessor slice : slices) {
            stack.addSlice(slice);
        }
        return stack;
    }

    private static ImageSlices slices(ImageStack stack) {
        return new ImageSlices(new ImagePlus("few", stack), "few");
    }

    @Test
    void slicesInMemoryAreAtHand() throws Exception {
        ImageSlices colours = slices(stack(new ColorProcessor(3, 2), new ColorProcessor(3, 2)));
        assertTrue(colours.isAtHand(1));
        assertSame(colours.pixels(1), colours.pixels(1));
        assertTrue(slices(stack(new ByteProcessor(3, 2))).isAtHand(0));
    }

    @Test
    void slicesOfFilesAreNot() {
        ImageStack files = new ImageStack(3, 2) {
            @Override
            public boolean isVirtual() {
                return true;
            }
        };
        files.addSlice(new ByteProcessor(3, 2));
        assertFalse(slices(files).isAtHand(0));
    }

    @Test
    void coloursOfAPaletteAreMadeAnew() {
        ImagePlus image = new ImagePlus("palette", new ColorProcessor(2, 1, new int[] {0xff0000, 0x00ff00}));
        new ImageConverter(image).convertRGBtoIndexedColor(8);
        assertFalse(new ImageSlices(image, "palette").isAtHand(0));
    }
}
