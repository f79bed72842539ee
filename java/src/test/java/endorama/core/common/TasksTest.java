package endorama.core.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tasks on other threads, also where no thread can start. */
class TasksTest {
    /** A thread that fails to start, as at the system's limit. */
    private static final class Unstartable extends Thread {
        @Override
        public synchronized void start() {
            throw new OutOfMemoryError("unable to create native thread");
        }
    }

    @Test
    void withoutThreadsATaskIsDoneAtOnceAndOnce() {
        AtomicInteger runs = new AtomicInteger();
        FutureTask<Integer> task = new FutureTask<Integer>(runs::incrementAndGet);
        ThreadPoolExecutor none = new ThreadPoolExecutor(2, 2, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<Runnable>(),
                what -> new Unstartable());
        Tasks.begin(none, task);
        assertTrue(assertTimeoutPreemptively(Duration.ofSeconds(20), () -> Tasks.succeeds(task)));
        assertEquals(1, runs.get());
        none.shutdown();
    }

    @Test
    void whatFailsOrIsCancelledDoesNotSucceed() {
        FutureTask<Void> failing = new FutureTask<Void>(() -> {
            throw new IllegalStateException();
        });
        failing.run();
        assertFalse(Tasks.succeeds(failing));
        FutureTask<Void> cancelled = new FutureTask<Void>(() -> null);
        cancelled.cancel(false);
        assertFalse(Tasks.succeeds(cancelled));
    }
}
