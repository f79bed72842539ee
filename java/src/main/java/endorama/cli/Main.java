package endorama.cli;

import endorama.core.FileFormatException;
import endorama.core.FrameReadException;
import endorama.core.options.Commands;
import endorama.jni.EndoramaException;
import endorama.jni.NativeLibrary;
import java.io.IOException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The commands from a shell. See the exit codes below. */
public final class Main {
    /** Done. */
    public static final int DONE = 0;
    /** An option is wrong, or an output cannot be written. */
    public static final int USAGE = 2;
    /** An input cannot be read. */
    public static final int INPUT = 3;
    /** No frame could be registered with another. */
    public static final int NOTHING = 4;
    /** The native library, the device or the memory failed. */
    public static final int LIBRARY = 5;
    /** Stopped by Ctrl-C; what was done until then was written. */
    public static final int INTERRUPTED = 130;

    private static final String[] EXIT_CODES = {
        "", "Exit codes:",
        "   0  done",
        "   2  usage: an option is wrong, or an output cannot be written",
        "   3  an input cannot be read",
        "   4  nothing could be registered",
        "   5  the native library, the device or the memory failed",
        " 130  interrupted; what was done until then was written"
    };

    private Main() {
    }

    /** Runs a command and ends the Java machine with its exit code. */
    public static void main(String[] args) {
        System.setProperty("java.awt.headless", "true");
        Interrupt interrupt = new Interrupt();
        interrupt.install();
        int code = LIBRARY;
        try {
            code = run(interrupt, new PrintWriter(System.out, true), new PrintWriter(System.err, true), args);
        } finally {
            interrupt.finish(code);
        }
    }

    /** Runs a command within this Java machine, printing to the two writers, and returns its exit code. */
    public static int run(PrintWriter out, PrintWriter err, String... args) {
        return run(new Interrupt(), out, err, args);
    }

    static int run(final Interrupt interrupt, PrintWriter out, final PrintWriter err, String... args) {
        CommandSpec spec = CommandSpec.create().name("endorama").mixinStandardHelpOptions(true)
                .version("Endorama " + NativeLibrary.VERSION);
        spec.usageMessage().description("Panoramas from endoscopic sequences.").footer(EXIT_CODES);
        add(spec, new MosaicTask(), Commands.MOSAIC);
        add(spec, new QualityTask(), Commands.QUALITY);
        add(spec, new SweepTask(), Commands.SWEEP);
        add(spec, new ApplyTask(), Commands.APPLY);
        add(spec, new ExposuresTask(), Commands.EXPOSURES);
        add(spec, new AheTask(), Commands.AHE);
        add(spec, new DemoSequenceTask(), Commands.DEMO);
        add(spec, new DemoTask(), Commands.DEMO);
        add(spec, new InfoTask(), Commands.INFO);
        CommandLine line = new CommandLine(spec).setOut(out).setErr(err);
        line.setExecutionStrategy(parsed -> execute(parsed, interrupt, out, err));
        line.setExecutionExceptionHandler((e, command, parsed) -> report(e, err));
        line.setParameterExceptionHandler((e, arguments) -> {
            err.println("endorama: " + e.getMessage());
            err.println("Try: endorama " + (e.getCommandLine().getParent() == null ? ""
                    : e.getCommandLine().getCommandName() + " ") + "--help");
            return USAGE;
        });
        int code = line.execute(args);
        out.flush();
        err.flush();
        return code;
    }

    private static void add(CommandSpec root, Task task, endorama.core.options.OptionTable table) {
        CommandSpec spec = task.spec(table);
        spec.usageMessage().footer(EXIT_CODES);
        root.addSubcommand(task.name(), spec);
    }

    private static int execute(CommandLine.ParseResult parsed, Interrupt interrupt, PrintWriter out, PrintWriter err) {
        Integer help = CommandLine.executeHelpRequest(parsed);
        if (help != null) {
            return help;
        }
        if (!parsed.hasSubcommand()) {
            parsed.commandSpec().commandLine().usage(err);
            return USAGE;
        }
        CommandLine.ParseResult command = parsed.subcommand();
        Task task = (Task) command.commandSpec().userObject();
        try {
            return task.run(new Arguments(task, command), new Console(interrupt, out, err));
        } catch (Exception e) {
            return report(e, err);
        } catch (OutOfMemoryError e) {
            err.println("endorama: out of memory (" + e.getMessage() + "); give Java more with -Xmx");
            return LIBRARY;
        }
    }

    /** Prints what went wrong, and returns the exit code for it. */
    static int report(Throwable e, PrintWriter err) {
        err.println("endorama: " + (e.getMessage() == null ? e.toString() : e.getMessage()));
        if (e instanceof FrameReadException || e instanceof FileFormatException) {
            return INPUT;
        }
        if (e instanceof EndoramaException) {
            return ((EndoramaException) e).status() == EndoramaException.Status.ARGUMENT ? USAGE : LIBRARY;
        }
        if (e instanceof IllegalArgumentException || e instanceof IOException) {
            return USAGE;
        }
        e.printStackTrace(err);
        return LIBRARY;
    }
}
