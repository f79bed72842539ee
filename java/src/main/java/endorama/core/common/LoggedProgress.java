package endorama.core.common;

import java.util.ArrayList;
import java.util.List;

/** Records the logged lines for the result. */
public final class LoggedProgress implements Progress {
    private final Progress target;
    private final List<String> lines = new ArrayList<String>();

    public LoggedProgress(Progress target) {
        this.target = target;
    }

    public List<String> lines() {
        return lines;
    }

    @Override
    public void progress(int done, int total) {
        target.progress(done, total);
    }

    @Override
    public boolean cancelled() {
        return target.cancelled();
    }

    @Override
    public void log(String line) {
        lines.add(line);
        target.log(line);
    }

    @Override
    public void note(String line) {
        lines.add(line);
        target.note(line);
    }

    @Override
    public void lost(String line) {
        lines.add(line);
        target.lost(line);
    }
}
