package endorama.core.mosaic;

import static endorama.core.mosaic.TestRuns.run;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.frames.PixelType;
import endorama.core.frames.TestFrames;
import endorama.core.options.MosaicParameters;
import endorama.core.mosaic.FrameRow.Status;
import endorama.core.transforms.Drift;
import endorama.jni.NativeDemo;
import java.util.Arrays;
import java.util.Collections;
import java.util.Random;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Sequences with a partly damaged frame. The result must be, to the byte, that of the sequence without that frame: the others
 * are registered as without the damage, and none of its pixels is in the panorama.
 */
class DamagedSequencesTest {
    private static final int W = 240;
    private static final int H = 200;
    private static final int FRAMES = 12;

    private enum Damage {
        GREEN, NOISE, BLACK, TORN, COMBED
    }

    private static TestFrames demo() {
        return TestFrames.demo(W, H, FRAMES, 5);
    }

    /** Damages the lower half, or all rows of a combed frame. */
    private static int[] damaged(Object pixels, Damage damage) {
        int[] good = (int[]) pixels;
        int[] bad = good.clone();
        Random random = new Random(3);
        for (int y = damage == Damage.COMBED ? 0 : H / 2; y < H; y++) {
            int shift = damage == Damage.TORN ? 30 : damage == Damage.COMBED && y % 2 == 1 ? 8 : 0;
            for (int x = 0; x < W; x++) {
                int colour = good[y * W + (x + shift) % W];
                bad[y * W + x] = damage == Damage.GREEN ? 0xff00ff00 : damage == Damage.BLACK ? 0xff000000
                        : damage == Damage.NOISE ? 0xff000000 | random.nextInt(1 << 24) : colour;
            }
        }
        return bad;
    }

    /** The field is given, because a damaged frame may move the edge of a detected one by a pixel. */
    private static MosaicParameters parameters() {
        return within((x, y) -> Math.hypot(x - W / 2.0, y - H / 2.0) < 98);
    }

    private static MosaicParameters inTheMiddle() {
        return within((x, y) -> x >= 50 && x < W - 50 && y >= 10 && y < H - 10);
    }

    private static MosaicParameters within(BiPredicate<Integer, Integer> field) {
        byte[] mask = new byte[W * H];
        for (int i = 0; i < mask.length; i++) {
            mask[i] = (byte) (field.test(i % W, i / W) ? 1 : 0);
        }
        return MosaicParameters.defaults().with("pattern", "None").with("field", "Selection").withSelection(mask);
    }

    private static void assertLeftOut(TestFrames frames, int... bad) throws FrameReadException {
        assertLeftOut(frames, inTheMiddle(), bad);
    }

    /** Compares with a sequence in which frames `bad` cannot be read. */
    private static void assertLeftOut(TestFrames frames, MosaicParameters parameters, int... bad)
            throws FrameReadException {
        TestFrames without = demo();
        for (int i : bad) {
            without.set(i, null);
        }
        MosaicResult wanted = run(without, parameters);
        MosaicResult result = run(frames, parameters);
        String log = String.join("\n", result.log());
        assertEquals(FRAMES - bad.length, result.registered(), log);
        for (int i = 0; i < FRAMES; i++) {
            assertEquals(wanted.rows().get(i).registered, result.rows().get(i).registered, "frame " + (i + 1));
            if (result.rows().get(i).registered) {
                assertEquals(wanted.rows().get(i).transform, result.rows().get(i).transform, "frame " + (i + 1));
            }
        }
        assertEquals(wanted.field(), result.field());
        assertArrayEquals((int[]) wanted.panorama().pixels(), (int[]) result.panorama().pixels());
        assertArrayEquals(wanted.panorama().painted(), result.panorama().painted());
        assertFalse(result.complete());
        assertTrue(result.lost().startsWith(bad.length + " of 12 frames: " + Frames.range(bad[0] + 1, bad[bad.length - 1] + 1)),
                result.lost());
        Drift undamaged = Drift.of(run(demo(), parameters).saved(), frames.truth(), W, H);
        Drift drift = Drift.of(result.saved(), frames.truth(), W, H);
        assertTrue(drift.maxPairError() <= undamaged.maxPairError() + 0.1, "pair error " + drift.maxPairError()
                + ", undamaged " + undamaged.maxPairError());
    }

