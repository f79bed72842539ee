package endorama.core.common;

/** Forwards stop requests and log lines, but no progress: for one step of a computation that another progress follows. */
public class OnlyStopping implements Progress {
    private final Progress progress;

    /** @param progress of the whole computation, which is asked whether to stop and gets the log lines */
    public OnlyStopping(Progress progress) {
        this.progress = progress;
    }

    @Override
    public void progress(int done, int total) {
    }

    @Override
    public boolean cancelled() {
        return progress.cancelled();
    }

    @Override
    public void log(String line) {
        progress.log(line);
    }

    @Override
    public void note(String line) {
        progress.note(line);
    }

    @Override
    public void lost(String line) {
        progress.lost(line);
    }
}
