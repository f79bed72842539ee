package endorama.plugin;

import endorama.core.Explanation;
import endorama.core.options.OptionTable;
import ij.IJ;
import ij.Macro;

/** How a command says that it failed. */
final class Failure {
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
        // Dialogs do not wrap their lines.
        IJ.error(command.title().replace("...", ""), IJ.getInstance() == null ? text : text.replace("; ", ";\n"));
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

    /** Why, and what can be done. */
    static String message(Throwable problem) {
        return Explanation.of(problem, "raise it in Edit > Options > Memory & Threads, or take a smaller max_canvas or"
                + " fewer frames");
    }
}
