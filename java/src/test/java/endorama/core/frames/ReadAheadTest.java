package endorama.core.frames;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Reading ahead gives the same frames and failures as reading on demand, within the memory. */
class ReadAheadTest {
    private static final int N = 100;

    /** Frames of one pixel, whose value is the index of the frame. */
    private static class Numbers implements FrameSource {
        final ConcurrentLinkedQueue<Integer> read = new ConcurrentLinkedQueue<Integer>();
        final ConcurrentLinkedQueue<Integer> back = new ConcurrentLinkedQueue<Integer>();
        final AtomicInteger reading = new AtomicInteger();
        final AtomicInteger most = new AtomicInteger();
        int width = 1;

        @Override
        public int count() {
            return N;
        }

        @Override
        public int width() {
            return width;
        }

        @Override
        public int height() {
            return 1;
        }

        @Override
        public PixelType type() {
            return PixelType.GREY8;
        }

        @Override
        public String label(int index) {
            return "n" + index;
        }

        @Override
        public Object pixels(int index) throws FrameReadException {
            read.add(index);
            most.accumulateAndGet(reading.incrementAndGet(), Math::max);
            try {
                return load(index);
            } finally {
                reading.decrementAndGet();
            }
        }

        @Override
        public void giveBack(int index, Object pixels) {
            assertEquals(index, ((byte[]) pixels)[0]);
            back.add(index);
        }

        Object load(int index) throws FrameReadException {
            return new byte[] {(byte) index};
        }
    }

    private static void assertFrame(int index, FrameSource source) throws FrameReadException {
        assertEquals(index, ((byte[]) source.pixels(index))[0]);
    }

    private static void settle(Numbers numbers, int reads) throws InterruptedException {
        for (int i = 0; i < 200 && numbers.read.size() < reads; i++) {
            Thread.sleep(10);
        }
        Thread.sleep(50);
    }

    @Test
    void everyFrameIsReadOnceWhateverTheOrder() throws Exception {
        Numbers numbers = new Numbers();
        ReadAhead ahead = new ReadAhead(numbers, 3);
        for (int i = 0; i < N; i++) {
            assertFrame(i, ahead);
        }
        assertEquals(N, numbers.read.size());
        assertEquals(N, new HashSet<Integer>(numbers.read).size());
        for (int i : new int[] {7, 3, 3, 99, 0, 50, 52, 54, 56, 58, 60}) {
            assertFrame(i, ahead);
        }
    }

    @Test
    void readsAtOnceOnSoManyThreads() throws Exception {
        CyclicBarrier together = new CyclicBarrier(3);
        Numbers numbers = new Numbers() {
            @Override
            Object load(int index) throws FrameReadException {
                try {
                    together.await(20, TimeUnit.SECONDS);
                } catch (Exception e) {
                    throw new FrameReadException("alone", e);
                }
                return super.load(index);
            }
        };
        ReadAhead ahead = new ReadAhead(numbers, 3);
        ahead.expect(new int[] {7, 8, 9, 10, 11, 12});
        settle(numbers, 6);
        assertEquals(3, numbers.most.get());
        assertFrame(7, ahead);
        assertFrame(12, ahead);
    }

    @Test
    void waitingFramesFitIntoTheMemory() throws Exception {
        Numbers numbers = new Numbers();
        ReadAhead ahead = new ReadAhead(numbers, 1);
        assertEquals(ReadAhead.MOST, ahead.most());
        for (int i = 0; i < 10; i++) {
            assertFrame(i, ahead);
        }
        settle(numbers, 10 + ReadAhead.MOST);
        assertEquals(10 + ReadAhead.MOST, numbers.read.size());

        Numbers told = new Numbers();
        int[] many = new int[60];
        for (int i = 0; i < many.length; i++) {
            many[i] = i;
        }
        new ReadAhead(told, 2).expect(many);
        settle(told, ReadAhead.MOST + 1);
        assertEquals(ReadAhead.MOST, told.read.size());

        Numbers large = new Numbers();
        large.width = (int) Math.min(Integer.MAX_VALUE, Runtime.getRuntime().maxMemory() / 8 / 3);
        assertEquals(3, new ReadAhead(large, 8).most());
    }

