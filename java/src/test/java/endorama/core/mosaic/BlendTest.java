package endorama.core.mosaic;

import static endorama.core.mosaic.TestRuns.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelType;
import endorama.core.frames.TestFrames;
import endorama.core.options.MosaicParameters;
import endorama.core.paint.Panorama;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Panoramas without vignetting and flicker, of frames whose light is known to have been uneven. */
class BlendTest {
    private static final int W = 360;
    private static final int H = 288;
    private static final int FRAMES = 24;
    private static final MosaicParameters BLEND = MosaicParameters.defaults();

    private static TestFrames even;
    private static TestFrames flickering;

    @BeforeAll
    static void make() {
        even = TestFrames.demo(W, H, FRAMES, 5);
        flickering = TestFrames.demo(W, H, FRAMES, 5);
        for (int i = 1; i < FRAMES; i += 2) {
            flickering.set(i, dimmed((int[]) even.get(i), 0.8, 0.7));
        }
    }

    /** Multiplies red by the first factor, green and blue by the second. */
    private static int[] dimmed(int[] frame, double red, double others) {
        int[] dim = new int[frame.length];
        for (int i = 0; i < dim.length; i++) {
            dim[i] = 0xff000000 | (int) ((frame[i] >> 16 & 255) * red) << 16 | (int) ((frame[i] >> 8 & 255) * others) << 8
                    | (int) ((frame[i] & 255) * others);
        }
        return dim;
    }

    /** Mean difference of green where both are painted, after a common factor. */
    private static double difference(Panorama a, Panorama b) {
        double sumA = 0;
        double sumB = 0;
        double off = 0;
        double n = 0;
        for (int pass = 0; pass < 2; pass++) {
            for (int y = 0; y < a.height(); y++) {
                for (int x = 0; x < a.width(); x++) {
                    int bx = x - a.originX() + b.originX();
                    int by = y - a.originY() + b.originY();
                    int i = y * a.width() + x;
                    int j = by * b.width() + bx;
                    if (bx < 0 || by < 0 || bx >= b.width() || by >= b.height() || a.painted()[i] == 0
                            || b.painted()[j] == 0) {
                        continue;
                    }
                    double ga = ((int[]) a.pixels())[i] >> 8 & 255;
                    double gb = ((int[]) b.pixels())[j] >> 8 & 255;
                    if (pass == 0) {
                        sumA += ga;
                        sumB += gb;
                    } else {
                        off += Math.abs(ga * sumB / sumA - gb);
                        n++;
                    }
                }
            }
        }
        return off / n;
    }

    @Test
    void flickerOfColoursDoesNotShow() throws FrameReadException {
        Panorama wanted = run(even, BLEND).panorama();
        MosaicResult result = run(flickering, BLEND);
        assertTrue(result.light().flicker() > 0.1 && result.light().flicker() < 0.25, result.light().toString());
        double blended = difference(result.panorama(), wanted);
        double left = difference(run(flickering, BLEND.with("light", "None")).panorama(), wanted);
        double union = difference(run(flickering, BLEND.with("painting", "Union")).panorama(), wanted);
        // So few frames leave the fall-off unsure, and of the flickering ones a little less of it is taken out.
        assertTrue(blended < 3, "blended " + blended);
        assertTrue(left > 2 * blended && union > 3 * blended, "light as it is " + left + ", union " + union);
    }

    @Test
    void lightIsSaid() throws FrameReadException {
        MosaicResult result = run(even, BLEND);
        assertNotNull(result.light());
        assertTrue(result.log().contains("light " + result.light()), result.log().toString());
        assertTrue(result.light().isKnown());
        assertTrue(result.light().rim() > 0.3 && result.light().rim() < 0.95, result.light().toString());
        assertEquals(1, result.light().curve()[0], 0.02);
        assertNull(run(even, BLEND.with("light", "None")).light());
        assertNull(run(even, BLEND.with("painting", "Union")).light());
    }

    /** A scope that does not move: vignetting is not guessed. */
    @Test
    void unknownLightIsSaid() throws FrameReadException {
        TestFrames frozen = new TestFrames(W, H, PixelType.RGB32);
        for (int i = 0; i < 5; i++) {
            frozen.add(i == 3 ? dimmed((int[]) even.get(0), 0.8, 0.8) : even.get(0));
        }
        MosaicResult result = run(frozen, BLEND);
        assertFalse(result.light().isKnown());
        assertEquals(1, result.light().rim());
        assertTrue(result.light().toString().startsWith("vignetting not corrected"), result.light().toString());
        assertTrue(result.light().flicker() > 0.05, result.light().toString());
    }

    /** A single usable frame makes a panorama, too. */
    @Test
    void oneFrameIsAPicture() throws FrameReadException {
        TestFrames one = new TestFrames(W, H, PixelType.RGB32).add(even.get(0)).add(new int[W * H]);
        MosaicResult result = run(one, BLEND);
        assertNotNull(result.panorama());
        assertEquals(0, difference(result.panorama(), run(one, BLEND.with("painting", "Union")).panorama()), 0.01);
    }

    @Test
    void scaleChangesThePixels() throws FrameReadException {
        Panorama full = run(even, BLEND).panorama();
        Panorama half = run(even, BLEND.with("scale", 0.5)).panorama();
        assertEquals(full.width() / 2.0, half.width(), 2);
        assertEquals(full.height() / 2.0, half.height(), 2);
        double x = half.transform().applyX(100, 60);
        double y = half.transform().applyY(100, 60);
        assertEquals((full.originX() + 100) / 2.0, x, 1.5);
        int there = (full.originY() + 60) * full.width() + full.originX() + 100;
        int here = (int) Math.round(y) * half.width() + (int) Math.round(x);
        assertEquals(((int[]) full.pixels())[there] >> 8 & 255, ((int[]) half.pixels())[here] >> 8 & 255, 25);
    }

    @Test
    void sixteenBitAndLinear() throws FrameReadException {
        MosaicResult cubic = run(even.grey16(), BLEND);
        MosaicResult linear = run(even.grey16(), BLEND.with("interpolation", "Linear"));
        short[] a = (short[]) cubic.panorama().pixels();
        short[] b = (short[]) linear.panorama().pixels();
        int differ = 0;
        int far = 0;
        for (int i = 0; i < Math.min(a.length, b.length); i++) {
            differ += a[i] != b[i] ? 1 : 0;
            far += Math.abs((a[i] & 0xffff) - (b[i] & 0xffff)) > 1000 ? 1 : 0;
        }
        assertTrue(differ > a.length / 10 && far < a.length / 100, differ + ", far " + far);
    }

    /** The size limit stops painting, and is named. */
    @Test
    void limitIsNamed() throws FrameReadException {
        MosaicResult result = run(TestFrames.demo(1400, 1000, 6, 5), BLEND.with("max_canvas", 1).with("scale", 1.5));
        assertNotNull(result.lost());
        assertTrue(result.lost().contains("max_canvas"), result.lost());
    }
}
