package endorama.plugin;

import static endorama.plugin.AheImages.H;
import static endorama.plugin.AheImages.W;
import static endorama.plugin.AheImages.expected;
import static endorama.plugin.AheImages.run;
import static endorama.plugin.AheImages.stack;
import static endorama.plugin.AheImages.values;
import static endorama.plugin.CommandsTest.assertSamePixels;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.equalize.BruteEqualization;
import ij.IJ;
import ij.ImagePlus;
import ij.ImageStack;
import ij.gui.OvalRoi;
import ij.gui.Roi;
import ij.macro.Interpreter;
import java.awt.event.KeyEvent;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The filter on stacks: one slice or all, virtual ones, Escape, and failing readers. */
@ExtendWith(BatchMode.class)
class AheStackTest {
    @Test
    void stackOrSlice() throws Exception {
        ImagePlus one = stack(3);
        one.setSlice(2);
        run(one, "window=11 limit=0 ");
        ImagePlus every = stack(3);
        run(every, "window=11 limit=0 stack ");
        for (int i = 1; i <= 3; i++) {
            int[] before = BruteEqualization.scene(W, H, 255, i);
            assertArrayEquals(i == 2 ? expected(i, 11) : before, values(one.getStack().getProcessor(i)));
            assertArrayEquals(expected(i, 11), values(every.getStack().getProcessor(i)));
        }
        assertEquals("slice 3", every.getStack().getSliceLabel(3));
        assertSamePixels(every, AheCommand.exec(stack(3), "window=11 limit=0 stack"));
        ImagePlus scripted = stack(3);
        scripted.setSlice(2);
        assertSamePixels(one, AheCommand.exec(scripted, "window=11 limit=0"));
    }

    @Test
    void virtualStackGoesToANewOne() throws Exception {
        ImagePlus image = new ImagePlus("lazy.tif", new LazyStack(stack(3), n -> { }));
        image.getCalibration().setUnit("mm");
        image.setRoi(new OvalRoi(3, 3, 30, 30));
        run(image, "window=11 limit=0 stack ");
        ImagePlus result = Interpreter.getLastBatchModeImage();
        assertNotSame(image, result);
        assertEquals("lazy equalized", result.getTitle());
        assertEquals("mm", result.getCalibration().getUnit());
        assertEquals(3, result.getStackSize());
        assertFalse(result.getStack().isVirtual());
        assertEquals("slice 2", result.getStack().getSliceLabel(2));
        for (int i = 1; i <= 3; i++) {
            int[] before = BruteEqualization.scene(W, H, 255, i);
            assertArrayEquals(before, values(image.getStack().getProcessor(i)));
            int[] whole = expected(i, 11);
            for (int j = 0; j < whole.length; j++) {
                boolean inside = image.getRoi().contains(j % W, j / W);
                assertEquals(inside ? whole[j] : before[j], result.getStack().getProcessor(i).get(j));
            }
        }
        image.setRoi((Roi) null);
        image.setSlice(3);
        ImagePlus slice = AheCommand.exec(image, "window=11 limit=0");
        assertEquals(1, slice.getStackSize());
        assertArrayEquals(expected(3, 11), values(slice.getProcessor()));
    }

    /** Escape is pressed while the third slice is read. */
    @Test
    void escapeKeepsTheSlicesThatAreDone() throws Exception {
        ImageStack stack = new ImageStack(W, H) {
            @Override
            public Object getPixels(int n) {
                if (n == 3 && armed()) {
                    IJ.setKeyDown(KeyEvent.VK_ESCAPE);
                }
                return super.getPixels(n);
            }

            private boolean armed() {
                return Arrays.stream(Thread.currentThread().getStackTrace())
                        .anyMatch(e -> e.getMethodName().equals("processStack"));
            }
        };
        for (int i = 1; i <= 5; i++) {
            stack.addSlice("", BruteEqualization.bytes(BruteEqualization.scene(W, H, 255, i)));
        }
        ImagePlus image = new ImagePlus("escaped", stack);
        run(image, "window=11 limit=0 stack ");
        for (int i = 1; i <= 5; i++) {
            assertArrayEquals(i < 3 ? expected(i, 11) : BruteEqualization.scene(W, H, 255, i),
                    values(stack.getProcessor(i)), "slice " + i);
        }
    }

    @Test
    void escapeKeepsTheDonePartOfAVirtualStack() throws Exception {
        ImagePlus image = new ImagePlus("lazy", new LazyStack(stack(5), n -> {
            if (n == 3) {
                IJ.setKeyDown(KeyEvent.VK_ESCAPE);
            }
        }));
        run(image, "window=11 limit=0 stack ");
        assertEquals(2, Interpreter.getLastBatchModeImage().getStackSize());
    }

    /** A reader that throws an Error. */
    @Test
    void errorsOfJavaAreTold() throws Exception {
        ImagePlus image = new ImagePlus("lazy", new LazyStack(stack(3), n -> {
            if (n == 3) {
                throw new UnsatisfiedLinkError("no javajpeg");
            }
        }));
        IJ.getErrorMessage();
        run(image, "window=11 limit=0 stack ");
        assertFalse(image.isLocked());
        String message = String.valueOf(IJ.getErrorMessage());
        assertTrue(message.contains("no javajpeg") && message.contains("JAVA_HOME"), message);
    }
}
