package endorama.core.pairs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.engine.FrameStore;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.TestFrames;
import endorama.core.options.MosaicParameters;
import endorama.core.transforms.Transform;
import endorama.jni.FramesOptions;
import endorama.jni.NativeContext;
import endorama.jni.NativeTransforms;
import endorama.jni.PairResults;
import endorama.jni.RegisterOptions;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What spectra find among all places is believed where the frames themselves say about the same. */
class SpectraTest {
    private static final int W = 256;
    private static final int H = 200;

    private static FramesOptions options(FrameSource source) {
        FramesOptions options = new FramesOptions();
        options.width = W;
        options.height = H;
        options.type = source.type().code();
        options.capacity = 2;
        options.flow = false;
        options.field = inside();
        return options;
    }

    /** The middle of the frame: its rim is the same in every scene. */
    private static byte[] inside() {
        byte[] field = new byte[W * H];
        for (int y = H / 5; y < H - H / 5; y++) {
            Arrays.fill(field, y * W + W / 5, y * W + W - W / 5, (byte) 255);
        }
        return field;
    }

    private static Transform shift(double x) {
        return Transform.translation(x, 0);
    }

    /** What the second frame says, registered with the first one from where it is said to lie. */
    private static PairMatch ask(FrameSource source, Transform from) throws FrameReadException {
        RegisterOptions asked = MosaicParameters.defaults().register().copy();
        asked.quality = true;
        NativeTransforms starts = new NativeTransforms(1);
        from.put(starts, 0);
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1);
                FrameStore store = new FrameStore(context, source, options(source))) {
            int[] pair = {store.read(0), store.read(1)};
            PairResults results = store.frames().registerFrom(pair, starts, asked);
            return new PairMatch(results, 0, 0, 0, 0, 0);
        }
    }

    @Test
    void framesOfOneSceneAgreeWithinAThirtySecondOfTheWidth() throws FrameReadException {
        TestFrames frames = TestFrames.demo(W, H, 2, 5);
        PairMatch found = ask(frames, frames.truth().get(2));
        assertEquals(FrameRow.Status.OK, found.status);
        assertTrue(Spectra.agree(found, found.step, W, H));
        assertTrue(Spectra.agree(found, shift(7.9).multiply(found.step), W, H));
        assertFalse(Spectra.agree(found, shift(8.1).multiply(found.step), W, H));
    }

    @Test
    void framesOfTwoScenesDoNot() throws FrameReadException {
        TestFrames frames = TestFrames.demo(W, H, 2, 5);
        frames.set(1, TestFrames.demo(W, H, 1, 77).get(0));
        PairMatch found = ask(frames, Transform.IDENTITY);
        assertFalse(Spectra.agree(found, found.step, W, H));
    }
}
