package endorama.core.frames;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A sequence whose frames are read on other threads before they are requested: the announced ones, else those that continue the
 * last requests at equal distances. At most {@link #MOST} frames, and an eighth of Java's memory, wait.
 *
 * <p>A frame that fails ahead of time is read again when it is requested, so that the error is reported as it would be without
 * this class. Requests come from one thread; the source is read by several at once.
 */
public final class ReadAhead extends ForwardingFrames {
    static final int MOST = 16;
    private static final int MEMORY_SHARE = 8;
    private static final long IDLE_MS = 1000;

    private final int most;
    private final ThreadPoolExecutor threads;
    private final Map<Integer, FutureTask<Object>> coming = new LinkedHashMap<Integer, FutureTask<Object>>();
    private final Deque<Integer> expected = new ArrayDeque<Integer>();
    private int last = -1;
    private int step = 1;
    /** Number of frames to read ahead, which grows with a run of equal steps. */
    private int trust;

    /**
     * Reads a source ahead.
     *
     * @param threads that may read it at once, 1..
     */
    public ReadAhead(FrameSource source, int threads) {
        super(source);
        long frame = Math.max(1, (long) source.width() * source.height() * source.type().bytes());
        long memory = Runtime.getRuntime().maxMemory() / MEMORY_SHARE;
        most = (int) Math.max(1, Math.min(MOST, memory / frame));
        int n = Math.min(threads, most);
        this.threads = new ThreadPoolExecutor(n, n, IDLE_MS, TimeUnit.MILLISECONDS,
                new LinkedBlockingQueue<Runnable>(), task -> {
                    Thread thread = new Thread(task, "Endorama frames");
                    thread.setDaemon(true);
                    return thread;
                });
        this.threads.allowCoreThreadTimeOut(true);
    }

    /** Reads a source ahead with as many threads as there are processors. */
    public static ReadAhead of(FrameSource source) {
        return new ReadAhead(source, Runtime.getRuntime().availableProcessors());
    }

    @Override
    public boolean isAtHand(int index) {
        return source.isAtHand(index);
    }

    @Override
    public void giveBack(int index, Object pixels) {
        source.giveBack(index, pixels);
    }

    @Override
    public FrameSource origin() {
        return source.origin();
    }

    /** Number of frames that may wait. */
    int most() {
        return most;
    }

    @Override
    public synchronized void expect(int[] frames) {
        expected.clear();
        for (int frame : frames) {
            expected.add(frame);
        }
        start();
    }

    @Override
    public synchronized Object pixels(int index) throws FrameReadException {
        FutureTask<Object> ahead = coming.remove(index);
        follow(index, ahead != null);
        start();
        Object pixels = ahead == null ? null : result(ahead);
        return pixels == null ? source.pixels(index) : pixels;
    }

    /** Predicts further requests from this one. */
    private void follow(int index, boolean wasComing) {
        if (expected.contains(index)) {
            while (expected.remove() != index) {
                continue;
            }
        } else if (!wasComing) {
            expected.clear();
        }
        trust = index - last == step ? Math.min(most, 2 * trust + 1) : 0;
        step = index > last ? index - last : 1;
        last = index;
    }

    /** Starts reading the predicted frames, and drops the others. */
    private void start() {
        Map<Integer, FutureTask<Object>> wanted = new LinkedHashMap<Integer, FutureTask<Object>>();
        for (int frame : expected) {
            add(frame, wanted);
        }
        for (int i = 1; i <= trust && expected.isEmpty(); i++) {
            add(last + i * step, wanted);
        }
        forget();
        coming.putAll(wanted);
    }

    private void forget() {
        for (FutureTask<Object> unwanted : coming.values()) {
            unwanted.cancel(false);
            threads.remove(unwanted);
        }
        coming.clear();
    }

    private void add(int frame, Map<Integer, FutureTask<Object>> wanted) {
        if (frame < 0 || frame >= source.count() || wanted.size() == most) {
            return;
        }
        FutureTask<Object> task = coming.remove(frame);
        if (task == null) {
            task = new FutureTask<Object>(() -> source.pixels(frame));
            begin(threads, task);
        }
        wanted.put(frame, task);
    }

    /** Starts a task on another thread, or runs it here if the system has no thread left. */
    static void begin(Executor threads, FutureTask<?> task) {
        try {
            threads.execute(task);
        } catch (OutOfMemoryError e) {
            // Java reports a lack of threads by this error; the task would never run, and its caller would wait for ever.
            task.run();
        }
    }

    /** The result of a task; null if it failed. */
    private Object result(FutureTask<Object> task) {
        // Runs the task here, unless a thread has begun it.
        threads.remove(task);
        task.run();
        try {
            return task.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | CancellationException e) {
            // The next reader reports the error; waiting frames are dropped, as memory may be short.
            forget();
        }
        return null;
    }
}
