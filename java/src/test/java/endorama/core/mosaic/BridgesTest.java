package endorama.core.mosaic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelType;
import endorama.core.frames.TestFrames;
import endorama.core.options.MosaicParameters;
import endorama.jni.NativeDemo;
import org.junit.jupiter.api.Test;

/** Scenes of two parts that move against each other. */
class BridgesTest {
    private static final int W = 320;
    private static final int H = 256;
    private static final int FRAMES = 14;

    private static TestFrames demo(double step, double rotation) {
        NativeDemo.Options options = new NativeDemo.Options();
        options.width = W;
        options.height = H;
        options.frames = 60;
        options.path = 1;
        options.step = step;
        options.rotation = rotation;
        return TestFrames.demo(options, FRAMES);
    }

    /** The upper part of the one above the lower part of the other. */
    private static TestFrames torn(TestFrames upper, TestFrames lower, int rows) {
        TestFrames frames = new TestFrames(W, H, PixelType.RGB32);
        for (int i = 0; i < FRAMES; i++) {
            int[] pixels = ((int[]) lower.get(i)).clone();
            System.arraycopy(upper.get(i), 0, pixels, 0, rows * W);
            frames.add(pixels);
        }
        return frames;
    }

    /** Accepted pairs of frames that lie between these distances apart, both included. */
    private static int pairs(TestFrames frames, String solve, int from, int to) throws FrameReadException {
        MosaicSession session = new MosaicSession(frames, MosaicParameters.defaults().with("solve", solve),
                Progress.NONE).pairsAlone();
        session.run();
        int n = 0;
        for (JsonElement link : new JsonParser().parse(session.pairs()).getAsJsonObject().getAsJsonArray("links")) {
            JsonObject pair = link.getAsJsonObject();
            int apart = pair.get("current").getAsInt() - pair.get("reference").getAsInt();
            n += apart >= from && apart <= to ? 1 : 0;
        }
        return n;
    }

    /** They turn against each other, and no frame goes with the key frame. */
    @Test
    void chainsOfNeighboursAloneAreBridged() throws FrameReadException {
        TestFrames frames = torn(demo(3, 5), demo(3, 25), H / 2 + 1);
        assertEquals(0, pairs(frames, "Global", 4, FRAMES));
        assertTrue(pairs(frames, "Global", 2, 3) > 0);
        assertEquals(0, pairs(frames, "None", 2, FRAMES));
    }

    @Test
    void framesThatGoWithTheirKeyFrameGetNoMorePairs() throws FrameReadException {
        TestFrames frames = demo(3, 5);
        assertTrue(pairs(frames, "Global", 4, FRAMES) > 0);
        assertEquals(0, pairs(frames, "Global", 2, 3));
    }
}