    @Test
    void whatIsExpectedIsReadAndWhatJumpsIsNot() throws Exception {
        Numbers numbers = new Numbers();
        ReadAhead ahead = new ReadAhead(numbers, 2);
        ahead.expect(new int[] {5, 90, 17});
        settle(numbers, 3);
        assertEquals(3, numbers.read.size());
        assertFrame(5, ahead);
        assertFrame(90, ahead);
        assertFrame(17, ahead);
        assertEquals(3, numbers.read.size());
        for (int i : new int[] {40, 3, 77, 20}) {
            assertFrame(i, ahead);
        }
        settle(numbers, 7);
        assertEquals(7, numbers.read.size());
    }

    @Test
    void skippedFramesGoBackAndTheOthersAreReadOnce() throws Exception {
        Numbers numbers = new Numbers();
        ReadAhead ahead = new ReadAhead(numbers, 2);
        Set<Integer> skipped = new HashSet<Integer>();
        for (int i = 0; i < N; i++) {
            if (i % 6 == 5) {
                settle(numbers, i + 1);
                skipped.add(i);
            } else {
                assertFrame(i, ahead);
            }
        }
        ahead.expect(new int[0]);
        assertEquals(N, numbers.read.size());
        assertEquals(N, new HashSet<Integer>(numbers.read).size());
        assertEquals(skipped, new HashSet<Integer>(numbers.back));
        assertEquals(skipped.size(), numbers.back.size());
    }

    @Test
    void aFrameThatIsBeingReadWhenItIsDroppedGoesBack() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch dropped = new CountDownLatch(1);
        Numbers numbers = new Numbers() {
            @Override
            Object load(int index) throws FrameReadException {
                begun.countDown();
                try {
                    dropped.await(20, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    throw new FrameReadException("interrupted", e);
                }
                return super.load(index);
            }
        };
        ReadAhead ahead = new ReadAhead(numbers, 1);
        ahead.expect(new int[] {7, 8});
        begun.await(20, TimeUnit.SECONDS);
        ahead.expect(new int[0]);
        dropped.countDown();
        for (int i = 0; i < 200 && numbers.back.isEmpty(); i++) {
            Thread.sleep(10);
        }
        assertEquals(Collections.singletonList(7), new ArrayList<Integer>(numbers.back));
        assertEquals(1, numbers.read.size());
    }

    @Test
    void aFailureComesWhenItsFrameIsAskedForAndInItsWords() throws Exception {
        FrameReadException spoilt = new FrameReadException("frame 21: spoilt");
        Set<Integer> failing = new HashSet<Integer>();
        failing.add(20);
        Numbers numbers = new Numbers() {
            @Override
            Object load(int index) throws FrameReadException {
                if (failing.contains(index)) {
                    throw spoilt;
                }
                return super.load(index);
            }
        };
        ReadAhead ahead = new ReadAhead(numbers, 2);
        for (int i = 0; i < N; i++) {
            int frame = i;
            if (i == 20) {
                assertSame(spoilt, assertThrows(FrameReadException.class, () -> ahead.pixels(frame)));
            } else {
                assertFrame(i, ahead);
            }
        }
    }

    @Test
    void anInterruptIsKeptAndTheFrameIsRead() throws Exception {
        ReadAhead ahead = new ReadAhead(new Numbers(), 2);
        for (int i = 0; i < 20; i++) {
            Thread.currentThread().interrupt();
            assertFrame(i, ahead);
            assertTrue(Thread.interrupted());
        }
        assertFalse(Thread.interrupted());
        assertEquals("n4", ahead.label(4));
    }

    /** A thread that fails to start, as at the system's limit. */
    private static final class Unstartable extends Thread {
        @Override
        public synchronized void start() {
            throw new OutOfMemoryError("unable to create native thread");
        }
    }

    @Test
    void withoutThreadsATaskIsDoneAtOnceAndOnce() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        FutureTask<Integer> task = new FutureTask<Integer>(runs::incrementAndGet);
        ThreadPoolExecutor none = new ThreadPoolExecutor(2, 2, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<Runnable>(),
                what -> new Unstartable());
        ReadAhead.begin(none, task);
        assertEquals(1, task.get(20, TimeUnit.SECONDS));
        assertEquals(1, runs.get());
        none.shutdown();
    }
}
