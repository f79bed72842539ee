package endorama.core.mosaic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.pairs.KeyFrames.Key;
import endorama.core.places.LoopPlan.Candidate;
import endorama.core.transforms.Transform;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which pairs are registered next to close loops, and when there are no more. */
class LoopQueueTest {
    private static final List<Candidate> NONE = Collections.emptyList();
    private final Key key = new Key(0, 1, Transform.IDENTITY);
    private final Key other = new Key(50, 1, Transform.IDENTITY);
    private final LoopQueue queue = new LoopQueue();

    private static List<Candidate> pairs(Key key, int n) {
        List<Candidate> pairs = new ArrayList<Candidate>();
        for (int i = 0; i < n; i++) {
            pairs.add(new Candidate(key, null, 100 + i, 1));
        }
        return pairs;
    }

    private void round(int found) {
        queue.nextRound(pairs(key, 1), NONE);
        assertFalse(queue.isLastRound());
        queue.done(1, found);
    }

    @Test
    void fiveRoundsThoughAllOfThemFindPairs() {
        for (int i = 1; i <= 5; i++) {
            assertFalse(queue.isLastRound(), "round " + i);
            round(1);
        }
        assertTrue(queue.isLastRound());
        assertEquals(6 / 7.0, queue.share(), 1e-12);
    }

    /** The first round has places that the pairs which tie parts gave; the second those of the loops that it closed. */
    @Test
    void aRoundThatFindsNothingIsTheLastUnlessItIsTheFirst() {
        round(0);
        assertFalse(queue.isLastRound());
        round(1);
        assertFalse(queue.isLastRound());
        round(0);
        assertTrue(queue.isLastRound());
    }

    @Test
    void aRoundWithoutPairsIsTheLast() {
        round(1);
        queue.nextRound(NONE, NONE);
        assertTrue(queue.isLastRound());
    }

    @Test
    void nearPairsComeFirstAsManyAsTheStoreHolds() {
        queue.take(pairs(key, 6), pairs(key, 1));
        assertEquals(6, queue.nextNear(16, 7).size());
        assertEquals(5, queue.nextNear(16, 6).size());
        assertEquals(4, queue.nextNear(4, 7).size());
        queue.done(6, 2);
        assertFalse(queue.hasNear());
        assertFalse(queue.isEmpty());
        assertEquals(2, queue.found());
    }

    /** After a failure they are asked for again. */
    @Test
    void farPairsComeFourAtATimeAgainstOneKeyFrame() {
        List<Candidate> far = pairs(key, 6);
        far.addAll(pairs(other, 2));
        queue.take(NONE, far);
        assertEquals(far.subList(0, 4), queue.nextFar());
        assertEquals(far.subList(0, 4), queue.nextFar());
        queue.done(4, 0);
        assertEquals(far.subList(4, 6), queue.nextFar());
        queue.done(2, 0);
        assertEquals(far.subList(6, 8), queue.nextFar());
        queue.done(2, 0);
        assertTrue(queue.isEmpty());
    }
}
