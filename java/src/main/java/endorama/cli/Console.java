package endorama.cli;

import endorama.core.common.Pace;
import endorama.core.common.Progress;
import java.io.PrintWriter;

/**
 * Console output, of any thread: results on standard output, progress and remarks on standard error. Progress is one changing
 * line on a terminal, else a line now and then.
 */
final class Console implements Progress {
    /** System property, true or false: standard error is a terminal, which Java cannot find out. */
    static final String TERMINAL = "endorama.terminal";
    /** System property: s between lines of progress in a file. */
    static final String PERIOD = "endorama.progress";
    private static final long TERMINAL_PERIOD = 200000000L;
    private static final long SECOND = 1000000000L;
    private static final int WIDTH = 60;

    private final Interrupt interrupt;
    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean terminal;
    private final long period;
    private final String prefix;
    private final Pace pace = new Pace();
    private long shown = System.nanoTime();
    private boolean line;
    private boolean lost;

    Console(Interrupt interrupt, PrintWriter out, PrintWriter err) {
        this(interrupt, out, err, "endorama: ");
    }

    /** A console whose remarks begin with the prefix. */
    Console(Interrupt interrupt, PrintWriter out, PrintWriter err, String prefix) {
        this.interrupt = interrupt;
        this.out = out;
        this.err = err;
        this.prefix = prefix;
        String told = System.getProperty(TERMINAL);
        terminal = told == null ? System.console() != null : Boolean.parseBoolean(told);
        period = terminal ? TERMINAL_PERIOD : Integer.getInteger(PERIOD, 10) * SECOND;
    }

    PrintWriter out() {
        return out;
    }

    /** A console for one of several computations, whose printed lines are no result of the command. */
    Console named(String name) {
        return new Console(interrupt, new PrintWriter(new Nowhere()), err, prefix + name + ": ");
    }

    /** Lets an interrupt end the command within a second, where no computed result would be lost. */
    void endAtOnce() {
        interrupt.setPatient(false);
    }

    /** Prints one line of result. */
    synchronized void print(String text) {
        clear();
        out.println(text);
    }

    @Override
    public synchronized void progress(int done, int total) {
        pace.tell(done);
        long now = System.nanoTime();
        if (now - shown < period && !(terminal && done >= total)) {
            return;
        }
        shown = now;
        status(pace.line(done, total));
    }

    /** Says how it stands: on a terminal in the place of what was said before. */
    synchronized void status(String text) {
        if (terminal) {
            err.print("\r" + text + spaces(WIDTH - text.length()));
            err.flush();
            line = true;
        } else {
            err.println(prefix + text);
        }
    }

    private static String spaces(int n) {
        return String.join("", java.util.Collections.nCopies(Math.max(0, n), " "));
    }

    private synchronized void clear() {
        if (line) {
            err.print("\r" + spaces(WIDTH) + "\r");
            err.flush();
            line = false;
        }
    }

    @Override
    public boolean cancelled() {
        return interrupt.requested();
    }

    /** Says what went wrong, and returns the exit code for it. */
    synchronized int report(Throwable e) {
        clear();
        return Main.report(e, err, prefix);
    }

    @Override
    public synchronized void lost(String text) {
        lost = true;
        log(text);
    }

    /** The exit code of a command: PARTIAL in place of DONE where frames are missing from the result. */
    synchronized int code(int code) {
        return code == Main.DONE && lost ? Main.PARTIAL : code;
    }

    @Override
    public synchronized void log(String text) {
        clear();
        err.println(prefix + text);
    }

    /** Discards everything. */
    private static final class Nowhere extends java.io.Writer {
        @Override
        public void write(char[] text, int from, int n) {
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    }
}
