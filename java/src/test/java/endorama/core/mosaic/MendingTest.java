package endorama.core.mosaic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.transforms.Transform;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Edits of links, what undoes them, and the order of doubt. */
class MendingTest {
    private static final int FRAMES = 6;
    private static final int[] NUMBERS = {1, 2, 3, 4, 5, 6};

    private static Link link(int a, int b, double dx, double deviation) {
        return new Link(a, b, true, Transform.translation(dx, 0), deviation, Link.CHAIN);
    }

    /** Frames at 0, 10, 20 .., of which the link 2-3 says 14 px. */
    private static Mending mending() {
        List<Link> links = Arrays.asList(link(1, 2, 10, 0.1), link(2, 3, 14, 0.1), link(3, 4, 10, 0.5));
        return new Mending(NUMBERS, 100, 80, new Links(links));
    }

    private static List<FrameRow> rows() {
        List<FrameRow> rows = new ArrayList<FrameRow>();
        for (int frame = 1; frame <= FRAMES; frame++) {
            FrameRow row = new FrameRow(frame);
            if (frame < FRAMES) {
                row.register(Transform.translation(10 * (frame - 1), 0));
            }
            rows.add(row);
        }
        return rows;
    }

    @Test
    void aMovementOfTheHandIsOneEdit() {
        Mending mending = mending();
        for (int i = 1; i <= 5; i++) {
            mending.place(1, Transform.translation(14 - i, 0));
        }
        mending.placed();
        mending.place(1, Transform.translation(8, 0));
        assertEquals(Link.HAND, mending.link(1).origin);
        assertEquals(Mending.BY_EYE, mending.link(1).deviation);
        mending.undo();
        assertEquals(Transform.translation(9, 0), mending.link(1).transform);
        mending.undo();
        assertEquals(Transform.translation(14, 0), mending.link(1).transform);
        assertEquals(Link.CHAIN, mending.link(1).origin);
        assertFalse(mending.canUndo());
        mending.redo();
        mending.redo();
        assertEquals(Transform.translation(8, 0), mending.link(1).transform);
        assertFalse(mending.canRedo());
    }

    @Test
    void anEditAfterUndoForgetsWhatWasUndone() {
        Mending mending = mending();
        mending.use(0, false);
        mending.undo();
        assertTrue(mending.canRedo());
        mending.use(2, false);
        assertFalse(mending.canRedo());
        assertTrue(mending.link(0).use);
        mending.use(2, false);
        mending.undo();
        assertTrue(mending.link(2).use, "switching it off twice is one edit");
    }

    @Test
    void changesAreThoseSinceSaving() {
        Mending mending = mending();
        assertFalse(mending.isChanged());
        mending.use(0, false);
        assertTrue(mending.isChanged());
        mending.saved();
        assertFalse(mending.isChanged());
        mending.undo();
        assertTrue(mending.isChanged());
        mending.redo();
        assertFalse(mending.isChanged());
    }

    @Test
    void anAddedPairStartsWhereTheSolutionHasItAndCountsOnceItIsPlaced() {
        Mending mending = mending();
        mending.solved(rows());
        assertEquals(0, mending.add(2, 1), "it is there, the other way round");
        assertEquals(3, mending.add(2, 5));
        assertEquals(Transform.translation(30, 0), mending.link(3).transform);
        assertFalse(mending.link(3).use);
        mending.place(3, Transform.translation(31, 0));
        assertTrue(mending.link(3).use);
        assertEquals(4, mending.add(5, 6));
        assertEquals(Transform.IDENTITY, mending.link(4).transform);
        mending.undo();
        assertEquals(4, mending.size());
        assertEquals("frames 0 and 2: must be two different ones of the 6 frames 1-6",
                assertThrows(IllegalArgumentException.class, () -> mending.add(0, 2)).getMessage());
        assertThrows(IllegalArgumentException.class, () -> mending.add(2, 7));
        assertThrows(IllegalArgumentException.class, () -> mending.add(2, 2));
    }

    @Test
    void linksOfFramesThatAreLeftOutAreKeptButNotListed() {
        Mending mending = new Mending(new int[] {1, 2}, 100, 80, new Links(Arrays.asList(link(1, 7, 3, 1), link(1, 2, 3, 1))));
        assertEquals(Collections.singletonList(1), mending.byDoubt());
        assertEquals(2, mending.links().all().size());
    }

    @Test
    void whatIsContradictedOrUnknownComesFirstAndWhatDoesNotCountLast() {
        Mending mending = mending();
        assertEquals(Arrays.asList(2, 0, 1), mending.byDoubt());
        assertTrue(Double.isNaN(mending.off(1)));
        mending.solved(rows());
        assertEquals(4, mending.off(1), 1e-9);
        assertEquals(0, mending.off(0), 1e-9);
        assertEquals(Arrays.asList(1, 2, 0), mending.byDoubt());
        mending.use(1, false);
        assertEquals(Arrays.asList(2, 0, 1), mending.byDoubt());
    }

    @Test
    void linksToUncertainFramesComeBeforeOthers() {
        Mending mending = mending();
        List<FrameRow> rows = rows();
        rows.get(0).doubtful = true;
        mending.solved(rows);
        assertEquals(Arrays.asList(0, 1, 2), mending.byDoubt());
    }

    @Test
    void framesOutsideTheFirstPanoramaAreListed() {
        Mending mending = mending();
        assertEquals(Collections.emptyList(), mending.unplaced());
        List<FrameRow> rows = rows();
        rows.get(4).part = 2;
        mending.solved(rows);
        assertEquals(Arrays.asList(5, 6), mending.unplaced());
        assertEquals(4, mending.nearestPlaced(5));
        assertEquals(4, mending.nearestPlaced(6));
        assertEquals(2, mending.nearestPlaced(1));
        assertNull(mending.between(1, 5));
        assertNull(mending.between(1, 6));
        assertEquals(Transform.translation(-10, 0), mending.between(2, 1));
    }

    @Test
    void framesKeepTheirNumbers() {
        Mending mending = new Mending(new int[] {3, 7, 20}, 100, 80, new Links(Collections.singletonList(link(3, 20, 10, 1))));
        assertThrows(IllegalArgumentException.class, () -> mending.add(3, 4));
        FrameRow first = new FrameRow(3);
        FrameRow last = new FrameRow(20);
        first.register(Transform.IDENTITY);
        last.register(Transform.translation(12, 0));
        mending.solved(Arrays.asList(first, new FrameRow(7), last));
        assertEquals(2, mending.off(0), 1e-9);
        assertEquals(Collections.singletonList(7), mending.unplaced());
        assertEquals(3, mending.nearestPlaced(7));
    }
}
