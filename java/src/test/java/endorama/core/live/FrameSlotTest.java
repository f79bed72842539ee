package endorama.core.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The newest frame is there; those that nobody took are counted. */
class FrameSlotTest {
    private static final long LONG_MS = 20000;

    private final AtomicInteger released = new AtomicInteger();

    private LiveFrame frame(int number) {
        return new LiveFrame(1, 1, PixelType.GREY8, "" + number, System.nanoTime()) {
            @Override
            public Object pixels() {
                return new byte[] {(byte) number};
            }

            @Override
            public void release() {
                released.incrementAndGet();
            }
        };
    }

    /** A stream of n frames, the third of which cannot be read. */
    private FrameStream stream(int n) {
        return new FrameStream() {
            private int next;

            @Override
            public LiveFrame next() throws IOException {
                next++;
                if (next == 3) {
                    throw new FrameReadException("frame 3 is damaged");
                }
                return next > n ? null : frame(next);
            }

            @Override
            public void close() {
                released.addAndGet(1000);
            }
        };
    }

    @Test
    void theNewestReplacesThoseBefore() throws Exception {
        FrameSlot slot = new FrameSlot(false);
        slot.offer(frame(1));
        slot.offer(frame(2));
        LiveFrame newest = frame(3);
        slot.offer(newest);
        assertEquals(3, slot.offered());
        assertEquals(2, slot.dropped());
        assertEquals(2, released.get());
        assertSame(newest, slot.take(LONG_MS));
        assertNull(slot.take(1));
        assertFalse(slot.hasEnded());
        slot.end(null);
        assertTrue(slot.hasEnded());
    }

    @Test
    void aTakenFrameIsReplacedByTheNewest() throws Exception {
        FrameSlot slot = new FrameSlot(false);
        LiveFrame first = frame(1);
        assertSame(first, slot.renew(first));
        LiveFrame second = frame(2);
        slot.offer(second);
        assertSame(second, slot.renew(first));
        assertEquals(1, slot.dropped());
        assertEquals(1, released.get());
        FrameSlot every = new FrameSlot(true);
        every.offer(second);
        assertSame(first, every.renew(first));
        assertSame(second, every.take(LONG_MS));
    }

    @Test
    void everyFrameIsWaitedFor() throws Exception {
        FrameSlot slot = new FrameSlot(true);
        List<String> lost = Collections.synchronizedList(new ArrayList<String>());
        new FrameReader(() -> stream(6), slot, lost::add).start();
        List<String> taken = new ArrayList<>();
        while (!slot.hasEnded()) {
            LiveFrame frame = slot.take(LONG_MS);
            if (frame != null) {
                taken.add(frame.label);
                Thread.sleep(5);
            }
        }
        assertEquals(Arrays.asList("1", "2", "4", "5", "6"), taken);
        assertEquals(Collections.singletonList("frame 3 is damaged"), lost);
        assertEquals(0, slot.dropped());
    }

    @Test
    void theFailureComesAfterTheLastFrameAndOnce() throws Exception {
        FrameSlot slot = new FrameSlot(false);
        slot.offer(frame(1));
        slot.end(new StreamException("damaged"));
        assertFalse(slot.hasEnded());
        assertEquals("1", slot.take(LONG_MS).label);
        assertThrows(StreamException.class, () -> slot.take(LONG_MS));
        assertTrue(slot.hasEnded());
        assertNull(slot.take(1));
    }

    @Test
    void aStreamThatCannotBeOpenedIsAFailure() {
        FrameSlot slot = new FrameSlot(false);
        new FrameReader(() -> {
            throw new IllegalStateException("no camera");
        }, slot, line -> { }).start();
        FrameReadException e = assertThrows(FrameReadException.class, () -> slot.take(LONG_MS));
        assertTrue(e.getMessage().contains("no camera"), e.getMessage());
    }

    /** Nobody takes frames any more: a reader that waits goes on, closes its stream, and gives its frame back. */
    @Test
    void aClosedSlotEndsTheReader() throws Exception {
        FrameSlot slot = new FrameSlot(true);
        new FrameReader(() -> stream(1000), slot, line -> { }).start();
        slot.take(LONG_MS);
        slot.close();
        for (int i = 0; i < 1000 && released.get() < 1000; i++) {
            Thread.sleep(10);
        }
        assertTrue(released.get() >= 1001, released.toString());
    }

    @Test
    void aPaceIsKept() throws IOException {
        PacedFrames paced = new PacedFrames(stream(2), 50);
        long first = paced.next().arrived;
        assertEquals(20, (paced.next().arrived - first) / 1e6, 0.01);
        assertTrue(System.nanoTime() >= first + 20000000L);
    }

    @Test
    void quantilesOfTimes() {
        Latencies times = new Latencies();
        assertTrue(Double.isNaN(times.quantile(0.5)));
        assertEquals("", times.toString());
        for (int i = 1; i <= 100; i++) {
            times.add(i);
        }
        assertEquals(50, times.quantile(0.5), 2.5);
        assertEquals(99, times.quantile(0.99), 5);
        assertEquals(100, times.last());
        times.add(1e12);
        assertTrue(times.quantile(1) > 1e6);
    }
}
