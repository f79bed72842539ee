package endorama.core.paint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelType;
import endorama.core.frames.TestFrames;
import endorama.core.mosaic.MosaicSession;
import endorama.core.options.MosaicParameters;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What frames count for that are blurred beside their neighbours. */
class SharpnessTest {
    private static final int W = 360;
    private static final int H = 288;

    private static List<Integer> all(int n) {
        List<Integer> frames = new ArrayList<Integer>();
        for (int i = 0; i < n; i++) {
            frames.add(i);
        }
        return frames;
    }

    /** Bars of this amplitude about the same brightness, for all kinds of pixels. */
    private static Object bars(PixelType type, double amplitude) {
        Object pixels = type.array(W * H);
        for (int i = 0; i < W * H; i++) {
            int v = 100 + (int) Math.round(amplitude * (i % W / 4 % 2 == 0 ? 1 : -1));
            switch (type) {
                case GREY8: ((byte[]) pixels)[i] = (byte) v; break;
                case GREY16: ((short[]) pixels)[i] = (short) (200 * v); break;
                default: ((int[]) pixels)[i] = 0xff000000 | v << 8;
            }
        }
        return pixels;
    }

    private static Sharpness of(PixelType type, int n) {
        TestFrames frames = new TestFrames(W, H, type);
        for (int i = 0; i < n; i++) {
            frames.add(type.array(W * H));
        }
        return new Sharpness(frames);
    }

    /** Of frames of one kind whose details have these amplitudes. */
    private static double[] weights(PixelType type, double... amplitudes) {
        Sharpness sharpness = of(type, amplitudes.length);
        for (int i = 0; i < amplitudes.length; i++) {
            sharpness.see(i, bars(type, amplitudes[i]));
        }
        return sharpness.weights(all(amplitudes.length));
    }

    @Test
    void lessThanWhatIsUsualCountsLess() {
        for (PixelType type : PixelType.values()) {
            double[] weights = weights(type, 40, 40, 34, 40, 40, 28, 40, 16, 40, 40);
            assertEquals(1, weights[0]);
            assertEquals(1, weights[2], "15 % less is no blur");
            assertEquals(Math.pow(28 / 40.0 / 0.8, 4), weights[5], 0.01);
            assertEquals(Math.pow(16 / 40.0 / 0.8, 4), weights[7], 0.01);
        }
    }

