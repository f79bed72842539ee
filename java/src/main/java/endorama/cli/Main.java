package endorama.cli;

import endorama.core.common.Explanation;
import endorama.core.files.FileFormatException;
import endorama.core.files.StoppedException;
import endorama.core.frames.FrameReadException;
import endorama.core.options.Commands;
import endorama.core.options.OptionTable;
import endorama.jni.EndoramaException;
import endorama.jni.NativeLibrary;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The commands in a shell, and their exit codes. */
public final class Main {
    /** Exit code: success. */
    public static final int DONE = 0;
    /** Exit code: an option is wrong, or an output would overwrite something or cannot be written. */
    public static final int USAGE = 2;
    /** Exit code: an input cannot be read. */
    public static final int INPUT = 3;
    /** Exit code: no frame could be registered with another. */
    public static final int NOTHING = 4;
    /** Exit code: the native library, the device, the memory or Java itself failed. */
    public static final int LIBRARY = 5;
    /** Exit code: done, but some frames could not be read or registered. */
    public static final int PARTIAL = 6;
    /** Exit code: stopped by Ctrl-C; the results up to then were written. */
    public static final int INTERRUPTED = 130;

    private static final String MORE_MEMORY = "give Java more with -Xmx (./endorama: ENDORAMA_HEAP=8g), or take smaller"
            + " or fewer images";
    private static final String OUT_OF_MEMORY = "endorama: out of memory; " + MORE_MEMORY;
    /** Options that users of other programs look for, and ours for the same. */
    private static final Map<String, String> ELSEWHERE = new HashMap<String, String>();

    static {
        ELSEWHERE.put("--blend", "--painting");
        ELSEWHERE.put("--blending", "--painting");
        ELSEWHERE.put("--fusion", "--painting");
        ELSEWHERE.put("--model", "--warp");
        ELSEWHERE.put("--gpu", "--backend");
        ELSEWHERE.put("--cuda", "--backend");
        ELSEWHERE.put("--vignetting", "--light");
        ELSEWHERE.put("--distortion", "--lens");
    }

    private static final String[] EXIT_CODES = {
        "", "Exit codes:",
        "   0  done",
        "   2  usage: an option is wrong, an output would overwrite something or cannot be written",
        "   3  an input cannot be read",
        "   4  nothing could be registered",
        "   5  the native library, the device, the memory or Java itself failed",
        "   6  done in part: some frames could not be read or registered, the others are in the result",
        " 130  interrupted; what was done until then was written"
    };

    private Main() {
    }

