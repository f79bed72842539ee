package endorama.plugin;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import ij.ImagePlus;
import ij.Macro;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Macros that run at the same time on separate threads: each has its options, and the pixels that it gives alone. */
class TwoMacrosTest {
    private static final int ROUNDS = 3;
    private static final List<String> OPTIONS = Arrays.asList("method=Paper solve=None painting=Union template=15 ",
            "method=Best solve=Global painting=Blend ");

    private static ImagePlus panorama(int seed, String options) throws Exception {
        ImagePlus frames = DemoCommand.exec("width=240 height=200 frames=8 step=4 seed=" + seed);
        return InMacro.call(options, () -> MosaicCommand.exec(frames, Macro.getOptions()).panorama());
    }

    @Test
    void everyMacroHasWhatItWouldHaveAlone() throws Exception {
        List<int[]> alone = new ArrayList<>();
        for (int i = 0; i < OPTIONS.size(); i++) {
            alone.add((int[]) panorama(i, OPTIONS.get(i)).getProcessor().getPixels());
        }
        assertNotEquals(alone.get(0).length, 0);
        ExecutorService threads = Executors.newFixedThreadPool(OPTIONS.size());
        try {
            for (int round = 0; round < ROUNDS; round++) {
                List<Future<ImagePlus>> running = new ArrayList<>();
                for (int i = 0; i < OPTIONS.size(); i++) {
                    int number = i;
                    running.add(threads.submit(() -> panorama(number, OPTIONS.get(number))));
                }
                for (int i = 0; i < OPTIONS.size(); i++) {
                    int[] pixels = (int[]) running.get(i).get().getProcessor().getPixels();
                    assertEquals(alone.get(i).length, pixels.length);
                    assertArrayEquals(alone.get(i), pixels);
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
