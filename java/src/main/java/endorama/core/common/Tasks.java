package endorama.core.common;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/** Work on other threads: to begin with it, and to wait for it. */
public final class Tasks {
    private Tasks() {
    }

    /** Begins with a task on another thread, or does it here and now where the system has no thread left. */
    public static void begin(Executor threads, FutureTask<?> task) {
        try {
            threads.execute(task);
        } catch (OutOfMemoryError e) {
            // That is how Java says so; the task is then nobody's, and whoever waits for it would wait for ever.
            task.run();
        }
    }

    /** Waits for the end, whatever interrupts, of which the thread is told afterwards; false if it failed or was cancelled. */
    public static boolean succeeds(Future<?> task) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    task.get();
                    return true;
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException | CancellationException e) {
                    return false;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