    /** Runs a command and ends the Java machine with its exit code. */
    public static void main(String[] args) {
        System.setProperty("java.awt.headless", "true");
        final PrintWriter err = new PrintWriter(System.err, true);
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> {
            err.println("endorama: thread " + thread.getName() + " ended:");
            report(e, err);
        });
        Interrupt interrupt = new Interrupt();
        interrupt.install();
        int code = LIBRARY;
        try {
            code = run(interrupt, new PrintWriter(System.out, true), err, args);
        } catch (Throwable e) {
            // The report itself failed.
            e.printStackTrace();
        } finally {
            interrupt.finish(code);
        }
    }

    /** Runs a command within this Java machine, printing to the two writers, and returns its exit code. */
    public static int run(PrintWriter out, PrintWriter err, String... args) {
        return run(new Interrupt(), out, err, args);
    }

    static int run(Interrupt interrupt, PrintWriter out, PrintWriter err, String... args) {
        int code;
        try {
            code = line(interrupt, out, err, args.length > 0 ? args[0] : "").execute(args);
        } catch (Throwable e) {
            // An Error must not end a command without a message either.
            code = report(e, err);
        }
        // checkError() also flushes.
        if (out.checkError() && code == DONE) {
            err.println("endorama: standard output cannot be written: it is closed, or its disk is full");
            code = USAGE;
        }
        err.flush();
        return code;
    }

    private static Map<Task, OptionTable> tasks() {
        Map<Task, OptionTable> tasks = new LinkedHashMap<Task, OptionTable>();
        tasks.put(new MosaicTask(), Commands.MOSAIC);
        tasks.put(new LiveTask(), Commands.LIVE);
        tasks.put(new RegisterTask(), Commands.MOSAIC);
        tasks.put(new SolveTask(), Commands.MOSAIC);
        tasks.put(new PaintTask(), Commands.MOSAIC);
        tasks.put(new QualityTask(), Commands.QUALITY);
        tasks.put(new SweepTask(), Commands.SWEEP);
        tasks.put(new ApplyTask(), Commands.APPLY);
        tasks.put(new ExposuresTask(), Commands.EXPOSURES);
        tasks.put(new FourierTask(), Commands.FOURIER);
        tasks.put(new MutualTask(), Commands.MUTUAL);
        tasks.put(new AheTask(), Commands.AHE);
        tasks.put(new DemoSequenceTask(), Commands.DEMO);
        tasks.put(new DemoTask(), Commands.DEMO);
        tasks.put(new InfoTask(), Commands.INFO);
        return tasks;
    }

    /** Adds the command that is asked for, or all of them: describing all takes as long as starting Java. */
    private static void addTasks(CommandSpec root, String asked) {
        Map<Task, OptionTable> tasks = tasks();
        boolean known = false;
        for (Task task : tasks.keySet()) {
            known |= task.name().equals(asked);
        }
        for (Map.Entry<Task, OptionTable> entry : tasks.entrySet()) {
            Task task = entry.getKey();
            if (!known || task.name().equals(asked)) {
                CommandSpec spec = task.spec(entry.getValue());
                spec.usageMessage().footer(EXIT_CODES);
                root.addSubcommand(task.name(), spec);
            }
        }
    }

    private static CommandLine line(final Interrupt interrupt, final PrintWriter out, final PrintWriter err,
            String asked) {
        CommandSpec spec = Task.withHelp(CommandSpec.create().name("endorama"))
                .version("Endorama " + NativeLibrary.VERSION);
        spec.usageMessage().description("Panoramas from endoscopic sequences.").footer(EXIT_CODES);
        addTasks(spec, asked);
        Parsed parsed = new Parsed(interrupt, out, err);
        return new CommandLine(spec).setOut(out).setErr(err).setExecutionStrategy(parsed)
                .setExecutionExceptionHandler(parsed).setParameterExceptionHandler(parsed);
    }

    /**
     * Runs the command of parsed arguments, and tells its errors. Three lambdas in its place would keep picocli's interfaces, whose format is an
     * old one, out of the class archive (see the script), and Java would open the jar for them at every start.
     */
    private static final class Parsed implements CommandLine.IExecutionStrategy, CommandLine.IExecutionExceptionHandler,
            CommandLine.IParameterExceptionHandler {
        private final Interrupt interrupt;
        private final PrintWriter out;
        private final PrintWriter err;

        Parsed(Interrupt interrupt, PrintWriter out, PrintWriter err) {
            this.interrupt = interrupt;
            this.out = out;
            this.err = err;
        }

        @Override
        public int execute(CommandLine.ParseResult parsed) {
            return Main.execute(parsed, interrupt, out, err);
        }

        @Override
        public int handleExecutionException(Exception e, CommandLine command, CommandLine.ParseResult parsed) {
            return report(e, err);
        }

        @Override
        public int handleParseException(CommandLine.ParameterException e, String[] arguments) {
            err.println("endorama: " + problem(e));
            err.println("Try: endorama " + (e.getCommandLine().getParent() == null ? ""
                    : e.getCommandLine().getCommandName() + " ") + "--help");
            return USAGE;
        }
    }

    /** The message of a parsing error: picocli numbers words that belong to no option or command, and calls values options. */
    private static String problem(CommandLine.ParameterException e) {
        if (!(e instanceof CommandLine.UnmatchedArgumentException)) {
            return e.getMessage();
        }
        CommandLine.UnmatchedArgumentException unmatched = (CommandLine.UnmatchedArgumentException) e;
        boolean isCommand = e.getCommandLine().getParent() == null;
        String word = unmatched.getUnmatched().get(0);
        if (unmatched.isUnknownOption()) {
            return word + ": no such option" + (isCommand ? "" : " of " + e.getCommandLine().getCommandName()) + meant(unmatched);
        }
        return isCommand ? word + ": no such command" + meant(unmatched)
                : word + ": belongs to no option; a path with blanks needs quotes";
    }

    private static String meant(CommandLine.UnmatchedArgumentException e) {
        String other = ELSEWHERE.get(e.getUnmatched().get(0));
        return other != null && e.getCommandLine().getCommandSpec().findOption(other) != null ? "; see " + other
                : e.getSuggestions().isEmpty() ? "" : "; did you mean " + e.getSuggestions().get(0) + "?";
    }

    private static int execute(CommandLine.ParseResult parsed, Interrupt interrupt, PrintWriter out, PrintWriter err) {
        Integer help = CommandLine.executeHelpRequest(parsed);
        if (help != null) {
            return help;
        }
        if (!parsed.hasSubcommand()) {
            err.println("endorama: no command was given");
            parsed.commandSpec().commandLine().usage(err);
            return USAGE;
        }
        CommandLine.ParseResult command = parsed.subcommand();
        Task task = (Task) command.commandSpec().userObject();
        try {
            Console console = new Console(interrupt, out, err);
            return console.code(task.run(new Arguments(task, command), console));
        } catch (Throwable e) {
            return report(e, err);
        }
    }

    /** Prints what went wrong, and returns the exit code for it. */
    static int report(Throwable e, PrintWriter err) {
        return report(e, err, "endorama: ");
    }

    /** Prints the error in a line with the prefix, and returns the exit code for it. */
    static int report(Throwable e, PrintWriter err, String prefix) {
        try {
            err.println(prefix + Explanation.of(e, MORE_MEMORY));
            if (!Explanation.isExpected(e)) {
                e.printStackTrace(err);
            }
        } catch (OutOfMemoryError none) {
            // There is no memory for a message that would have to be formatted.
            err.println(OUT_OF_MEMORY);
        }
        return code(e);
    }

    /** The exit code for an exception. */
    static int code(Throwable e) {
        if (Explanation.isIncomplete(e)) {
            return LIBRARY;
        }
        if (e instanceof StoppedException) {
            return INTERRUPTED;
        }
        if (e instanceof FrameReadException || e instanceof FileFormatException) {
            return INPUT;
        }
        if (e instanceof EndoramaException) {
            return ((EndoramaException) e).status() == EndoramaException.Status.ARGUMENT ? USAGE : LIBRARY;
        }
        return e instanceof IllegalArgumentException || e instanceof IOException || e instanceof UncheckedIOException
                ? USAGE : LIBRARY;
    }
}
