package endorama.core.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import endorama.core.frames.ForwardingFrames;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelType;
import endorama.jni.ContextOptions;
import endorama.jni.EndoramaException;
import endorama.jni.FramesOptions;
import endorama.jni.NativeContext;
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
        public Object pixels(int index) {
            read.add(index);
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
            store.frames();
            assertEquals(Arrays.asList(4, 5), back);
        }
    }

    @Test
    void noFrameIsThereWhereCopyingFailed() throws FrameReadException {
        ContextOptions failing = ContextOptions.of(NativeContext.CPU, 1);
        failing.failAfter = 2;
        try (NativeContext context = NativeContext.create(failing);
                FrameStore store = new FrameStore(context, source, options(3))) {
            store.read(1);
            store.ask(2);
            store.ask(3);
            assertThrows(EndoramaException.class, store::frames);
            store.ask(1);
            store.ask(3);
            assertEquals(Arrays.asList(1, 2, 3, 3), source.read, "it is read again");
        }
    }

    @Test
    void aFrameThatIsOfNoUseIsForgotten() throws FrameReadException {
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1);
                FrameStore store = new FrameStore(context, source, options(3))) {
            store.read(1);
            store.keepOnly(2, -1);
            assertShows(store, 1);
            assertEquals(Arrays.asList(1, 1), source.read);
        }
    }

    private void assertShows(FrameStore store, int frame) throws FrameReadException {
        assertEquals((byte) (10 * frame), store.frames().grey(store.read(frame))[SIDE]);
    }
}