    @ParameterizedTest
    @EnumSource(Damage.class)
    void damagedFrameIsLeftOut(Damage damage) throws FrameReadException {
        TestFrames frames = demo();
        assertLeftOut(frames.set(6, damaged(frames.get(6), damage)), parameters(), 6);
        assertEquals(Status.OUTLIER, run(frames).rows().get(6).status);
        assertTrue(run(frames).log().stream().anyMatch(line -> line.equals("frame 7 left out (a part of it does not"
                + " show what the frames around it show); tracking from frame 1 goes on with frame 8")));
    }

    private static int[] turned(Object pixels) {
        int[] good = (int[]) pixels;
        int[] turned = new int[good.length];
        for (int i = 0; i < good.length; i++) {
            turned[i] = good[good.length - 1 - i];
        }
        return turned;
    }

    /** A frame upside down, unlike the next one, is an outlier: no scope turns so fast. A turn that stays is accepted. */
    @Test
    void frameThatIsTurnedAloneIsLeftOut() throws FrameReadException {
        TestFrames frames = demo();
        assertLeftOut(frames.set(6, turned(frames.get(6))), parameters(), 6);
        for (int i = 7; i < FRAMES; i++) {
            frames.set(i, turned(frames.get(i)));
        }
        assertEquals(FRAMES, run(frames, parameters()).registered());
    }

    /** A turned frame is left out if no later frame shows anything to confirm the turn. */
    @Test
    void frameThatIsTurnedWithoutConfirmationIsLeftOut() throws FrameReadException {
        TestFrames frames = demo();
        MosaicResult result = run(frames.set(5, turned(frames.get(5))).set(6, new int[W * H]), parameters());
        assertEquals("2 of 12 frames: frame 6 (outlier), frame 7 (no texture)", result.lost());
        frames = demo();
        assertLeftOut(frames.set(FRAMES - 1, turned(frames.get(FRAMES - 1))), parameters(), FRAMES - 1);
    }

    /** Two images alone do not tell the motion of the scope. */
    @Test
    void twoFramesMayBeTurned() throws FrameReadException {
        TestFrames demo = demo();
        TestFrames two = new TestFrames(W, H, PixelType.RGB32).add(demo.get(0)).add(turned(demo.get(0)));
        assertEquals(2, run(two).registered());
    }

    /** The chain loses the frame, its spectrum finds it. */
    @Test
    void frameThatIsFoundTurnedBetweenOthersIsLeftOut() throws FrameReadException {
        TestFrames frames = demo();
        MosaicParameters paper = parameters().with("method", "Paper");
        frames.set(6, turned(frames.get(6)));
        assertLeftOut(frames, paper, 6);
    }

    @ParameterizedTest
    @EnumSource(Damage.class)
    void damagedFirstFrameIsPassedOver(Damage damage) throws FrameReadException {
        TestFrames frames = demo();
        assertLeftOut(frames.set(0, damaged(frames.get(0), damage)), parameters(), 0);
        assertTrue(run(frames).log().contains("frame 1 left out (the frames after agree with one another and not with"
                + " frame 1); the panorama starts with frame 2"));
    }

    /** No frame after the last one can decide: a large difference leaves it out. */
    @ParameterizedTest
    @EnumSource(Damage.class)
    void damagedLastFrameIsLeftOut(Damage damage) throws FrameReadException {
        TestFrames frames = demo();
        assertLeftOut(frames.set(FRAMES - 1, damaged(frames.get(FRAMES - 1), damage)), parameters(), FRAMES - 1);
    }

    @Test
    void twoDamagedFramesInARowAreLeftOut() throws FrameReadException {
        TestFrames frames = demo();
        frames.set(5, damaged(frames.get(5), Damage.NOISE)).set(6, damaged(frames.get(6), Damage.TORN));
        assertLeftOut(frames, 5, 6);
        frames = demo();
        frames.set(5, damaged(frames.get(5), Damage.GREEN)).set(6, damaged(frames.get(6), Damage.GREEN));
        assertLeftOut(frames, 5, 6);
    }

