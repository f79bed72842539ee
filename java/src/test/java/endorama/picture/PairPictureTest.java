package endorama.picture;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.transforms.Transform;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** A pair in the colours of its frames, each where it lies. */
class PairPictureTest {
    private static FramePicture grey(int value, int width, int height) {
        byte[] pixels = new byte[width * height];
        Arrays.fill(pixels, (byte) value);
        return FramePicture.of(pixels, width, height, 0, 255);
    }

    /** The colour at (x, y) of frame a of 20 x 10 grey 200, with frame b, grey 100, 10 px to its right. */
    private static int at(PairPicture.Look look, int x, int y) {
        return PairPicture.draw(grey(200, 20, 10), grey(100, 20, 10), Transform.translation(10, 0), look,
                Transform.translation(2, 3), 40, 20).getRGB(x + 2, y + 3) & 0xffffff;
    }

    @Test
    void looksMixTheFramesWhereBothAre() {
        assertEquals(0x64c864, at(PairPicture.Look.OVERLAY, 15, 5));
        assertEquals(0x00c800, at(PairPicture.Look.OVERLAY, 5, 5));
        assertEquals(0x640064, at(PairPicture.Look.OVERLAY, 25, 5));
        assertEquals(0x969696, at(PairPicture.Look.AVERAGE, 15, 5));
        assertEquals(0xc8c8c8, at(PairPicture.Look.FIRST, 15, 5));
        assertEquals(0x646464, at(PairPicture.Look.SECOND, 15, 5));
        assertEquals(0xc8c8c8, at(PairPicture.Look.SECOND, 5, 5));
        assertEquals(0x303030, at(PairPicture.Look.OVERLAY, 5, 12));
    }

    @Test
    void bothFramesFit() {
        FramePicture frame = grey(9, 40, 30);
        Transform away = Transform.translation(-60, 25);
        Transform view = PairPicture.fit(frame, frame, away, 300, 200, 10);
        for (Transform pose : new Transform[] {view, view.multiply(away)}) {
            double[] corners = pose.corners(40, 30);
            for (int i = 0; i < 8; i += 2) {
                assertTrue(corners[i] >= 9.99 && corners[i] <= 290.01, Arrays.toString(corners));
                assertTrue(corners[i + 1] >= 9.99 && corners[i + 1] <= 190.01, Arrays.toString(corners));
            }
        }
        assertEquals(2.8, view.m00, 1e-9);
    }

    @Test
    void reducedFramesAreMeansAndLieAlike() {
        short[] pixels = {100, 300, 100, 300, 100, 300, 100, 300};
        FramePicture small = FramePicture.of(pixels, 4, 2, 100, 300).reduced(2);
        assertEquals(2, small.width());
        assertEquals(1, small.height());
        assertEquals(0x7f7f7f, small.at(0, 0) & 0xffffff);
        assertArrayEquals(Transform.translation(3, -2).toArray(),
                FramePicture.reduced(Transform.translation(6, -4), 2).toArray(), 1e-12);
    }

    @Test
    void placesBetweenPixelsAreMixed() {
        FramePicture frame = FramePicture.of(new byte[] {0, 100, 0, 100}, 2, 2, 0, 255);
        assertEquals(0x323232, frame.at(0.5, 0.5) & 0xffffff);
        assertEquals(0, frame.at(1.5, 0));
        assertEquals(0xff640000 | 0x6464, frame.at(1.4, 0));
    }
}
