package endorama.core.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.RunTimes;
import endorama.core.frames.ForwardingFrames;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelType;
import endorama.jni.ContextOptions;
import endorama.jni.EndoramaException;
import endorama.jni.FramesOptions;
import endorama.jni.NativeContext;
import endorama.jni.NativeFrames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which frames stay in a store. */
class FrameStoreTest {
    private static final int SIDE = 32;

    /** Frames of one grey value each, noted when they are read. */
    private static final class Flat implements FrameSource {
        final List<Integer> read = Collections.synchronizedList(new ArrayList<Integer>());
        /** Fails when it is read first. */
        int failing = -1;

        @Override
        public int count() {
            return 20;
        }

        @Override
        public int width() {
            return SIDE;
        }

        @Override
        public int height() {
            return SIDE;
        }

        @Override
        public PixelType type() {
            return PixelType.GREY8;
        }

        @Override
        public String label(int index) {
            return "";
        }

        @Override
        public Object pixels(int index) throws FrameReadException {
            read.add(index);
            if (index == failing) {
                failing = -1;
                throw new FrameReadException("not now");
            }
            byte[] pixels = new byte[SIDE * SIDE];
            Arrays.fill(pixels, (byte) (10 * index));
            return pixels;
        }
    }

    private final Flat source = new Flat();

    private static FramesOptions options(int capacity) {
        FramesOptions options = new FramesOptions();
        options.width = SIDE;
        options.height = SIDE;
        options.type = PixelType.GREY8.code();
        options.capacity = capacity;
        return options;
    }

