package endorama.core.mosaic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelType;
import endorama.core.options.Commands;
import endorama.core.options.MosaicParameters;
import endorama.core.transforms.DemoSequence;
import endorama.core.transforms.Transform;
import endorama.jni.EndoramaException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** A panorama that grows while frames come. */
class LiveSessionTest {
    private static final int WIDTH = 320;
    private static final int HEIGHT = 240;
    private static final int FRAMES = 20;

    private static DemoSequence demo() {
        return DemoSequence.of(Commands.DEMO.parseMacro("width=" + WIDTH + " height=" + HEIGHT + " frames=" + FRAMES + " step=4"));
    }

    private static LiveSession session(Progress progress) {
        return new LiveSession(WIDTH, HEIGHT, PixelType.RGB32, null, MosaicParameters.defaults().withThreads(2), progress);
    }

    @Test
    void movingFramesAreKeptAndTheResultIsThatOfOtherCommands() throws FrameReadException {
        try (DemoSequence demo = demo(); LiveSession live = session(Progress.NONE)) {
            assertNull(live.picture(-1));
            LivePlace last = null;
            for (int i = 0; i < FRAMES; i++) {
                last = live.put(demo.pixels(i), "f" + i);
                assertEquals(i + 1, last.number);
            }
            assertEquals(LivePlace.State.FOUND, last.state);
            assertEquals(1, last.component);
            Transform truth = demo.truth(FRAMES - 1);
            assertEquals(truth.applyX(WIDTH / 2, HEIGHT / 2), last.pose.applyX(WIDTH / 2, HEIGHT / 2), 3);
            assertEquals(truth.applyY(WIDTH / 2, HEIGHT / 2), last.pose.applyY(WIDTH / 2, HEIGHT / 2), 3);
            LiveCounts counts = live.counts();
            assertEquals(FRAMES, counts.put);
            assertEquals(0, counts.lost);
            assertTrue(counts.kept >= 4 && counts.kept < FRAMES && counts.bytes > 0, counts.kept + " kept");
            LivePicture picture = live.picture(-1);
            assertTrue(picture.width >= WIDTH / 2 && picture.height >= HEIGHT, picture.width + " x " + picture.height);
            assertEquals(picture.width * picture.height, ((int[]) picture.pixels).length);
            assertTrue(Arrays.stream((int[]) picture.pixels).anyMatch(p -> (p & 0xffffff) != 0));
            try (MosaicResult result = live.finish()) {
                assertEquals(counts.kept, result.rows().size());
                assertEquals(result.rows().size(), result.registered());
                assertNotNull(result.panorama());
                assertNotNull(result.verdict());
                assertEquals(live.kept().count(), result.rows().size());
                for (int i = 0; i < result.rows().size(); i++) {
                    assertEquals(result.rows().get(i).frame, live.kept().number(i));
                    assertEquals("f" + (live.kept().number(i) - 1), live.kept().label(i));
                }
                assertFalse(live.kept().isLasting());
                assertThrows(FrameReadException.class, () -> live.kept().pixels(0));
            }
        }
    }

    @Test
    void aStillScopeKeepsTwoFrames() throws FrameReadException {
        try (DemoSequence demo = demo(); LiveSession live = session(Progress.NONE)) {
            long changes = -1;
            for (int i = 0; i < 30; i++) {
                live.put(demo.pixels(0), "");
            }
            assertEquals(2, live.counts().kept);
            LivePicture picture = live.picture(changes);
            assertNull(picture == null ? null : live.picture(picture.changes));
            try (MosaicResult result = live.finish()) {
                assertEquals(2, result.registered());
                assertTrue(result.log().stream().anyMatch(line -> line.contains("the scope moved by 0.0 px")), result.log() + "");
            }
        }
    }

    @Test
    void aScopeThatSeesSomethingElseIsLostAndFoundAgain() throws FrameReadException {
        try (DemoSequence demo = demo(); LiveSession live = session(Progress.NONE)) {
            for (int i = 0; i < FRAMES; i++) {
                live.put(demo.pixels(i), "");
            }
            int[] wall = new int[WIDTH * HEIGHT];
            Arrays.fill(wall, 0xff606060);
            for (int i = 0; i < 3; i++) {
                assertEquals(LivePlace.State.LOST, live.put(wall, "").state);
            }
            boolean again = false;
            for (int i = FRAMES - 1; i > FRAMES - 6; i--) {
                again |= live.put(demo.pixels(i), "").foundAgain;
            }
            assertTrue(again);
            assertEquals(3, live.counts().lost);
        }
    }

    /** While nothing fits together, names of frames that come and go are not gathered. */
    @Test
    void darkFramesLeaveNothing() throws FrameReadException {
        try (DemoSequence demo = demo(); LiveSession live = session(Progress.NONE)) {
            for (int i = 0; i < 40; i++) {
                assertEquals(LivePlace.State.STARTING, live.put(new int[WIDTH * HEIGHT], "dark").state);
            }
            assertTrue(live.kept().count() <= 1, live.kept().count() + " names");
            for (int i = 0; i < 8; i++) {
                live.put(demo.pixels(2 * i), "f" + i);
            }
            try (MosaicResult result = live.finish()) {
                int first = result.rows().get(0).frame;
                assertTrue(first == 41 || first == 42, "frame " + first + " is the first");
                assertEquals("f" + (first - 41), live.kept().label(0));
            }
        }
    }

    @Test
    void framesOfAnotherSizeAreNotTaken() {
        try (LiveSession live = session(Progress.NONE)) {
            assertTrue(live.takes(WIDTH, HEIGHT, PixelType.RGB32));
            assertFalse(live.takes(WIDTH, HEIGHT + 1, PixelType.RGB32));
            assertFalse(live.takes(WIDTH, HEIGHT, PixelType.GREY8));
            assertThrows(EndoramaException.class, () -> live.put(new int[7], ""));
            assertThrows(EndoramaException.class, () -> live.put(new byte[WIDTH * HEIGHT], ""));
        }
    }

    @Test
    void fieldsThatDoNotFitAreRefused() {
        MosaicParameters selection = MosaicParameters.defaults().with("field", "Selection");
        assertThrows(IllegalArgumentException.class,
                () -> new LiveSession(WIDTH, HEIGHT, PixelType.RGB32, null, selection, Progress.NONE));
        assertThrows(IllegalArgumentException.class, () -> new LiveSession(WIDTH, HEIGHT, PixelType.RGB32, null,
                selection.withSelection(new byte[3]), Progress.NONE));
    }

    @Test
    void aClosedSessionSaysSo() {
        LiveSession live = session(Progress.NONE);
        live.close();
        live.close();
        assertThrows(IllegalStateException.class, live::counts);
    }
}
