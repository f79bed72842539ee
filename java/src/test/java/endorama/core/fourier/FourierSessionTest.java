package endorama.core.fourier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.chains.ChainRow.Status;
import endorama.core.chains.ChainRow;
import endorama.core.common.Progress;
import endorama.core.engine.AlignedFrames;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelType;
import endorama.core.frames.TestFrames;
import endorama.core.options.Commands;
import endorama.core.options.OptionException;
import endorama.core.transforms.Drift;
import endorama.core.transforms.Rect;
import endorama.core.transforms.Selection;
import endorama.core.transforms.TestViews;
import endorama.core.transforms.Transform;
import endorama.core.transforms.Transforms;
import endorama.jni.NativeDemo;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Fourier registration of views with known poses. */
class FourierSessionTest {
    private static final int W = 160;
    private static final int H = 128;
    /** Poses of the views of a stack in the first one. */
    private static final Transform[] POSES = {
        Transform.IDENTITY, map(25, 1.1, 6, -9), map(60, 0.9, -12, 4), map(-170, 1, 3, 3), map(-100, 1.2, 15, 10)};

    private static Transform map(double degrees, double scale, double dx, double dy) {
        return TestViews.map(degrees, scale, dx, dy, W, H);
    }

    private static TestFrames stack() {
        TestViews scene = new TestViews(4);
        TestFrames frames = new TestFrames(W, H, PixelType.GREY8);
        for (Transform pose : POSES) {
            frames.add(scene.grey(pose, W, H));
        }
        return frames;
    }

    private static TestFrames single(int width, int height, PixelType type, Object pixels) {
        return new TestFrames(width, height, type).add(pixels);
    }

    private static FourierParameters parameters(String options) {
        return FourierParameters.of(Commands.FOURIER.parseMacro("backend=CPU " + options));
    }

    private static FourierResult run(FrameSource frames, String options) throws FrameReadException {
        return run(frames, parameters(options));
    }

    private static FourierResult run(FrameSource frames, FourierParameters parameters) throws FrameReadException {
        return new FourierSession(frames, parameters, Progress.NONE).run();
    }

    private static void assertPose(Transform expected, ChainRow row, double tolerance) {
        double distance = TestViews.distance(expected, row.transform, W, H);
        assertTrue(row.registered && row.status == Status.OK && distance <= tolerance,
                "frame " + row.frame + " " + row.status + " off by " + distance + ": " + row.transform);
    }

    @Test
    void everyReferenceGivesTheSamePoses() throws FrameReadException {
        for (String reference : new String[] {"Previous", "First", "Middle", "4"}) {
            FourierResult result = run(stack(), "reference=" + reference);
            assertEquals("5 of 5 frames registered", result.summary());
            assertFalse(result.cancelled());
            int fixed = reference.equals("Middle") ? 2 : reference.equals("4") ? 3 : 0;
            for (int i = 0; i < 5; i++) {
                ChainRow row = result.rows().get(i);
                assertEquals(reference.equals("Previous") ? Math.max(1, i) : fixed + 1, row.reference);
                assertPose(POSES[fixed].inverse().multiply(POSES[i]), row, 0.3);
            }
        }
    }

    @Test
    void rowsSayWhatWasFound() throws FrameReadException {
        ChainRow row = run(stack(), "").rows().get(1);
        assertEquals(25, row.angle, 0.1);
        assertEquals(1.1, row.scale, 0.002);
        assertEquals(6, row.dx, 0.1);
        assertEquals(-9, row.dy, 0.1);
        assertTrue(row.ncc > 0.9 && row.overlap > 0.6 && row.peak > 0 && row.ratio < 1, row.ncc + " " + row.overlap);
        assertEquals("cpu", row.backend);
        ChainRow first = run(stack(), "").rows().get(0);
        assertEquals(Transform.IDENTITY, first.transform);
        assertEquals(1, first.ncc, 1e-4);
    }

    /** Another scene, a black frame and an unreadable one are lost alone. */
    @Test
    void whatCannotBeRegisteredStaysOut() throws FrameReadException {
        TestFrames frames = stack().set(1, new TestViews(99).grey(Transform.IDENTITY, W, H)).set(2, new byte[W * H])
                .set(3, null);
        FourierResult result = run(frames, "");
        assertEquals("2 of 5 frames registered; not registered: frame 2 (low certainty), frame 3 (no content), frame 4"
                + " (skipped)",
                result.summary());
        assertFalse(result.complete());
        assertEquals(1, result.rows().get(4).reference);
        assertPose(POSES[4], result.rows().get(4), 0.3);
        Transforms saved = result.saved();
        for (int frame = 2; frame <= 4; frame++) {
            assertFalse(saved.isRegistered(frame));
            assertEquals(Transform.IDENTITY, saved.get(frame));
        }
        try (AlignedFrames aligned = result.aligned(frames, 1)) {
            assertTrue(Arrays.equals(new byte[W * H], (byte[]) aligned.pixels(1)));
        }
        assertTrue(run(frames, "reference=2").isEmpty());
        assertEquals(Status.NO_CONTENT, run(frames, "reference=3").rows().get(0).status);
        assertThrows(FrameReadException.class, () -> run(frames, "reference=4"));
    }

