package endorama.core.common;

/** How a run went as a whole, complete or not; subclasses hold its results. */
public abstract class RunResult {
    private final String backend;
    private final double seconds;
    private final boolean cancelled;
    private final RuntimeException failure;

    protected RunResult(String backend, double seconds, boolean cancelled, RuntimeException failure) {
        this.backend = backend;
        this.seconds = seconds;
        this.cancelled = cancelled;
        this.failure = failure;
    }

    /** Description of the back end: {@code cpu (avx512, 2 threads)}. */
    public final String backend() {
        return backend;
    }

    /** Time from the first frame read to the last result, s. */
    public final double seconds() {
        return seconds;
    }

    /** Stopped before its end by {@link Progress#cancelled()}. */
    public final boolean cancelled() {
        return cancelled;
    }

    /** The exception that ended the run early; null if none did. */
    public final RuntimeException failure() {
        return failure;
    }
}
