package endorama.core.common;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/** Starts work on other threads, and waits for it. */
public final class Tasks {
    private Tasks() {
    }

    /** Starts a task on another thread, or runs it here if the system has no thread left. */
    public static void begin(Executor threads, FutureTask<?> task) {
        try {
            threads.execute(task);
        } catch (OutOfMemoryError e) {
            // Java reports a lack of threads by this error; the task would never run, and its caller would wait for ever.
            task.run();
        }
    }

    /** Waits for the end, and restores the interrupt flag; false if the task failed or was cancelled. */
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