    /** Pairs of pixels of these two values in turn, in rows whose sums no int holds. */
    private static short[] pairs(int width, int low, int high) {
        short[] pixels = new short[width * 2];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (short) (i / 2 % 2 == 0 ? low : high);
        }
        return pixels;
    }

    @Test
    void longRowsOfTheStrongestContrast() {
        int width = 24000;
        TestFrames frames = new TestFrames(width, 2, PixelType.GREY16);
        for (int i = 0; i < 3; i++) {
            frames.add(new short[width * 2]);
        }
        Sharpness sharpness = new Sharpness(frames);
        sharpness.see(0, pairs(width, 0, 65535));
        sharpness.see(1, pairs(width, 16384, 49151));
        sharpness.see(2, pairs(width, 0, 65535));
        double[] weights = sharpness.weights(all(3));
        assertEquals(1, weights[0]);
        assertEquals(Math.pow(0.5 / 0.8, 4), weights[1], 0.001);
    }

    /** Compared with its neighbours alone: elsewhere the scene may be plainer. */
    @Test
    void scenesDiffer() {
        double[] amplitudes = new double[100];
        for (int i = 0; i < amplitudes.length; i++) {
            amplitudes[i] = i < 50 ? 60 : 20;
        }
        amplitudes[80] = 10;
        double[] weights = weights(PixelType.GREY8, amplitudes);
        assertEquals(1, weights[90]);
        assertEquals(Math.pow(0.5 / 0.8, 4), weights[80], 0.01);
        for (int i = 50; i < 80; i++) {
            assertEquals(1, weights[i], "frame " + i);
        }
    }

    /** Of the frame and fifteen on either side, by their median: fifteen that are blurred are few, sixteen are usual. */
    @Test
    void usualIsWhatMostAroundShow() {
        for (int run = 15; run <= 16; run++) {
            double[] amplitudes = new double[80];
            for (int i = 0; i < amplitudes.length; i++) {
                amplitudes[i] = i >= 40 && i < 40 + run ? 20 : 60;
            }
            assertEquals(run == 15 ? Math.pow(1 / 2.4, 4) : 1, weights(PixelType.GREY8, amplitudes)[47], 0.01);
        }
    }

    /** Frames that were not seen count as ever; brightness is no sharpness; the first look counts. */
    @Test
    void whatIsNotKnownCounts() {
        Sharpness sharpness = of(PixelType.GREY8, 4);
        sharpness.see(0, bars(PixelType.GREY8, 40));
        sharpness.see(1, bars(PixelType.GREY8, 40));
        sharpness.see(1, bars(PixelType.GREY8, 4));
        sharpness.see(2, new byte[W * H]);
        double[] weights = sharpness.weights(all(4));
        assertEquals(1, weights[1]);
        assertEquals(1, weights[3]);
        assertTrue(weights[2] < 0.01, "nothing to be seen: " + weights[2]);
    }

    @Test
    void weightsFallToThoseOfDoubtfulFrames() {
        Sharpness sharpness = of(PixelType.GREY8, 4);
        Weighing weighing = new Weighing(4);
        for (int i = 0; i < 4; i++) {
            sharpness.see(i, bars(PixelType.GREY8, i == 2 ? 2 : i == 3 ? 28 : 40));
            weighing.set(i, Double.NaN, i == 1);
        }
        weighing.sharpen(all(4), sharpness);
        assertEquals(256, weighing.weight(0));
        assertEquals(4, weighing.weight(1));
        assertEquals(4, weighing.weight(2));
        assertEquals(150, weighing.weight(3), 2);
        weighing.sharpen(all(4), null);
        assertEquals(256, weighing.weight(0));
    }

    private static int[] blurred(int[] frame) {
        int[] out = frame;
        for (int pass = 0; pass < 6; pass++) {
            int[] in = out;
            out = in.clone();
            for (int i = W + 1; i < W * H - W - 1; i++) {
                int v = 0;
                for (int channel = 0; channel < 24; channel += 8) {
                    int sum = 2;
                    for (int by : new int[] {-1, 1, -W, W}) {
                        sum += in[i + by] >> channel & 255;
                    }
                    v |= (sum / 4) << channel;
                }
                out[i] = 0xff000000 | v;
            }
        }
        return out;
    }

    /** Mean difference of neighbours in a row, where both are painted. */
    private static double details(Panorama p) {
        double sum = 0;
        double n = 0;
        for (int i = 1; i < p.width() * p.height(); i++) {
            if (p.painted()[i] != 0 && p.painted()[i - 1] != 0) {
                sum += Math.abs((((int[]) p.pixels())[i] >> 8 & 255) - (((int[]) p.pixels())[i - 1] >> 8 & 255));
                n++;
            }
        }
        return sum / n;
    }

    /** Every third frame of a sequence out of focus: the panorama is as sharp as that of sharp frames. */
    @Test
    void blurredFramesHardlyShow() throws FrameReadException {
        TestFrames sharp = TestFrames.demo(W, H, 24, 5);
        TestFrames mixed = TestFrames.demo(W, H, 24, 5);
        for (int i = 1; i < 24; i += 3) {
            mixed.set(i, blurred((int[]) sharp.get(i)));
        }
        MosaicParameters blend = MosaicParameters.defaults();
        double wanted = details(new MosaicSession(sharp, blend, Progress.NONE).run().panorama());
        double made = details(new MosaicSession(mixed, blend, Progress.NONE).run().panorama());
        assertTrue(made > 0.93 * wanted, made + " of " + wanted);
    }
}
