package endorama.core.exposures;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.chains.ChainRow.Status;
import endorama.core.chains.ChainRow;
import endorama.core.chains.ChainTable;
import endorama.core.common.Progress;
import endorama.core.engine.AlignedFrames;
import endorama.core.engine.BackEnd;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelType;
import endorama.core.frames.TestFrames;
import endorama.core.options.Commands;
import endorama.core.transforms.Transform;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExposureSessionTest {
    private static final int W = TestExposures.W;
    private static final int H = TestExposures.H;
    /** Positions of the views of {@link #bracket}. */
    private static final int[][] POSITIONS = {{0, 0}, {5, -3}, {-7, 11}, {12, 2}, {-20, -14}};
    private static final double[] GAINS = {0.4, 0.8, 1.6, 0.7, 2.5};

    private static TestFrames bracket(PixelType type) {
        TestExposures scene = new TestExposures(1);
        TestFrames frames = new TestFrames(W, H, type);
        for (int i = 0; i < POSITIONS.length; i++) {
            int x = POSITIONS[i][0];
            int y = POSITIONS[i][1];
            double gamma = i % 2 == 0 ? 1 : 0.6;
            frames.add(type == PixelType.GREY8 ? scene.grey(x, y, GAINS[i], gamma)
                    : type == PixelType.GREY16 ? scene.deep(x, y, GAINS[i], gamma)
                    : scene.colour(x, y, GAINS[i], gamma));
        }
        return frames;
    }

    private static ExposureParameters parameters(String options) {
        return ExposureParameters.of(Commands.EXPOSURES.parseMacro(options));
    }

    private static ExposureResult run(FrameSource frames, String options) throws FrameReadException {
        return run(frames, options, new Log());
    }

    private static ExposureResult run(FrameSource frames, String options, Progress log) throws FrameReadException {
        ExposureResult result = new ExposureSession(frames, parameters(options), log).run();
        assertNull(result.failure());
        return result;
    }

    private static final class Log implements Progress {
        final List<String> lines = new ArrayList<>();
        int stopAt = Integer.MAX_VALUE;
        int done;

        @Override
        public void progress(int now, int total) {
            assertTrue(now >= done);
            done = now;
        }

        @Override
        public boolean cancelled() {
            return done >= stopAt;
        }

        @Override
        public void log(String line) {
            lines.add(line);
        }
    }

    private static void assertPositions(ExposureResult result, int originX, int originY) {
        assertEquals(POSITIONS.length, result.rows().size());
        for (ChainRow row : result.rows()) {
            assertEquals(Status.OK, row.status, result.summary());
            assertTrue(row.registered);
            assertEquals(POSITIONS[row.frame - 1][0] - originX, row.x, "x of frame " + row.frame);
            assertEquals(POSITIONS[row.frame - 1][1] - originY, row.y, "y of frame " + row.frame);
        }
    }

    @Test
    void everyTypeOfFrameIsAligned() throws FrameReadException {
        for (PixelType type : PixelType.values()) {
            ExposureResult result = run(bracket(type), "");
            assertPositions(result, 0, 0);
            assertTrue(result.complete());
            assertEquals("5 of 5 frames aligned", result.summary());
            ChainRow third = result.rows().get(2);
            assertEquals(2, third.reference);
            assertEquals(-12, third.dx);
            assertEquals(14, third.dy);
            assertTrue(third.peak > 0.5 && third.certainty > 0 && third.mismatch < 0.3 && third.usable > 0.5);
        }
    }

    @Test
    void everyReferenceGivesItsOwnCoordinates() throws FrameReadException {
        TestFrames frames = bracket(PixelType.GREY8);
        assertPositions(run(frames, "reference=First"), 0, 0);
        assertPositions(run(frames, "reference=Middle"), -7, 11);
        assertPositions(run(frames, "reference=2"), 5, -3);
        ExposureResult last = run(frames, "reference=5 percentile=Median bins=256");
        assertPositions(last, -20, -14);
        assertEquals(5, last.rows().get(1).reference);
        assertEquals(25, last.rows().get(1).dx);
        String message = assertThrows(IllegalArgumentException.class, () -> run(frames, "reference=6")).getMessage();
        assertEquals("reference 6: there are 5 frames", message);
    }

    @Test
    void threadsAndChunksMakeNoDifference() throws FrameReadException {
        TestFrames frames = bracket(PixelType.RGB32);
        ExposureResult one = run(frames, "threads=1 backend=CPU subpixel");
        ExposureResult many = run(frames, "threads=5 backend=CPU subpixel");
        for (int i = 0; i < POSITIONS.length; i++) {
            assertEquals(ChainTable.EXPOSURES.cells(one.rows().get(i)), ChainTable.EXPOSURES.cells(many.rows().get(i)));
            assertEquals(POSITIONS[i][0], one.rows().get(i).x, 0.4);
        }
    }

    @Test
    void identicalFramesDoNotMove() throws FrameReadException {
        Object frame = new TestExposures(2).grey(0, 0, 1, 1);
        ExposureResult result = run(new TestFrames(W, H, PixelType.GREY8).add(frame).add(frame).add(frame), "subpixel");
        assertEquals(3, result.registered());
        for (ChainRow row : result.rows()) {
            assertEquals(Transform.IDENTITY, row.transform);
            assertEquals(Status.OK, row.status);
        }
    }

    @Test
    void blackAndWhiteFramesAreReported() throws FrameReadException {
        byte[] white = new byte[W * H];
        Arrays.fill(white, (byte) 255);
        TestFrames frames = bracket(PixelType.GREY8).set(1, new byte[W * H]).set(3, white);
        ExposureResult result = run(frames, "");
        assertEquals("3 of 5 frames aligned; not aligned: frame 2, frame 4 (no content)", result.summary());
        assertFalse(result.complete());
        ChainRow black = result.rows().get(1);
        assertEquals(Status.NO_CONTENT, black.status);
        assertEquals(Transform.IDENTITY, black.transform);
        assertEquals(1, black.reference);
        ChainRow over = result.rows().get(3);
        assertEquals(-7, over.x);
        assertEquals(0, over.dx);
        assertFalse(over.registered);
        assertEquals(3, result.rows().get(4).reference);
        assertEquals(-20, result.rows().get(4).x);
        assertEquals(-14, result.rows().get(4).y);
        assertFalse(result.saved().isRegistered(4));
    }

    @Test
    void framesBeforeTheFirstWithContentAreLeftBehind() throws FrameReadException {
        TestFrames frames = bracket(PixelType.GREY8).set(0, new byte[W * H]);
        ExposureResult result = run(frames, "");
        assertEquals("4 of 5 frames aligned; not aligned: frame 1 (no content)", result.summary());
        assertEquals(0, result.rows().get(1).x);
        assertEquals(-12, result.rows().get(2).x);
    }

    /** A frame that no other one was aligned with is not measured, though it agrees with itself. */
    @Test
    void beginningThatNothingIsAlignedWithIsNotOk() throws FrameReadException {
        TestFrames frames = new TestFrames(W, H, PixelType.GREY8).add(new byte[W * H]);
        frames.add(new TestExposures(1).grey(0, 0, 1, 1));
        ExposureResult result = run(frames, "");
        assertEquals("0 of 2 frames aligned; not aligned: frames 1-2 (no content)", result.summary());
        ChainRow second = result.rows().get(1);
        assertEquals(1, second.reference);
        assertEquals(0, second.certainty);
        assertFalse(second.registered);
        frames.add(new TestExposures(1).grey(5, -3, 0.7, 1));
        result = run(frames, "");
        assertEquals("2 of 3 frames aligned; not aligned: frame 1 (no content)", result.summary());
        assertEquals(2, result.rows().get(1).reference);
        assertTrue(result.rows().get(1).certainty > 0.5);
        assertEquals(5, result.rows().get(2).x);
    }

    @Test
    void nothingIsAlignedWhereNothingIs() throws FrameReadException {
        byte[] white = new byte[W * H];
        Arrays.fill(white, (byte) 255);
        for (byte[] flat : new byte[][] {new byte[W * H], white}) {
            ExposureResult result = run(new TestFrames(W, H, PixelType.GREY8).add(flat).add(flat), "");
            assertEquals("0 of 2 frames aligned; not aligned: frames 1-2 (no content)", result.summary());
        }
        String message = assertThrows(FrameReadException.class,
                () -> run(new TestFrames(W, H, PixelType.GREY8).add(white), "")).getMessage();
        assertTrue(message.contains("at least 2 frames"), message);
    }

    /** A first frame of another scene is given up; a new scene later starts at the last pose. */
    @Test
    void otherScenesMakeNewStarts() throws FrameReadException {
        TestExposures other = new TestExposures(77);
        TestFrames frames = new TestFrames(W, H, PixelType.GREY8).add(other.grey(0, 0, 1, 1));
        frames.addAll(bracket(PixelType.GREY8));
        ExposureResult result = run(frames, "");
        assertEquals("5 of 6 frames aligned; not aligned: frame 1 (low certainty)", result.summary());
        assertEquals(5, result.rows().get(2).x);
        frames = bracket(PixelType.GREY8).add(other.grey(0, 0, 1, 1)).add(other.grey(9, -4, 0.5, 1));
        result = run(frames, "");
        assertEquals("7 of 7 frames aligned; pose not measured: frame 6 (new start)", result.summary());
        assertFalse(result.complete());
        assertEquals(-20, result.rows().get(5).x);
        assertEquals(-11, result.rows().get(6).x);
        assertEquals(-18, result.rows().get(6).y);
        assertEquals(6, result.rows().get(6).reference);
    }

    @Test
    void framesThatCannotBeReadAreSkipped() throws FrameReadException {
        Log log = new Log();
        ExposureResult result = run(bracket(PixelType.GREY8).set(2, null).set(3, new byte[7]), "", log);
        assertEquals("3 of 5 frames aligned; not aligned: frames 3-4 (skipped)", result.summary());
        assertEquals(-20, result.rows().get(4).x);
        assertTrue(log.lines.toString().contains("frame 3 (f3): spoilt; skipped"), log.lines.toString());
        assertTrue(log.lines.toString().contains("frame 4 (f4): has 7 pixels"), log.lines.toString());
        assertThrows(FrameReadException.class, () -> run(bracket(PixelType.GREY8).set(2, null), "reference=Middle"));
    }

    /** The video has more frames than a first chunk. */
    @Test
    void longVideosAreStoppedWhereAskedTo() throws FrameReadException {
        TestFrames frames = new TestFrames(W, H, PixelType.GREY8);
        for (int i = 0; i < 100; i++) {
            frames.addAll(bracket(PixelType.GREY8));
        }
        Log log = new Log();
        log.stopAt = 1;
        ExposureResult result = run(frames, "", log);
        assertTrue(result.cancelled());
        assertTrue(result.rows().size() < 500 && result.rows().size() == result.registered(), result.summary());
        ExposureResult whole = run(frames, "");
        assertEquals(500, whole.registered());
        assertEquals(-20, whole.rows().get(499).x);
        assertEquals(0, whole.rows().get(495).x);
    }

    @Test
    void failingBackEndLosesNothing() throws FrameReadException {
        ExposureResult whole = run(bracket(PixelType.GREY8), "");
        System.setProperty(BackEnd.FAIL_AFTER, "4");
        try {
            Log log = new Log();
            ExposureResult result = run(bracket(PixelType.GREY8), "", log);
            assertTrue(log.lines.toString().contains("nothing is lost"), log.lines.toString());
            assertPositions(result, 0, 0);
            ExposureResult failed = new ExposureSession(bracket(PixelType.GREY8), parameters("backend=CPU"),
                    Progress.NONE).run();
            assertTrue(failed.failure().getMessage().contains("device failed"), failed.failure().getMessage());
            assertTrue(failed.rows().size() < whole.rows().size());
        } finally {
            System.clearProperty(BackEnd.FAIL_AFTER);
        }
    }

    /** Position of the camera of {@link #video} at a frame. */
    private static int[] camera(int frame) {
        return new int[] {4 * frame - 22, -2 * frame + (int) Math.round(2 * Math.sin(frame))};
    }

    /** Three exposures in turn by a moving camera. */
    private static TestFrames video(PixelType type, int count) {
        TestExposures scene = new TestExposures(6);
        TestFrames frames = new TestFrames(W, H, type);
        for (int i = 0; i < count; i++) {
            int[] at = camera(i);
            double gain = new double[] {0.5, 1, 2}[i % 3];
            frames.add(type == PixelType.GREY16 ? scene.deep(at[0], at[1], gain, 1) : scene.grey(at[0], at[1], gain, 1));
        }
        return frames;
    }

    private static void assertOnPath(ChainRow row, int frame, double tolerance) {
        assertEquals(camera(frame)[0] - camera(0)[0], row.x, tolerance, "x of frame " + row.frame);
        assertEquals(camera(frame)[1] - camera(0)[1], row.y, tolerance, "y of frame " + row.frame);
    }

    @Test
    void blackFrameOfAVideoLiesWhereTheMotionPredicts() throws FrameReadException {
        for (PixelType type : new PixelType[] {PixelType.GREY8, PixelType.GREY16}) {
            TestFrames frames = video(type, 12).set(7, type.array(W * H));
            ExposureResult result = run(frames, "period=3 kalman");
            for (ChainRow row : result.rows()) {
                boolean black = row.frame == 8;
                assertEquals(black, row.predicted, "frame " + row.frame);
                assertEquals(!black, row.registered);
                assertOnPath(row, row.frame - 1, black ? 2.5 : 0);
                assertEquals(Math.rint(row.x), row.x);
            }
            ChainRow black = result.rows().get(7);
            assertEquals(Status.NO_CONTENT, black.status);
            assertEquals(black.x - result.rows().get(6).x, black.dx);
            assertEquals(7, result.rows().get(8).reference);
            // Without the filter the pose is that of the frame before.
            ChainRow still = run(frames, "period=3").rows().get(7);
            assertFalse(still.predicted);
            assertEquals(result.rows().get(6).x, still.x);
            assertEquals(0, still.dx);
        }
    }

    /** A dropped frame doubles the next shift, which is accepted. */
    @Test
    void droppedFrameOfAVideoCostsNothing() throws FrameReadException {
        TestFrames all = video(PixelType.GREY8, 13);
        TestFrames frames = new TestFrames(W, H, PixelType.GREY8);
        for (int i = 0; i < 13; i++) {
            if (i != 7) {
                frames.add(all.get(i));
            }
        }
        for (String options : new String[] {"period=3 kalman", "period=3 kalman reference=Middle", ""}) {
            ExposureResult result = run(frames, options);
            assertEquals("12 of 12 frames aligned", result.summary());
            double x = result.rows().get(0).x;
            double y = result.rows().get(0).y;
            for (ChainRow row : result.rows()) {
                assertFalse(row.predicted);
                int frame = row.frame - 1 < 7 ? row.frame - 1 : row.frame;
                assertEquals(camera(frame)[0] - camera(0)[0], row.x - x);
                assertEquals(camera(frame)[1] - camera(0)[1], row.y - y);
            }
        }
    }

    @Test
    void frameOfAnotherSceneIsNotBelieved() throws FrameReadException {
        byte[] other = new TestExposures(78).grey(0, 0, 1, 1);
        ExposureResult result = run(video(PixelType.GREY8, 12).set(7, other), "period=3 kalman subpixel");
        ChainRow row = result.rows().get(7);
        assertEquals(Status.LOW_CERTAINTY, row.status);
        assertTrue(row.predicted && !row.registered);
        assertOnPath(row, 7, 2.5);
        assertOnPath(result.rows().get(8), 8, 0.5);
        assertEquals(11, result.registered());
    }

    @Test
    void singleBracketHasNoMotionToFollow() throws FrameReadException {
        Log log = new Log();
        assertPositions(run(bracket(PixelType.GREY8), "kalman", log), 0, 0);
        assertTrue(log.lines.toString().contains("kalman: period is 0"), log.lines.toString());
    }

    @Test
    void wholeShiftsMovePixelsExactly() throws FrameReadException {
        for (PixelType type : PixelType.values()) {
            TestFrames frames = bracket(type).set(1, null);
            ExposureResult result = run(frames, "");
            try (AlignedFrames aligned = result.aligned(frames, parameters(""))) {
                assertEquals(5, aligned.count());
                assertSame(type, type.array(W * H), aligned.pixels(1));
                for (int i : new int[] {0, 2, 4}) {
                    assertSame(type, moved(frames, i, 0, 0, W, H), aligned.pixels(i));
                }
            }
            try (AlignedFrames aligned = result.aligned(frames, parameters("output=[Crop to common]"))) {
                // Among the readable frames, frame 4 reaches furthest down and right, frame 5 up and left.
                assertEquals(12, -aligned.originX());
                assertEquals(11, -aligned.originY());
                assertEquals(W - 12 - 20, aligned.width());
                assertEquals(H - 11 - 14, aligned.height());
                for (int i : new int[] {0, 2, 3, 4}) {
                    assertSame(type, moved(frames, i, 12, 11, aligned.width(), aligned.height()), aligned.pixels(i));
                }
            }
        }
    }

    private static void assertSame(PixelType type, Object expected, Object pixels) {
        assertEquals(type.length(expected), type.length(pixels));
        assertArrayEquals(new Object[] {expected}, new Object[] {pixels});
    }

    /** A rectangle of a frame moved by its true pose, pixel by pixel. */
    private static Object moved(TestFrames frames, int index, int left, int top, int width, int height) {
        Object moved = frames.type().array(width * height);
        for (int i = 0; i < width * height; i++) {
            int x = left + i % width - POSITIONS[index][0];
            int y = top + i / width - POSITIONS[index][1];
            if (x >= 0 && y >= 0 && x < W && y < H) {
                System.arraycopy(frames.get(index), y * W + x, moved, i, 1);
            }
        }
        return moved;
    }
}