    /** The chain begins with the first two frames that match. */
    @Test
    void firstFrameThatGoesWithNoneIsLeftBehind() throws FrameReadException {
        byte[] other = new TestViews(99).grey(Transform.IDENTITY, W, H);
        FourierResult result = run(stack().set(0, other), "");
        assertEquals("4 of 5 frames registered; not registered: frame 1 (low certainty)", result.summary());
        assertEquals(Transform.IDENTITY, result.rows().get(1).transform);
        assertPose(POSES[1].inverse().multiply(POSES[4]), result.rows().get(4), 0.3);
        result = run(stack().set(0, new byte[W * H]), "");
        assertEquals("4 of 5 frames registered; not registered: frame 1 (no content)", result.summary());
        assertPose(POSES[1].inverse().multiply(POSES[4]), result.rows().get(4), 0.3);
    }

    /** Another image of any size and type works; compared pixel by pixel. */
    @Test
    void otherImageMayHaveAnotherSizeAndType() throws FrameReadException {
        TestViews scene = new TestViews(7);
        Transform pose = map(35, 0.8, 30, 20);
        for (PixelType type : PixelType.values()) {
            int w = 210;
            int h = 150;
            Object pixels = type == PixelType.GREY8 ? scene.grey(Transform.IDENTITY, w, h)
                    : type == PixelType.GREY16 ? scene.deep(Transform.IDENTITY, w, h)
                    : scene.colour(Transform.IDENTITY, w, h);
            TestFrames frames = single(W, H, PixelType.GREY8, scene.grey(pose, W, H));
            FourierResult result = run(frames, parameters("").onto(single(w, h, type, pixels), null));
            assertEquals("1 of 1 frame registered", result.summary());
            assertFalse(result.isEmpty());
            assertEquals(0, result.rows().get(0).reference);
            assertPose(pose, result.rows().get(0), 0.3);
            try (AlignedFrames aligned = result.aligned(frames, 1)) {
                assertEquals(w, aligned.width());
                assertEquals(h, aligned.height());
                byte[] moved = (byte[]) aligned.pixels(0);
                int at = h / 2 * w + w / 2;
                byte[] truth = scene.grey(Transform.IDENTITY, w, h);
                assertEquals(truth[at] & 0xff, moved[at] & 0xff, 4);
            }
        }
    }

