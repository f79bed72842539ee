package endorama.core.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.RunTimes;
import endorama.core.frames.ForwardingFrames;
import endorama.core.frames.OneFrame;
import endorama.core.frames.PixelType;
import endorama.core.paint.Sharpness;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Frames that are looked at beside what else is done with them, and go back. */
class OnlookersTest {
    private static final int SIDE = 2000;

    private static final int COUNT = 10;

    /** Frames, and what is given back of them. */
    private static final class Returned extends ForwardingFrames {
        final List<Object> back = new ArrayList<Object>();

        Returned() {
            super(new OneFrame("", PixelType.GREY8, SIDE, SIDE, new byte[SIDE * SIDE]));
        }

        @Override
        public int count() {
            return COUNT;
        }

        @Override
        public Object pixels(int index) {
            return new byte[SIDE * SIDE];
        }

        @Override
        public void giveBack(int index, Object pixels) {
            back.add(pixels);
        }
    }

    private final Returned source = new Returned();
    private final Sharpness sharpness = new Sharpness(source);

    @Test
    void framesGoBackWhenTheyWereSeen() {
        try (Onlookers onlookers = new Onlookers(source, Arrays.asList(sharpness), 1, new RunTimes())) {
            Object first = source.pixels(0);
            onlookers.see(0, first);
            onlookers.see(1, source.pixels(1));
            onlookers.await();
            assertEquals(2, source.back.size());
            assertSame(first, source.back.get(0));
            assertFalse(sharpness.isNew(0) || sharpness.isNew(1));
        }
    }

    /** The one thread is still at the first frame. */
    @Test
    void frameThatWaitsIsNotLookedAtTwice() {
        try (Onlookers onlookers = new Onlookers(source, Arrays.asList(sharpness), 1, new RunTimes())) {
            Object again = source.pixels(1);
            onlookers.see(0, source.pixels(0));
            onlookers.see(1, source.pixels(1));
            onlookers.see(1, again);
            assertEquals(1, source.back.size());
            assertSame(again, source.back.get(0));
            onlookers.await();
            assertEquals(3, source.back.size());
        }
    }

    /** Of memory they hold eight frames: who brings one more waits for the first. */
    @Test
    void fewFramesWait() {
        try (Onlookers onlookers = new Onlookers(source, Arrays.asList(sharpness), 1, new RunTimes())) {
            for (int i = 0; i < COUNT; i++) {
                assertEquals(Math.max(0, i - 8), source.back.size());
                onlookers.see(i, source.pixels(i));
            }
        }
    }

    /** A frame that cannot be looked at is tried again by the one who waits, and again when that fails. */
    @Test
    void failureComesToTheOneWhoWaits() {
        try (Onlookers onlookers = new Onlookers(source, Arrays.asList(sharpness), 1, new RunTimes())) {
            onlookers.see(0, new byte[5]);
            for (int i = 0; i < 2; i++) {
                boolean failed = false;
                try {
                    onlookers.await();
                } catch (RuntimeException e) {
                    failed = true;
                }
                assertTrue(failed);
            }
            assertTrue(source.back.isEmpty() && sharpness.isNew(0));
        }
    }
}
