package endorama.core.common;

/** Receives the progress of a long computation, and can stop it. Called on the thread that computes. */
public interface Progress {
    /** Ignores everything and never stops. */
    Progress NONE = new Progress() {
        @Override
        public void progress(int done, int total) {
        }

        @Override
        public boolean cancelled() {
            return false;
        }

        @Override
        public void log(String line) {
        }
    };

    /** Steps done of the total; never decreases. */
    void progress(int done, int total);

    /** True when the computation should stop and keep its results. Called at least every 200 ms. */
    boolean cancelled();

    /** Logs one line for people. */
    void log(String line);

    /** Logs a line about the usual course, which is told with the results as well. */
    default void note(String line) {
        log(line);
    }

    /** Logs a line that says which frames are missing from the result. */
    default void lost(String line) {
        log(line);
    }
}