    @Test
    void theFirstFramesStayWhereThereIsRoom() throws FrameReadException {
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1);
                FrameStore store = new FrameStore(context, source, options(6), 2, new RunTimes(), null)) {
            assertEquals(2, store.capacity());
            for (int pass = 0; pass < 2; pass++) {
                for (int frame = 0; frame < 8; frame++) {
                    assertShows(store, frame);
                    store.keepOnly(frame);
                    assertTrue(store.hasRoom());
                }
            }
            assertEquals(0, store.unused());
            assertEquals(Arrays.asList(0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7), source.read.subList(0, 12));
        }
    }

    @Test
    void whatIsInUseStaysAndTheRestGoesFirst() throws FrameReadException {
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1);
                FrameStore store = new FrameStore(context, source, options(3), 3, new RunTimes(), null)) {
            for (int frame : new int[] {4, 2, 9}) {
                store.read(frame);
            }
            assertFalse(store.hasRoom());
            assertFalse(store.canHold(4, 5));
            store.keepOnly(9);
            assertTrue(store.canHold(4, 5));
            assertShows(store, 5);
            assertShows(store, 2);
            assertEquals(Arrays.asList(4, 2, 9, 5), source.read, "4 went for 5");
        }
    }

    @Test
    void whatLacksAUseIsReadAgainIntoItsSlot() throws FrameReadException {
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1);
                FrameStore store = new FrameStore(context, source, options(3), 3, new RunTimes(), null)) {
            store.askFor(NativeFrames.SURVEY);
            int slot = store.read(4);
            assertThrows(EndoramaException.class, () -> store.frames().grey(slot));
            store.read(5);
            store.keepOnly(4);
            store.askFor(NativeFrames.MATCHING);
            assertEquals(slot, store.read(4));
            assertShows(store, 4);
            assertShows(store, 5);
            assertShows(store, 5);
            store.askFor(NativeFrames.ANY_USE);
            assertShows(store, 4);
            store.askFor(NativeFrames.MATCHING);
            assertShows(store, 4);
            assertEquals(Arrays.asList(4, 5, 4, 5, 4), source.read);
        }
    }

    @Test
    void whatIsBlendedTakesTheSameSlotsAgainAndAgain() throws FrameReadException {
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1);
                FrameStore store = new FrameStore(context, source, options(6), 6, new RunTimes(), null)) {
            for (int frame = 0; frame < 6; frame++) {
                store.read(frame);
            }
            store.keepOnly();
            assertEquals(0, store.unused());
            store.askFor(NativeFrames.SURVEY + NativeFrames.PAINTING);
            assertEquals(0, store.unused(), "they serve for anything");
            store.askFor(NativeFrames.MATCHING);
            store.read(7);
            store.keepOnly();
            store.askFor(NativeFrames.SURVEY);
            assertEquals(1, store.unused(), "7 does not serve for that");
            int slot = store.read(8);
            for (int frame = 9; frame < 19; frame++) {
                store.keepOnly();
                assertEquals(slot, store.read(frame));
            }
        }
    }

    @Test
    void whatCannotBeReadAgainServesForWhatItDid() throws FrameReadException {
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1);
                FrameStore store = new FrameStore(context, source, options(3), 3, new RunTimes(), null)) {
            store.askFor(NativeFrames.MATCHING);
            store.read(4);
            store.askFor(NativeFrames.ANY_USE);
            source.failing = 4;
            assertThrows(FrameReadException.class, () -> store.read(4));
            store.askFor(NativeFrames.MATCHING);
            assertShows(store, 4);
            assertEquals(Arrays.asList(4, 4), source.read);
        }
    }

    @Test
    void framesThatWaitAreThereWhenTheStoreIsUsed() throws FrameReadException {
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1);
                FrameStore store = new FrameStore(context, source, options(3))) {
            for (int frame = 0; frame < 9; frame++) {
                store.keepOnly(frame - 1);
                store.ask(frame);
            }
            assertShows(store, 7);
            assertShows(store, 8);
            assertEquals(Arrays.asList(0, 1, 2, 3, 4, 5, 6, 7, 8), source.read);
        }
    }

    @Test
    void whoeverLooksSeesThemOnlyWhenTheyWereCopied() throws FrameReadException {
        List<Integer> back = new ArrayList<Integer>();
        FrameSource watched = new ForwardingFrames(source) {
            @Override
            public Object pixels(int index) throws FrameReadException {
                return source.pixels(index);
            }

            @Override
            public void giveBack(int index, Object pixels) {
                back.add(index);
            }
        };
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1);
                FrameStore store = new FrameStore(context, watched, options(3))) {
            store.ask(4);
            store.ask(5);
            assertEquals(Arrays.asList(), back);
            store.flush();
            assertEquals(Arrays.asList(4, 5), back);
        }
    }

    @Test
    void noFrameIsThereWhereCopyingFailed() throws FrameReadException {
        ContextOptions failing = ContextOptions.of(NativeContext.CPU, 1);
        failing.failAfter = 2;
        try (NativeContext context = NativeContext.create(failing);
                FrameStore store = new FrameStore(context, source, options(3), 3, new RunTimes(), null)) {
            store.read(1);
            store.ask(2);
            store.ask(3);
            store.forget(3);
            assertEquals(0, store.unused());
            assertThrows(EndoramaException.class, store::frames);
            assertEquals(2, store.unused());
            assertTrue(store.holds(1));
            assertFalse(store.holds(2));
            store.ask(3);
            assertEquals(Arrays.asList(1, 2, 3, 3), source.read, "it is read again");
        }
    }

    @Test
    void anOrdinaryStoreForgets() throws FrameReadException {
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1);
                FrameStore store = new FrameStore(context, source, options(3))) {
            store.read(1);
            store.forget(1);
            assertShows(store, 1);
            assertEquals(Arrays.asList(1, 1), source.read);
        }
    }

    @Test
    void expectedFramesComeAsFarAsThereAreSlots() throws FrameReadException {
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1);
                FrameStore store = new FrameStore(context, source, options(6), 3, new RunTimes(), null)) {
            store.read(1);
            store.read(2);
            store.expect(2, 20);
            for (int frame = 2; frame < 10; frame++) {
                assertShows(store, frame);
                store.keepOnly(frame);
            }
            assertEquals(Arrays.asList(1, 2, 3, 4, 5, 6, 7, 8, 9), source.read, "each once");
        }
    }

    @Test
    void whatElseIsWantedComesFirstAndWhatHasComeStays() throws FrameReadException {
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1);
                FrameStore store = new FrameStore(context, source, options(4), 2, new RunTimes(), null)) {
            store.expect(5, 8);
            assertShows(store, 5);
            assertShows(store, 15);
            assertEquals(15, source.read.get(source.read.size() - 1), "nobody reads beside it");
            store.keepOnly();
            assertShows(store, 5);
            assertShows(store, 7);
            assertTrue(source.read.size() <= 5, source.read.toString());
            assertEquals(1, Collections.frequency(source.read, 5));
        }
    }

    @Test
    void aFrameThatFailsAheadIsReadAgainWhenItIsWanted() throws FrameReadException {
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1);
                FrameStore store = new FrameStore(context, source, options(3), 3, new RunTimes(), null)) {
            source.failing = 4;
            store.expect(3, 6);
            assertShows(store, 3);
            assertShows(store, 4);
            assertShows(store, 5);
            assertEquals(2, Collections.frequency(source.read, 4));
            assertEquals(0, store.unused());
        }
    }

    private void assertShows(FrameStore store, int frame) throws FrameReadException {
        assertEquals((byte) (10 * frame), store.frames().grey(store.read(frame))[SIDE]);
    }
}
