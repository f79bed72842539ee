package endorama.cli;

import endorama.core.common.Explanation;
import ij.IJ;
import ij.Macro;
import ij.macro.Interpreter;
import java.awt.event.KeyEvent;
import java.io.File;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.regex.Pattern;
import net.imagej.patcher.LegacyEnvironment;

/**
 * Runs an ImageJ macro without a display, with the plugin's commands in the menus; the exit code says whether the macro and
 * every command in it succeeded. ImageJ cannot run commands without a display; ij1-patcher rewrites its classes while they are
 * loaded, as Fiji does.
 */
public final class MacroRunner {
    static final int DONE = 0;
    static final int FAILED = 1;
    static final int USAGE = 2;
    static final int UNREADABLE = 3;

    private MacroRunner() {
    }

    public static void main(String[] args) {
        int code = FAILED;
        PrintStream out = System.out;
        MacroInterrupt interrupt = new MacroInterrupt();
        interrupt.setPatient(false);
        interrupt.install();
        try {
            code = execute(args, interrupt);
            if (out.checkError() && code == DONE) {
                System.err.println("endorama macro: standard output cannot be written: it is closed, or its disk is"
                        + " full");
                code = FAILED;
            }
        } catch (Throwable e) {
            System.err.println("endorama macro: " + why(e));
            e.printStackTrace();
        } finally {
            // Commands may have left threads behind: only exit() is sure to end the process.
            interrupt.finish(code);
        }
    }

    /** Ctrl-C presses Escape for the command that runs, which keeps its results, and then ends the macro. */
    private static final class MacroInterrupt extends Interrupt {
        private volatile Runnable stop;

        @Override
        void request() {
            super.request();
            Runnable known = stop;
            if (known != null) {
                known.run();
            }
        }
    }

    private static String why(Throwable e) {
        return Explanation.of(e, "give Java more with -Xmx (./endorama: ENDORAMA_HEAP=8g)");
    }

    private static int execute(String[] args, MacroInterrupt interrupt) {
        if (args.length < 1 || args.length > 2 || args[0].equals("--help")) {
            System.err.println("usage: endorama macro FILE.ijm [ARG]\n"
                    + "Runs an ImageJ macro without a display; ARG is what getArgument() gives.\n"
                    + "Exit code: 0 done, 1 the macro or a command failed, 2 usage, 3 macro unreadable.");
            return args.length == 1 ? DONE : USAGE;
        }
        String macro;
        try {
            macro = new String(Files.readAllBytes(Paths.get(args[0])), StandardCharsets.UTF_8);
        } catch (IOException | RuntimeException e) {
            System.err.println("macro " + args[0] + " cannot be read: " + e);
            return UNREADABLE;
        }
        System.setProperty("java.awt.headless", "true");
        try {
            patchImageJ();
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            System.err.println("ImageJ could not be prepared for running without a display; on Java 9 and newer it"
                    + " needs the JVM option --add-opens=java.base/java.lang=ALL-UNNAMED, and ij1-patcher in the class"
                    + " path\n" + e);
            return FAILED;
        }
        return Patched.run(macro, args.length > 1 ? args[1] : "", new File(args[0]).getName(), interrupt);
    }

    /** Patches ImageJ; must come before its first class is loaded. */
    private static void patchImageJ() throws ReflectiveOperationException {
        LegacyEnvironment imagej = new LegacyEnvironment(MacroRunner.class.getClassLoader(), true);
        imagej.disableIJ1PluginDirs();
        imagej.disableInitializer();
        imagej.noPluginClassLoader();
        imagej.addPluginClasspath(home());
        imagej.applyPatches();
    }

    /** The jar or folder of classes with this class and plugins.config. */
    private static File home() {
        try {
            return new File(MacroRunner.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (java.net.URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The code that uses ImageJ's classes, loaded only after they have been patched. */
    private static final class Patched {
        private static final String STOPPED = "stopped by an error, see above";
        private static final Pattern EXIT_WITH_MESSAGE = Pattern.compile("\\bexit\\s*\\(\\s*[^)\\s]");

        static int run(String macro, String argument, String name, MacroInterrupt interrupt) {
            TraceWatch watch = new TraceWatch(System.out);
            System.setOut(new PrintStream(watch, true));
            // ImageJ binds the options of a command to threads of this name.
            Thread.currentThread().setName("Run$_" + name);
            Interpreter interpreter = new Interpreter();
            Thread thread = Thread.currentThread();
            interrupt.stop = () -> stop(interpreter, thread);
            interrupt.setPatient(true);
            String failure = interpret(interpreter, macro, argument);
            System.out.flush();
            if (interrupt.requested()) {
                failure = "interrupted; what its commands had done by then is written";
            }
            if (failure == null) {
                failure = left(interpreter, watch);
            }
            if (failure != null) {
                System.err.println("macro " + name + " failed: " + failure);
            }
            return failure == null ? DONE : FAILED;
        }

        /** Runs the macro and prints its return value; returns null, or the message that ended it. */
        private static String interpret(Interpreter interpreter, String macro, String argument) {
            try {
                String result = interpreter.run(macro, argument);
                if (result != null) {
                    System.out.println(result);
                }
                return null;
            } catch (RuntimeException e) {
                return Macro.MACRO_CANCELED.equals(e.getMessage()) ? cancelled(interpreter, macro) : e.toString();
            } catch (Error e) {
                return why(e);
            }
        }

        /** The error of a macro that came to its end; null if there is none. */
        private static String left(Interpreter interpreter, TraceWatch watch) {
            // Some failures, such as opening a missing file, do not stop a macro but leave a message.
            String message = IJ.getErrorMessage();
            if (interpreter.wasError()) {
                return STOPPED;
            }
            return message != null ? message : watch.seen ? "a command threw an exception" : null;
        }

        /** Stops the macro: commands poll Escape, the interpreter its flag, and wait() needs an interrupt. */
        private static void stop(Interpreter interpreter, Thread thread) {
            IJ.setKeyDown(KeyEvent.VK_ESCAPE);
            thread.interrupt();
            interpreter.abortMacro();
        }

        /** The message of exit("message"), by which a macro fails; null after a plain exit, which is no failure. */
        private static String cancelled(Interpreter interpreter, String macro) {
            int line = interpreter.getLineNumber();
            if (interpreter.wasError()) {
                return STOPPED;
            }
            String[] lines = macro.split("\r\n|\r|\n", -1);
            boolean known = line >= 1 && line <= lines.length;
            boolean plainExit = known && lines[line - 1].contains("exit")
                    && !EXIT_WITH_MESSAGE.matcher(lines[line - 1]).find();
            return plainExit ? null : "cancelled in line " + line;
        }
    }

    /** Detects the stack trace of a command's exception: without a display ImageJ only logs it and lets the macro go on. */
    private static final class TraceWatch extends FilterOutputStream {
        private static final String SIGN = "\tat ij.Executer.run(";
        private final StringBuilder line = new StringBuilder();
        volatile boolean seen;

        TraceWatch(OutputStream out) {
            super(out);
        }

        @Override
        public synchronized void write(int b) throws IOException {
            out.write(b);
            watch(b);
        }

        @Override
        public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
            for (int i = offset; i < offset + length; i++) {
                watch(bytes[i]);
            }
        }

        private void watch(int b) {
            if (b == '\n') {
                line.setLength(0);
            } else if (!seen && line.length() < SIGN.length()) {
                line.append((char) b);
                seen = line.length() == SIGN.length() && SIGN.contentEquals(line);
            }
        }
    }
}
