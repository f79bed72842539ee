package endorama.core.common;

/** How a long computation tells where it is, and learns that it should stop. Called on its own thread. */
public interface Progress {
    /** Tells nobody and never stops. */
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

    /** done of total steps are done; never falls. */
    void progress(int done, int total);

    /** True when the computation should stop and keep what it has. Asked at least every 200 ms. */
    boolean cancelled();

    /** One line for people. */
    void log(String line);

    /** The same about what is as usual, and told with the results as well. */
    default void note(String line) {
        log(line);
    }

    /** The same, when it says that the result will be without some of the frames. */
    default void lost(String line) {
        log(line);
    }
}
