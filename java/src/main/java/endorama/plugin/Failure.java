package endorama.plugin;

import endorama.core.common.Explanation;
import endorama.core.options.OptionTable;
import ij.IJ;
import ij.Macro;

/** Reports the failure of a command. */
final class Failure {
    /** Longest line of a message, letters, unless a word is longer. */
    private static final int LINE = 80;

    private Failure() {
    }

    /**
     * Shows the message and stops a running macro. No exception of a command may reach ImageJ, which hides some of them, such
     * as a missing class.
     */
    static void report(OptionTable command, Throwable problem) {
        rethrowStop(problem);
        if (!Explanation.isExpected(problem)) {
            // The stack trace belongs into a bug report; the message alone is shown.
            problem.printStackTrace();
        }
        IJ.showProgress(1.0);
        IJ.showStatus("");
        String text = message(problem);
        IJ.error(command.title().replace("...", ""), IJ.getInstance() == null ? text : wrapped(text));
    }

    /** Rethrows the end of a command or macro that the user asked for, without a message. */
    private static void rethrowStop(Throwable problem) {
        if (problem instanceof RuntimeException && Macro.MACRO_CANCELED.equals(problem.getMessage())) {
            throw (RuntimeException) problem;
        }
        if (problem.getClass().getName().equals("java.lang.ThreadDeath")) {
            throw (Error) problem;
        }
    }

    /** Breaks a message into lines that fit a screen, as dialogs do not; a new line begins after a semicolon. */
    static String wrapped(String text) {
        StringBuilder lines = new StringBuilder();
        for (String part : text.replace("; ", ";\n").split("\n")) {
            int length = 0;
            for (String word : part.split(" ")) {
                boolean full = length + word.length() > LINE;
                lines.append(lines.length() == 0 ? "" : length == 0 || full ? "\n" : " ").append(word);
                length = full ? word.length() : length + 1 + word.length();
            }
        }
        return lines.toString();
    }

    /** The cause, and what can be done. */
    static String message(Throwable problem) {
        return Explanation.of(problem, "raise it in Edit > Options > Memory & Threads, or take a smaller max_canvas or"
                + " fewer frames");
    }
}
