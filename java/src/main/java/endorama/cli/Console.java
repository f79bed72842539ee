package endorama.cli;

import endorama.core.Progress;
import java.io.PrintWriter;

/** Results go to standard output, progress and remarks to standard error; progress only if somebody watches. */
final class Console implements Progress {
    private static final long PERIOD = 200000000L;

    private final Interrupt interrupt;
    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean watched = System.console() != null;
    private long shown;
    private boolean line;
    private boolean lost;

    Console(Interrupt interrupt, PrintWriter out, PrintWriter err) {
        this.interrupt = interrupt;
        this.out = out;
        this.err = err;
    }

    PrintWriter out() {
        return out;
    }

    /** An interrupt may end the command within a second: nothing that it has computed would be missed. */
    void endAtOnce() {
        interrupt.setPatient(false);
    }

    /** One line of result. */
    void print(String text) {
        clear();
        out.println(text);
    }

    @Override
    public void progress(int done, int total) {
        long now = System.nanoTime();
        if (watched && (now - shown > PERIOD || done >= total)) {
            shown = now;
            err.print("\r" + done + "/" + total + "  ");
            err.flush();
            line = true;
        }
    }

    private void clear() {
        if (line) {
            err.print("\r                    \r");
            err.flush();
            line = false;
        }
    }

    @Override
    public boolean cancelled() {
        return interrupt.requested();
    }

    /** Says what went wrong, and returns the exit code for it. */
    int report(Throwable e) {
        clear();
        return Main.report(e, err);
    }

    @Override
    public void lost(String text) {
        lost = true;
        log(text);
    }

    /** The exit code of a command that ended with this one: a result without some of the frames has its own. */
    int code(int code) {
        return code == Main.DONE && lost ? Main.PARTIAL : code;
    }

    @Override
    public void log(String text) {
        clear();
        err.println("endorama: " + text);
    }
}
