package endorama.cli;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs a class in a separate Java machine, with the class path or one that lacks a class. */
final class JavaProcess {
    final Path java;
    private final Path folder;
    private String classPath = System.getProperty("java.class.path");
    /** The largest heap as for -Xmx; null for Java's default. */
    String heap;
    /** Standard output and error of the last run. */
    String output;

    /** folder: for the output and temporary files. */
    JavaProcess(Path folder) {
        this(folder, Paths.get(System.getProperty("java.home")));
    }

    JavaProcess(Path folder, Path javaHome) {
        this.folder = folder;
        java = javaHome.resolve("bin").resolve("java");
    }

    /** Runs to the end; returns the exit code. */
    int run(String... arguments) throws IOException, InterruptedException {
        Path log = folder.resolve("log.txt");
        return end(start(ProcessBuilder.Redirect.to(log.toFile()), arguments), log);
    }

    /** Starts a process; standard output and error go together to the redirect. */
    Process start(ProcessBuilder.Redirect out, String... arguments) throws IOException {
        return new ProcessBuilder(command(arguments)).redirectErrorStream(true).redirectOutput(out).start();
    }

    /** Runs with standard output redirected; the output of the run is its standard error. */
    int runTo(ProcessBuilder.Redirect out, String... arguments) throws IOException, InterruptedException {
        Path log = folder.resolve("log.txt");
        return end(new ProcessBuilder(command(arguments)).redirectOutput(out).redirectError(log.toFile()).start(), log);
    }

    /** Waits for the end; returns the exit code. */
    int end(Process process, Path log) throws IOException, InterruptedException {
        if (!process.waitFor(180, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        output = new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
        return process.exitValue();
    }

    private List<String> command(String... arguments) {
        List<String> command = new ArrayList<>(Arrays.asList(java.toString(),
                // The second compiler would take half of the time of such short runs.
                "-XX:TieredStopAtLevel=1", "--add-opens=java.base/java.lang=ALL-UNNAMED", "-Xcheck:jni",
                "-Djava.awt.headless=true", "-cp", classPath));
        if (heap != null) {
            command.add(1, "-Xmx" + heap);
        }
        command.addAll(Arrays.asList(arguments));
        return command;
    }

    /** Removes a class from the class path of later runs. */
    void without(Class<?> missing) throws Exception {
        Path classes = Paths.get(missing.getProtectionDomain().getCodeSource().getLocation().toURI());
        Path copy = folder.resolve("classes");
        copy(classes, copy, classes.resolve(missing.getName().replace('.', '/') + ".class"));
        List<String> entries = new ArrayList<>(Arrays.asList(classPath.split(File.pathSeparator)));
        entries.replaceAll(entry -> Paths.get(entry).equals(classes) ? copy.toString() : entry);
        classPath = String.join(File.pathSeparator, entries);
    }

    /** A copy of a folder made of links to its files, except one. */
    static void link(Path from, Path to, Path leftOut) throws IOException {
        Files.createDirectories(to);
        for (Path file : list(from)) {
            Path link = to.resolve(file.getFileName());
            if (leftOut.startsWith(file) && !leftOut.equals(file)) {
                link(file, link, leftOut);
            } else if (!leftOut.equals(file)) {
                Files.createSymbolicLink(link, file);
            }
        }
    }

    private static void copy(Path from, Path to, Path leftOut) throws IOException {
        Files.createDirectories(to);
        for (Path file : list(from)) {
            if (Files.isDirectory(file)) {
                copy(file, to.resolve(file.getFileName()), leftOut);
            } else if (!file.equals(leftOut)) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    /** Deletes a folder, but not the targets of its links. */
    static void delete(Path folder) throws IOException {
        if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            for (Path file : list(folder)) {
                delete(file);
            }
        }
        Files.delete(folder);
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.collect(Collectors.toList());
        }
    }
}
