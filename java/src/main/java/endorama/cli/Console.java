package endorama.cli;

import endorama.core.common.Pace;
import endorama.core.common.Progress;
import java.io.PrintWriter;

/**
 * Results go to standard output, progress and remarks to standard error: progress in a line that changes where that is a
 * terminal, else now and then in a line of its own.
 */
final class Console implements Progress {
    /** System property: standard error is a terminal, which Java cannot find out; true or false. */
    static final String TERMINAL = "endorama.terminal";
    /** System property: s between the lines of progress in a file. */
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

    /** One whose remarks begin with this. */
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

    /** For one of several computations: what it prints is no result of the command. */
    Console named(String name) {
        return new Console(interrupt, new PrintWriter(new Nowhere()), err, prefix + name + ": ");
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
        pace.tell(done);
        long now = System.nanoTime();
        if (now - shown < period && !(terminal && done >= total)) {
            return;
        }
        shown = now;
        String text = pace.line(done, total);
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

    private void clear() {
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
    int report(Throwable e) {
        clear();
        return Main.report(e, err, prefix);
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
        err.println(prefix + text);
    }

    /** Takes everything. */
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
