package endorama.core.mosaic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.Progress;
import endorama.core.frames.FrameRange;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.TestFrames;
import endorama.core.options.Commands;
import endorama.core.options.MosaicParameters;
import endorama.core.transforms.Transform;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sequence whose links are mended: a wrong one is refined, and the panorama follows. */
class MendSessionTest {
    private static final int W = 160;
    private static final int H = 128;
    private static final int COUNT = 12;

    @TempDir
    Path folder;

    private static MosaicParameters parameters() {
        return MosaicParameters.defaults().withThreads(2);
    }

    private static StageFile pairs(FrameSource frames, MosaicParameters parameters) throws FrameReadException {
        MosaicSession registering = new MosaicSession(frames, parameters, Progress.NONE).pairsAlone();
        registering.run().close();
        return registering.registered();
    }

    private static MendSession session(TestFrames frames) throws IOException {
        return new MendSession(frames, pairs(frames, parameters()), null);
    }

    private static int linkOf(Mending mending, int a, int b) {
        int size = mending.size();
        int link = mending.add(a, b);
        assertEquals(size, mending.size(), "there is a link of " + a + " and " + b);
        return link;
    }

    private static double error(Transform found, TestFrames frames, int a, int b) {
        Transform truth = frames.truth().get(a).inverse().multiply(frames.truth().get(b));
        return Math.hypot(found.applyX(W / 2, H / 2) - truth.applyX(W / 2, H / 2),
                found.applyY(W / 2, H / 2) - truth.applyY(W / 2, H / 2));
    }

    @Test
    void aPairThatWasMovedIsRefinedBackOrSaysWhyNot() throws IOException {
        TestFrames frames = TestFrames.demo(W, H, COUNT, 3);
        MendSession session = session(frames);
        Mending mending = session.mending();
        int link = linkOf(mending, 5, 6);
        mending.place(link, Transform.translation(6, -4).multiply(mending.link(link).transform));
        mending.placed();
        assertTrue(error(mending.link(link).transform, frames, 5, 6) > 6);
        Refinement found = session.refine(link, parameters(), Progress.NONE);
        assertEquals("", found.why);
        assertEquals(7.2, found.moved, 0.5);
        assertTrue(error(mending.link(link).transform, frames, 5, 6) < 0.5);
        assertEquals(found.deviation, mending.link(link).deviation);
        assertTrue(found.deviation < 0.5);
        assertEquals(Link.HAND, mending.link(link).origin);

        mending.place(link, Transform.translation(70, 50));
        Transform placed = mending.link(link).transform;
        Refinement none = session.refine(link, parameters(), Progress.NONE);
        assertNull(none.transform);
        assertFalse(none.why.isEmpty());
        assertSame(placed, mending.link(link).transform);
    }

    @Test
    void solvingFollowsTheLinksAndPaints() throws IOException {
        TestFrames frames = TestFrames.demo(W, H, COUNT, 3);
        MendSession session = session(frames);
        Mending mending = session.mending();
        try (MosaicResult result = session.solve(parameters(), Progress.NONE)) {
            assertNotNull(result.panorama());
            assertEquals(COUNT, result.registered());
        }
        assertTrue(mending.off(linkOf(mending, 5, 6)) < 0.5);
        for (int i = 0; i < mending.size(); i++) {
            mending.use(i, mending.link(i).a != COUNT && mending.link(i).b != COUNT);
        }
        File file = folder.resolve("links.csv").toFile();
        mending.links().write(file);
        MendSession again = new MendSession(frames, pairs(frames, parameters()), Links.read(file));
        for (MendSession one : new MendSession[] {session, again}) {
            one.solve(parameters(), Progress.NONE).close();
            assertEquals(Collections.singletonList(COUNT), one.mending().unplaced());
        }
    }

    @Test
    void theFramesThatWereTakenKeepTheirNumbers() throws IOException {
        TestFrames frames = TestFrames.demo(W, H, COUNT, 3);
        MosaicParameters some = parameters().with("frames", "3-8").with("exclude", "5");
        StageFile pairs = pairs(FrameRange.chosen(Commands.MOSAIC.parseMacro("frames=3-8 exclude=5"), frames), some);
        MendSession session = new MendSession(frames, pairs, null);
        Mending mending = session.mending();
        int link = linkOf(mending, 4, 6);
        mending.place(link, Transform.translation(3, 2).multiply(mending.link(link).transform));
        session.refine(link, parameters(), Progress.NONE);
        assertTrue(error(mending.link(link).transform, frames, 4, 6) < 0.5);
        session.solve(parameters(), Progress.NONE).close();
        assertTrue(mending.off(link) < 0.5);
    }

    @Test
    void aQuickPictureIsSmall() throws IOException {
        TestFrames frames = TestFrames.demo(W, H, 3, 3);
        MendSession session = session(frames);
        assertEquals(1, session.small(parameters()).scale());
        assertEquals(0.5, session.small(parameters().with("scale", 0.5)).scale());
        assertFalse(session.small(parameters()).followsRelief());
    }

    @Test
    void otherFramesAreRefused() throws IOException {
        StageFile pairs = pairs(TestFrames.demo(W, H, 4, 3), parameters());
        assertThrows(FrameReadException.class, () -> new MendSession(TestFrames.demo(W, H, 5, 3), pairs, null));
        Links links = new Links(Collections.singletonList(Link.byHand(1, 9, Transform.IDENTITY, 1)));
        assertThrows(IllegalArgumentException.class, () -> new MendSession(TestFrames.demo(W, H, 4, 3), pairs, links));
    }

    @Test
    void framesAreShownWithoutTheirLens() throws Exception {
        TestFrames frames = TestFrames.demo(W, H, 4, 3);
        MendSession session = session(frames);
        assertSame(frames, session.shown(parameters().with("lens", "0")));
        try (AppliedFrames straight = (AppliedFrames) session.shown(parameters().with("lens", "-20"))) {
            assertEquals(4, straight.count());
            assertEquals(W, straight.width());
            assertFalse(Arrays.equals((int[]) frames.pixels(2), (int[]) straight.pixels(2)));
        }
    }
}
