package endorama.core.frames;

import endorama.core.common.Tasks;
import endorama.core.options.MosaicParameters;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A sequence without the distortion of its lens: every frame is resampled when it is read, on several threads. Its middle
 * keeps its size, and the frame its size: what a barrel has drawn into it from beyond is cut off, what a cushion leaves
 * over is black.
 */
public final class StraightFrames extends ForwardingFrames {
    private static final int THREADS = 8;
    private static final long IDLE_MS = 1000;
    /** Rows that are worth a thread. */
    private static final int LEAST_ROWS = 32;
    /** Arrays that wait to be used again. */
    private static final int SPARE = 4;

    /** Some rows, first to before end. */
    private interface Band {
        void run(int first, int end);
    }

    private final StraightPixels straight;
    private final int bands;
    private final ThreadPoolExecutor threads;
    private final Deque<Object> spare = new ArrayDeque<Object>();

    private StraightFrames(FrameSource source, LensTable table, int processors) {
        super(source);
        straight = new StraightPixels(source.type(), source.width(), source.height(), table);
        bands = Math.max(1, Math.min(Math.min(processors, THREADS), source.height() / LEAST_ROWS));
        threads = new ThreadPoolExecutor(bands, bands, IDLE_MS, TimeUnit.MILLISECONDS,
                new LinkedBlockingQueue<Runnable>(), task -> {
                    Thread thread = new Thread(task, "Endorama lens");
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    /** The source itself unless the parameters name a lens. */
    public static FrameSource of(FrameSource source, MosaicParameters parameters) {
        LensTable table = LensTable.of(parameters.lens(), source.width(), source.height());
        int processors = parameters.threads() > 0 ? parameters.threads() : Runtime.getRuntime().availableProcessors();
        return table == null ? source : new StraightFrames(source, table, processors);
    }

    @Override
    public synchronized Object pixels(int index) throws FrameReadException {
        Object shown = Frames.pixels(source, index);
        Object made = spare.isEmpty() ? type().array(width() * height()) : spare.pop();
        inBands((first, end) -> straight.read(shown, first, end));
        source.giveBack(index, shown);
        inBands((first, end) -> straight.write(made, first, end));
        return made;
    }

    /** All rows, on as many threads as there are. */
    private void inBands(Band work) {
        List<FutureTask<?>> tasks = new ArrayList<FutureTask<?>>();
        for (int i = 0; i < bands; i++) {
            int first = height() * i / bands;
            int end = height() * (i + 1) / bands;
            tasks.add(new FutureTask<Void>(() -> work.run(first, end), null));
        }
        for (FutureTask<?> task : tasks.subList(1, bands)) {
            Tasks.begin(threads, task);
        }
        for (FutureTask<?> task : tasks) {
            // Here and now, unless a thread has begun with it.
            threads.remove(task);
            task.run();
        }
        for (int i = 0; i < bands; i++) {
            if (!Tasks.succeeds(tasks.get(i))) {
                work.run(height() * i / bands, height() * (i + 1) / bands);
            }
        }
    }

    @Override
    public FrameSource asShown() {
        return source;
    }

    @Override
    public FrameSource origin() {
        return source.origin();
    }

    @Override
    public void expect(int[] frames) {
        source.expect(frames);
    }

    /** Reading one takes longer than a copy. */
    @Override
    public boolean mayBeKept() {
        return true;
    }

    @Override
    public synchronized void giveBack(int index, Object pixels) {
        if (spare.size() < SPARE) {
            spare.push(pixels);
        }
    }
}
