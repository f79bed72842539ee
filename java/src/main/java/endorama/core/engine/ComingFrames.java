package endorama.core.engine;

import endorama.core.common.Tasks;
import endorama.core.frames.FrameReadException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Frames on their way into a store, a few at a time on a thread of their own, while the thread that they come for
 * works with others. Asked by that one thread.
 */
final class ComingFrames implements AutoCloseable {
    /** Brings frames into slots, all of them or none. */
    interface Bringer {
        void bring(int[] frames, int[] slots) throws FrameReadException;
    }

    private static final long IDLE_MS = 1000;

    private static final class Coming {
        final int slot;
        final FutureTask<Void> task;

        Coming(int slot, FutureTask<Void> task) {
            this.slot = slot;
            this.task = task;
        }
    }

    private final Bringer bringer;
    private final Map<Integer, Coming> coming = new LinkedHashMap<Integer, Coming>();
    private final ThreadPoolExecutor thread;

    ComingFrames(Bringer bringer) {
        this.bringer = bringer;
        thread = new ThreadPoolExecutor(1, 1, IDLE_MS, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<Runnable>(), task -> {
            Thread made = new Thread(task, "Endorama store");
            made.setDaemon(true);
            return made;
        });
        thread.allowCoreThreadTimeOut(true);
    }

    boolean isComing(int frame) {
        return coming.containsKey(frame);
    }

    /** Some that come together. */
    void begin(int[] frames, int[] slots) {
        FutureTask<Void> task = new FutureTask<Void>(() -> {
            bringer.bring(frames, slots);
            return null;
        });
        for (int i = 0; i < frames.length; i++) {
            coming.put(frames[i], new Coming(slots[i], task));
        }
        Tasks.begin(thread, task);
    }

    /**
     * Waits for a frame that is coming: its slot; -1 if it failed, or one that came with it, and then its slot is among
     * the unfilled ones. What failed is tried again by whom the frame is for, and told there.
     */
    int take(int frame, List<Integer> unfilled) {
        Coming c = coming.remove(frame);
        if (Tasks.succeeds(c.task)) {
            return c.slot;
        }
        unfilled.add(c.slot);
        return -1;
    }

    /** Those that have not begun to come do not any more; the slots of those that are there, and of the others. */
    void settle(Map<Integer, Integer> there, List<Integer> unfilled) {
        for (Coming c : coming.values()) {
            if (thread.remove(c.task)) {
                c.task.cancel(false);
            }
        }
        for (int frame : new ArrayList<Integer>(coming.keySet())) {
            int slot = take(frame, unfilled);
            if (slot >= 0) {
                there.put(frame, slot);
            }
        }
    }

    /** Nothing comes any more when this returns. */
    @Override
    public void close() {
        settle(new LinkedHashMap<Integer, Integer>(), new ArrayList<Integer>());
        thread.shutdown();
    }
}
