package endorama.core.frames;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
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
 * last requests at equal distances, also if some of them are skipped. At most {@link #MOST} frames, and an eighth of Java's
 * memory, wait; those that nobody requested go back to the source.
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
    private final Map<Integer, Reading> coming = new LinkedHashMap<Integer, Reading>();
    private final Deque<Integer> expected = new ArrayDeque<Integer>();
    private int last = -1;
    private int step = 1;
    /** Number of frames to read ahead, which grows with a run of equal steps. */
    private int trust;

    /** The reading of one frame. */
    private final class Reading extends FutureTask<Object> {
        private final int frame;

        Reading(int frame) {
            super(() -> source.pixels(frame));
            this.frame = frame;
        }

        /** Nobody waits for a frame whose reading was cancelled meanwhile. */
        @Override
        protected void set(Object pixels) {
            super.set(pixels);
            if (isCancelled()) {
                source.giveBack(frame, pixels);
            }
        }

        /** Ends the reading of a frame that is not requested. */
        void drop() {
            threads.remove(this);
            if (!cancel(false)) {
                Object pixels = result(this);
                if (pixels != null) {
                    source.giveBack(frame, pixels);
                }
            }
        }
    }

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
        Reading ahead = coming.remove(index);
        follow(index, ahead != null);
        start();
        Object pixels = ahead == null ? null : await(ahead);
        return pixels == null ? source.pixels(index) : pixels;
    }

    /** Predicts further requests from this one. */
    private void follow(int index, boolean wasComing) {
        boolean announced = expected.contains(index);
        if (announced) {
            while (expected.remove() != index) {
                continue;
            }
        } else if (!wasComing) {
            expected.clear();
        }
        if (index - last == step) {
            trust = Math.min(most, 2 * trust + 1);
        } else if (announced || !wasComing) {
            trust = 0;
            step = index > last ? index - last : 1;
        }
        last = index;
    }

    /** Starts reading the predicted frames, and drops the others. */
    private void start() {
        Map<Integer, Reading> wanted = new LinkedHashMap<Integer, Reading>();
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
        List<Reading> unwanted = new ArrayList<Reading>(coming.values());
        coming.clear();
        for (Reading reading : unwanted) {
            reading.drop();
        }
    }

    private void add(int frame, Map<Integer, Reading> wanted) {
        if (frame < 0 || frame >= source.count() || wanted.size() == most) {
            return;
        }
        Reading task = coming.remove(frame);
        if (task == null) {
            task = new Reading(frame);
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

    /** The frame of a reading, which is done here unless a thread has begun it; null if it failed. */
    private Object await(Reading reading) {
        threads.remove(reading);
        reading.run();
        Object pixels = result(reading);
        if (pixels == null && Thread.currentThread().isInterrupted()) {
            reading.drop(); // another thread may still be at it
        } else if (pixels == null) {
            // The next reader reports the error; waiting frames are dropped, as memory may be short.
            forget();
        }
        return pixels;
    }

    /** The frame of a reading that has begun; null if it failed, or this thread is interrupted. */
    private static Object result(FutureTask<Object> reading) {
        try {
            return reading.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | CancellationException e) {
            return null;
        }
        return null;
    }
}
