package endorama.core.engine;

import endorama.core.common.RunTimes;
import endorama.core.common.Tasks;
import endorama.core.frames.FrameSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * All that look at every frame that is read. They look on threads of their own, while frames are registered; at most
 * {@link #MOST} frames wait for them, or two for each thread.
 */
public final class Onlookers implements AutoCloseable {
    static final int MOST = 8;
    private static final int THREADS = 8;
    private static final long IDLE_MS = 1000;

    /** A frame that is looked at. */
    private static final class Look {
        final int frame;
        final Object pixels;
        final FutureTask<Void> task;

        Look(int frame, Object pixels, Runnable look) {
            this.frame = frame;
            this.pixels = pixels;
            task = new FutureTask<Void>(look, null);
        }
    }

    private final FrameSource source;
    private final List<Onlooker> all;
    private final RunTimes times;
    private final ThreadPoolExecutor threads;
    private final int most;
    private final Deque<Look> looks = new ArrayDeque<Look>();

    /**
     * @param source gets back the frames that they have seen
     * @param all of them
     * @param processors that the run may use, 1..
     * @param times receives what waiting for them takes
     */
    public Onlookers(FrameSource source, List<Onlooker> all, int processors, RunTimes times) {
        this.source = source;
        this.all = all;
        this.times = times;
        int n = Math.max(1, Math.min(THREADS, processors / 2));
        most = Math.max(MOST, 2 * n);
        threads = new ThreadPoolExecutor(n, n, IDLE_MS, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<Runnable>(),
                task -> {
                    Thread thread = new Thread(task, "Endorama looks");
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    /** Shows them a frame that is not needed otherwise; they look at those that they have not seen before. */
    synchronized void see(int frame, Object pixels) {
        if (isWaiting(frame) || isSeen(frame)) {
            source.giveBack(frame, pixels);
            return;
        }
        while (looks.size() >= most) {
            awaitFirst();
        }
        Look look = new Look(frame, pixels, () -> look(frame, pixels));
        looks.add(look);
        Tasks.begin(threads, look.task);
    }

    /** It was shown, and is not looked at a second time beside that. */
    private boolean isWaiting(int frame) {
        for (Look look : looks) {
            if (look.frame == frame) {
                return true;
            }
        }
        return false;
    }

    private boolean isSeen(int frame) {
        for (Onlooker one : all) {
            if (one.isNew(frame)) {
                return false;
            }
        }
        return true;
    }

    private void look(int frame, Object pixels) {
        for (Onlooker one : all) {
            one.see(frame, pixels);
        }
    }

    /** Until they have seen all that was shown. What fails is tried again here, now and whenever this is asked for. */
    public synchronized void await() {
        while (!looks.isEmpty()) {
            awaitFirst();
        }
    }

    private void awaitFirst() {
        long start = System.nanoTime();
        Look look = looks.peek();
        if (!isDone(look.task)) {
            look(look.frame, look.pixels);
        }
        looks.remove();
        source.giveBack(look.frame, look.pixels);
        times.light += RunTimes.since(start);
    }

    /** Whether it went well. */
    private boolean isDone(FutureTask<Void> task) {
        // Here and now, unless a thread has begun with it.
        if (threads.remove(task)) {
            task.run();
        }
        return Tasks.succeeds(task);
    }

    /** They look no more when this returns. */
    @Override
    public synchronized void close() {
        for (Look look : looks) {
            isDone(look.task);
        }
        looks.clear();
        threads.shutdown();
    }
}