    /** Outside the selection lies another scene that would win; the transforms are still those of whole images. */
    @Test
    void onlyTheSelectionIsCompared() throws FrameReadException {
        TestViews scene = new TestViews(5);
        TestViews rest = new TestViews(6);
        Transform pose = map(20, 1.05, 5, 4);
        Rect part = new Rect(30, 10, 140, 120);
        TestFrames frames = new TestFrames(W, H, PixelType.GREY8);
        byte[] mask = new byte[110 * 110];
        for (Transform map : new Transform[] {Transform.IDENTITY, pose}) {
            byte[] pixels = rest.grey(Transform.IDENTITY, W, H);
            byte[] inside = scene.grey(map, W, H);
            for (int i = 0; i < mask.length; i++) {
                int x = i % 110;
                int y = i / 110;
                if (Math.hypot(x - 54.5, y - 54.5) < 54) {
                    mask[i] = -1;
                    pixels[(y + 10) * W + x + 30] = inside[(y + 10) * W + x + 30];
                }
            }
            frames.add(pixels);
        }
        FourierResult result = run(frames, parameters("").withSelection(new Selection(part, mask)));
        assertPose(pose, result.rows().get(1), 0.5);
        result = run(frames, parameters("").withSelection(new Selection(new Rect(50, 30, 122, 102), null)));
        assertPose(pose, result.rows().get(1), 0.5);
        TestFrames onto = single(W, H, PixelType.GREY8, frames.get(0));
        FourierParameters both = parameters("").withSelection(new Selection(new Rect(50, 30, 122, 102), null))
                .onto(onto, new Selection(new Rect(46, 27, 126, 104), null));
        assertPose(pose, run(frames, both).rows().get(1), 0.5);
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> run(frames,
                parameters("").withSelection(new Selection(part, mask)).onto(onto, null)));
        assertTrue(e.getMessage().contains("must be rectangles"), e.getMessage());
    }

    @Test
    void optionsReachTheLibrary() throws FrameReadException {
        TestFrames two = new TestFrames(W, H, PixelType.GREY8).add(stack().get(0)).add(stack().get(1));
        assertEquals(Status.LOW_CERTAINTY, run(two, "angle=10").rows().get(1).status);
        assertEquals(Status.LOW_CERTAINTY, run(two, "scale=1").rows().get(1).status);
        assertEquals(0, run(two, "model=Translation").rows().get(1).angle, 0);
        TestFrames turned = new TestFrames(W, H, PixelType.GREY8).add(stack().get(0)).add(stack().get(3));
        assertPose(POSES[3], run(turned, "model=Rigid").rows().get(1), 0.3);
        assertEquals(Transform.Kind.RIGID, run(turned, "model=Rigid").rows().get(1).transform.kind);
        for (String other : new String[] {"refine=false", "window=None", "window=Hann", "gradient=None",
            "gradient=High-pass", "candidates=1"}) {
            assertPose(POSES[1], run(two, other).rows().get(1), 3);
        }
        assertTrue(TestViews.distance(POSES[1], run(two, "refine=false").rows().get(1).transform, W, H)
                > TestViews.distance(POSES[1], run(two, "").rows().get(1).transform, W, H));
    }

    @Test
    void imagesWithoutContentAreNamed() throws FrameReadException {
        for (int size : new int[] {1, 8, 64}) {
            TestFrames flat = new TestFrames(size, size, PixelType.GREY8).add(new byte[size * size])
                    .add(new byte[size * size]);
            FourierResult result = run(flat, "");
            assertTrue(result.isEmpty());
            assertEquals("0 of 2 frames registered; not registered: frames 1-2 (no content)", result.summary());
        }
        Object same = stack().get(1);
        FourierResult result = run(new TestFrames(W, H, PixelType.GREY8).add(same).add(same), "");
        assertPose(Transform.IDENTITY, result.rows().get(1), 0.01);
    }

    /** Highlights and the edge of the picture stand still while the scene turns by 15 degrees a frame. */
    @Test
    void whatMovesWithTheScopeTakesNoPart() throws FrameReadException {
        NativeDemo.Options options = new NativeDemo.Options();
        options.width = 320;
        options.height = 256;
        options.frames = 24;
        options.step = 8;
        options.rotation = 60;
        options.zoom = 30;
        TestFrames frames = TestFrames.demo(options, 4);
        FourierResult result = run(frames, "");
        assertTrue(result.complete() && result.field().startsWith("circle"), result.summary());
        Drift drift = Drift.of(result.saved(), frames.truth(), 320, 256);
        assertTrue(drift.maxPairError() <= 0.2, "pair error " + drift.maxPairError());
    }

    @Test
    void unusableSequencesAreErrors() {
        assertThrows(FrameReadException.class, () -> run(single(W, H, PixelType.GREY8, stack().get(0)), ""));
        OptionException e = assertThrows(OptionException.class, () -> run(stack(), "reference=6"));
        assertEquals("reference 6: there are 5 frames", e.getMessage());
    }

    @Test
    void cancelKeepsWhatIsDone() throws FrameReadException {
        TestFrames many = new TestFrames(W, H, PixelType.GREY8);
        for (int i = 0; i < 40; i++) {
            many.addAll(stack());
        }
        int[] done = new int[1];
        FourierResult result = new FourierSession(many, parameters(""), new Progress() {
            @Override
            public void progress(int n, int total) {
                done[0] = n;
            }

            @Override
            public boolean cancelled() {
                return done[0] >= 7;
            }

            @Override
            public void log(String line) {
            }
        }).run();
        assertTrue(result.cancelled());
        assertTrue(result.rows().size() >= 7 && result.rows().size() < 200, "rows " + result.rows().size());
        assertEquals(result.rows().size(), result.registered());
    }

    /** Magenta is the reference, green the frame, grey where they agree. */
    @Test
    void overlayIsGreyWhereFramesAgree() throws FrameReadException {
        TestFrames frames = stack();
        FourierParameters parameters = parameters("reference=First");
        try (OverlaidFrames overlay = new OverlaidFrames(frames, run(frames, parameters), parameters)) {
            assertEquals(5, overlay.count());
            int[] colours = (int[]) overlay.pixels(1);
            byte[] first = (byte[]) frames.get(0);
            int agree = 0;
            int shown = 0;
            for (int i = 0; i < colours.length; i++) {
                int red = colours[i] >> 16 & 255;
                int green = colours[i] >> 8 & 255;
                assertEquals(first[i] & 255, red);
                assertEquals(red, colours[i] & 255);
                shown += green != 0 ? 1 : 0;
                agree += green != 0 && Math.abs(green - red) <= 8 ? 1 : 0;
            }
            assertTrue(shown > colours.length / 2 && agree > 0.97 * shown, agree + " of " + shown);
        }
    }
}
