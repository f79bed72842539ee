package endorama.core.pairs;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What is usual in a sequence, and who is the odd one out. */
class PlausibilityTest {
    @Test
    void threeFirstFramesSayWhatIsUsualIfTheyAreAlike() {
        Plausibility alike = new Plausibility();
        assertTrue(alike.isSuspicious(0.55));
        alike.addFirst(0.5, 0.55, 0.599);
        assertFalse(alike.isSuspicious(0.9));
        assertFalse(alike.isWild(0.9));
        Plausibility unlike = new Plausibility();
        unlike.addFirst(0.5, 0.55, 0.602);
        assertTrue(unlike.isSuspicious(0.9));
        assertTrue(unlike.isWild(0.9));
    }

    /** A pair of them may be measured on smoothed frames, the others not. */
    @Test
    void threeFirstFramesThatSeeNoiseNeedNotBeAlike() {
        Plausibility noise = new Plausibility();
        noise.addFirst(0.97, 0.501, 0.75);
        assertFalse(noise.isSuspicious(0.9));
        Plausibility less = new Plausibility();
        less.addFirst(0.97, 0.499, 0.75);
        assertTrue(less.isSuspicious(0.9));
    }

    @Test
    void threeFirstFramesSayNothingWhereMuchIsKnown() {
        Plausibility known = new Plausibility();
        known.add(0.02);
        known.addFirst(0.5, 0.55, 0.58);
        assertTrue(known.isSuspicious(0.5));
        assertTrue(known.isWild(0.5));
    }

    /** Of the last fifteen frames, by their median. */
    @Test
    void suspicionBeginsAtATenthOrTwiceWhatIsUsual() {
        Plausibility p = new Plausibility();
        assertFalse(p.isSuspicious(0.1));
        assertTrue(p.isSuspicious(0.101));
        assertFalse(p.isWild(0.3));
        assertTrue(p.isWild(0.301));
        for (int i = 0; i < 15; i++) {
            p.add(0.2);
        }
        assertFalse(p.isSuspicious(0.4));
        assertTrue(p.isSuspicious(0.401));
        for (int i = 0; i < 7; i++) {
            p.add(0.01);
        }
        assertFalse(p.isSuspicious(0.4));
        p.add(0.01);
        assertTrue(p.isSuspicious(0.15));
    }

    @Test
    void theOddOneOutDiffersFromBothOthersMoreThanTheyDo() {
        assertTrue(Plausibility.isOddOneOut(0.3, 0.29, 0.15, 0));
        assertFalse(Plausibility.isOddOneOut(0.3, 0.26, 0.15, 0.01));
        assertFalse(Plausibility.isOddOneOut(0.005, 0.005, 0, 0));
        assertTrue(Plausibility.isOddOneOut(0.01, 0.01, 0, 0.01));
    }

    /** Of 24 tiles four against two are chance, and five against two are not. */
    @Test
    void aTileMoreOrLessIsChance() {
        double tile = 1 / 24.0;
        assertFalse(Plausibility.isOddOneOut(4 * tile, 6 * tile, 2 * tile, tile));
        assertTrue(Plausibility.isOddOneOut(5 * tile, 5 * tile, 2 * tile, tile));
    }
}
