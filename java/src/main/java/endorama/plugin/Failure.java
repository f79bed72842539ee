package endorama.plugin;

import endorama.core.common.Explanation;
import endorama.core.options.OptionTable;
import ij.IJ;
import ij.Macro;

/** How a command says that it failed. */
final class Failure {
    /** Letters in a line of a message, a word that is longer not counted. */
    private static final int LINE = 80;

    private Failure() {
    }

    /**
     * Shows the message and stops a running macro. Nothing that a command meets may reach ImageJ, which says nothing
     * about a class that is missing, for one.
     */
    static void report(OptionTable command, Throwable problem) {
        rethrowStop(problem);
        if (!Explanation.isExpected(problem)) {
            // For whoever is asked about it.
            problem.printStackTrace();
        }
        IJ.showProgress(1.0);
        IJ.showStatus("");
        String text = message(problem);
        IJ.error(command.title().replace("...", ""), IJ.getInstance() == null ? text : wrapped(text));
    }

    /** Who killed the command, or ended its macro, knows it. */
    private static void rethrowStop(Throwable problem) {
        if (problem instanceof RuntimeException && Macro.MACRO_CANCELED.equals(problem.getMessage())) {
            throw (RuntimeException) problem;
        }
        if (problem.getClass().getName().equals("java.lang.ThreadDeath")) {
            throw (Error) problem;
        }
    }

    /** In lines that fit a screen: dialogs do not wrap theirs. A new one begins behind a semicolon. */
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

    /** Why, and what can be done. */
    static String message(Throwable problem) {
        return Explanation.of(problem, "raise it in Edit > Options > Memory & Threads, or take a smaller max_canvas or"
                + " fewer frames");
    }
}