    @Test
    void foreignFirstFrameIsPassedOver() throws FrameReadException {
        assertLeftOut(demo().set(0, TestFrames.demo(W, H, 1, 77).get(0)), 0);
        MosaicResult result = run(demo().set(0, new int[W * H]).set(1, TestFrames.demo(W, H, 1, 77).get(0)));
        assertEquals("2 of 12 frames: frame 1 (no texture), frame 2 (outlier)", result.lost());
    }

    /** Damage in the first of three frames, and of two, where the wrong one is unknown. */
    @Test
    void shortSequencesHaveAStart() throws FrameReadException {
        TestFrames demo = demo();
        Object foreign = TestFrames.demo(W, H, 1, 77).get(0);
        TestFrames three = new TestFrames(W, H, PixelType.RGB32).add(foreign).add(demo.get(0)).add(demo.get(1));
        assertFalse(run(three).rows().get(0).registered);
        assertEquals(2, run(three).registered());
        TestFrames two = new TestFrames(W, H, PixelType.RGB32).add(foreign).add(demo.get(0));
        assertEquals(1, run(two).registered());
        assertTrue(run(two).rows().get(0).registered);
    }

    // ----------------------------------------------------- not damage

    private static void assertNothingLost(FrameSource source) throws FrameReadException {
        MosaicResult result = run(source);
        assertTrue(result.complete(), result.lost());
        assertNull(result.lost());
    }

    /** A grey plate over a third of the frame appears between two frames, and stays. */
    @Test
    void instrumentThatComesInLosesNothing() throws FrameReadException {
        TestFrames frames = demo();
        for (int i = 4; i < FRAMES; i++) {
            int[] pixels = ((int[]) frames.get(i)).clone();
            for (int y = H / 4; y < 3 * H / 4; y++) {
                Arrays.fill(pixels, y * W + W / 5, y * W + 3 * W / 5, 0xffa0a0a8 + (y & 7));
            }
            frames.set(i, pixels);
        }
        assertNothingLost(frames);
    }

    @Test
    void flickerLosesNothing() throws FrameReadException {
        TestFrames frames = demo();
        for (int i = 3; i < FRAMES; i += 4) {
            int[] pixels = ((int[]) frames.get(i)).clone();
            for (int k = 0; k < pixels.length; k++) {
                pixels[k] = 0xff000000 | (pixels[k] >> 1 & 0x7f7f7f);
            }
            frames.set(i, pixels);
        }
        assertNothingLost(frames);
    }

    /** In an interlaced sequence combs are no damage once some are known; before that, one frame may be left out. */
    @Test
    void combsInAllFramesLoseOneAtMost() throws FrameReadException {
        TestFrames frames = demo();
        for (int i = 0; i < FRAMES; i++) {
            frames.set(i, damaged(frames.get(i), Damage.COMBED));
        }
        MosaicResult result = run(frames);
        assertTrue(result.registered() >= FRAMES - 1, result.lost());
    }

    // ------------------------------------------------------------- the shape

    @Test
    void shrinkingChainIsReportedOnce() throws FrameReadException {
        NativeDemo.Options options = new NativeDemo.Options();
        options.width = W;
        options.height = H;
        options.frames = 60;
        options.step = 2;
        options.zoom = 40;
        TestFrames frames = TestFrames.demo(options, 30);
        int beyond = 1;
        while (frames.truth().get(beyond).determinant() > 0.6 && frames.truth().get(beyond).determinant() < 1 / 0.6) {
            beyond++;
        }
        MosaicResult result = run(frames);
        assertTrue(result.warning().startsWith("frame "), result.warning());
        int said = Integer.parseInt(result.warning().replaceAll("^frame (\\d+):.*", "$1"));
        assertTrue(Math.abs(said - beyond) <= 1, said + ", beyond at " + beyond);
        assertEquals(Collections.singletonList(result.warning()), result.log().stream()
                .filter(line -> line.contains("against the first frame")).collect(Collectors.toList()));
        assertNull(run(demo()).warning());
    }
}
