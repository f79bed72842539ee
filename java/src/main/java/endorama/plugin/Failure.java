package endorama.plugin;

import endorama.core.options.OptionTable;
import ij.IJ;

/** How a command says that it failed. */
final class Failure {
    private Failure() {
    }

    /** Shows the message and stops a running macro. Nothing that a command meets may reach ImageJ. */
    static void report(OptionTable command, Throwable problem) {
        IJ.showProgress(1.0);
        IJ.showStatus("");
        IJ.error(command.title().replace("...", ""), message(problem));
    }

    private static String message(Throwable problem) {
        if (problem instanceof OutOfMemoryError) {
            return "Not enough memory. Raise it in Edit > Options > Memory & Threads, or lower max_canvas.";
        }
        String text = problem.getMessage();
        boolean ours = problem.getClass().getName().startsWith("endorama.")
                || problem instanceof java.io.IOException || problem instanceof IllegalArgumentException;
        if (ours && text != null && !text.isEmpty()) {
            return problem instanceof java.nio.file.FileSystemException
                    ? problem.getClass().getSimpleName() + ": " + text : text;
        }
        // A defect: say where, so that it can be reported.
        StackTraceElement[] trace = problem.getStackTrace();
        return problem + (trace.length > 0 ? "\nat " + trace[0] : "");
    }
}
