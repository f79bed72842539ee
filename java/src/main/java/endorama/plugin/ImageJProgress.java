package endorama.plugin;

import endorama.core.common.Pace;
import endorama.core.common.Progress;
import ij.IJ;
import java.awt.GraphicsEnvironment;

/** Progress bar, status line, log, and the Escape key. */
class ImageJProgress implements Progress {
    private static final long SECOND = 1000000000L;

    private final String what;
    private final Pace pace = new Pace();
    private long printed = System.nanoTime();
    private boolean stopped;

    ImageJProgress(String what) {
        this.what = what;
        IJ.resetEscape();
    }

    @Override
    public void progress(int done, int total) {
        long now = System.nanoTime();
        String line = what + ": " + pace.line(done, total);
        IJ.showProgress(done, total);
        IJ.showStatus(line);
        if (GraphicsEnvironment.isHeadless() && now - printed > 5 * SECOND) {
            printed = now;
            IJ.log(line);
        }
    }

    /** Stays true for this run once Escape was pressed, even if ImageJ's flag is reset. */
    @Override
    public boolean cancelled() {
        stopped |= IJ.escapePressed() || Thread.currentThread().isInterrupted();
        return stopped;
    }

    @Override
    public void log(String line) {
        IJ.log("Endorama: " + line);
    }

    /** Not logged: the usual course is no reason to open the Log window. */
    @Override
    public void note(String line) {
        IJ.showStatus("Endorama: " + line);
    }

    /** Hides the bar and shows the status. */
    void finish(String status) {
        IJ.showProgress(1.0);
        IJ.showStatus(status);
    }
}
