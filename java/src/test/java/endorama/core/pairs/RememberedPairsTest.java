package endorama.core.pairs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import endorama.core.engine.FrameStore;
import endorama.core.engine.PlacedFrame;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.TestFrames;
import endorama.core.transforms.Transform;
import endorama.jni.FramesOptions;
import endorama.jni.NativeContext;
import endorama.jni.RegisterOptions;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Chains that follow each other do not register the same pairs again. */
class RememberedPairsTest {
    private static final int W = 120;
    private static final int H = 100;

    private static FramesOptions options(FrameSource source) {
        FramesOptions options = new FramesOptions();
        options.width = W;
        options.height = H;
        options.type = source.type().code();
        options.capacity = 4;
        return options;
    }

    @Test
    void whatOneChainAskedForAnotherOneKnows() throws FrameReadException {
        FrameSource source = TestFrames.demo(W, H, 4, 5);
        RememberedPairs known = new RememberedPairs();
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1);
                FrameStore store = new FrameStore(context, source, options(source))) {
            List<Integer> slots = Arrays.asList(store.read(1), store.read(2), store.read(3));
            PlacedFrame before = new PlacedFrame(0, store.read(0), Transform.IDENTITY, 0);
            FrameMatcher one = new FrameMatcher(store.frames(), new RegisterOptions(), known);
            PairBatch batch = one.batch(before, 1, slots);
            assertEquals(0, batch.reference(1));
            PairMatch neighbour = one.match(before, 1, slots.get(0), batch);
            PairMatch single = one.match(before, 3, slots.get(2), batch);

            FrameMatcher other = new FrameMatcher(store.frames(), new RegisterOptions(), known);
            PairBatch rest = other.batch(before, 1, slots);
            assertEquals(-1, rest.reference(1), "the first pair is known");
            assertEquals(1, rest.reference(2), "nobody has asked for the second one");
            assertSame(neighbour, other.match(before, 1, slots.get(0), rest));
            assertSame(single, other.match(before, 3, slots.get(2), rest));
            assertOnlyTheLatestAreKept(known, single);
        }
    }

    private static void assertOnlyTheLatestAreKept(RememberedPairs known, PairMatch match) {
        for (int frame = 10; frame < 522; frame++) {
            known.add(frame, match);
        }
        assertNull(known.get(0, 3));
        assertSame(match, known.get(0, 10));
        known.add(522, match);
        assertNull(known.get(0, 10));
    }
}
