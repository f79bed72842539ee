package endorama.core.common;

import endorama.jni.EndoramaException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;

/** Why a command failed and what can be done about it, in a line for people, whatever was thrown. */
public final class Explanation {
    private Explanation() {
    }

    /**
     * One line on an error.
     *
     * @param moreMemory how Java gets more memory here: "start Java with -Xmx"
     */
    public static String of(Throwable problem, String moreMemory) {
        Throwable e = root(problem);
        if (e instanceof OutOfMemoryError) {
            return memory(String.valueOf(e.getMessage()), moreMemory);
        }
        if (e instanceof StackOverflowError) {
            return "the stack of a thread ran over" + location(e) + "; start Java with a larger one (-Xss16m)";
        }
        if (problem instanceof LinkageError) {
            return linkage(e);
        }
        String message = e.getMessage();
        if (isExpected(e) && message != null && !message.isEmpty()) {
            // The messages of file system exceptions hold only the name of the file.
            return e instanceof FileSystemException ? e.getClass().getSimpleName() + ": " + message : message;
        }
        return "a defect of Endorama or of Java: " + e + location(e) + "; please report it";
    }

    /** The message says everything; a stack trace would not help. */
    public static boolean isExpected(Throwable problem) {
        return problem instanceof IOException || problem instanceof UncheckedIOException
                || problem instanceof IllegalArgumentException || problem instanceof EndoramaException
                || problem instanceof OutOfMemoryError || problem instanceof StackOverflowError
                || problem instanceof UnsatisfiedLinkError;
    }

    /** The cause is missing memory, or a part of Java or of this software that does not load. */
    public static boolean isIncomplete(Throwable problem) {
        for (Throwable e = problem; e != null; e = e.getCause()) {
            if (e instanceof LinkageError || e instanceof OutOfMemoryError) {
                return true;
            }
        }
        return false;
    }

    /** The cause, without wrapping exceptions. */
    private static Throwable root(Throwable problem) {
        Throwable e = problem;
        while ((e instanceof ExceptionInInitializerError || e instanceof NoClassDefFoundError
                || e instanceof UncheckedIOException) && e.getCause() != null) {
            e = e.getCause();
        }
        return e;
    }

    private static String memory(String message, String moreMemory) {
        String out = "out of memory (" + message + "); ";
        if (message.contains("array size")) {
            return out + "no array of Java holds so large an image: take a smaller one";
        }
        if (message.contains("thread")) {
            return out + "the system cannot start another thread: take fewer, or raise its limit (ulimit -u)";
        }
        return out + moreMemory;
    }

    /** The message of a linkage error; e: the root cause. */
    private static String linkage(Throwable e) {
        String java = "the Java in " + System.getProperty("java.home") + " (" + System.getProperty("java.version") + ")";
        if (e instanceof UnsatisfiedLinkError) {
            return "a native library does not load (" + e.getMessage() + "); " + java
                    + " is incomplete: take another (JAVA_HOME), or install what is missing";
        }
        return "a class is missing, of another version, or does not start (" + e + "); the installation of Endorama, or "
                + java + ", is incomplete: install it anew";
    }

    private static String location(Throwable e) {
        StackTraceElement[] trace = e.getStackTrace();
        return trace.length > 0 ? " at " + trace[0] : "";
    }
}
