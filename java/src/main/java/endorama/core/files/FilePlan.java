package endorama.core.files;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The files that a run reads and writes. Refuses, before anything is computed, an output that would overwrite an input, by
 * whatever name or link, and two outputs in one file. Devices and pipes may be named twice.
 */
public final class FilePlan {
    /** File identity to option and path, for messages. */
    private final Map<Object, String> inputs = new HashMap<Object, String>();
    private final Map<Path, String> places = new HashMap<Path, String>();
    private final Map<Object, String> inputFolders = new HashMap<Object, String>();
    private final List<Output> outputs = new ArrayList<Output>();

    /** An output file, or a folder with the names of the files that will be written there. */
    private static final class Output {
        final String option;
        final File file;
        final Predicate<String> names;

        Output(String option, File file, Predicate<String> names) {
            this.option = option;
            this.file = file;
            this.names = names;
        }

        String name() {
            return option + " " + file;
        }
    }

    /** A file that the option names is read; null stands for none. */
    public FilePlan reads(String option, File file) {
        if (file != null && file.exists()) {
            inputs.put(identity(file.toPath()), option + " " + file);
            places.put(real(file.toPath()), option + " " + file);
        }
        return this;
    }

    /** These files of the folder that the option names are read. */
    public FilePlan reads(String option, File folder, File[] files) {
        inputFolders.put(identity(folder.toPath()), option + " " + folder);
        places.put(real(folder.toPath()), option + " " + folder);
        for (File file : files) {
            inputs.put(identity(file.toPath()), option + " " + folder);
        }
        return this;
    }

    /** The file that the option names is written; null stands for none. */
    public FilePlan writes(String option, File file) {
        return writes(option, file, null);
    }

    /** Files whose names the predicate admits are written into the folder. */
    public FilePlan writes(String option, File folder, Predicate<String> names) {
        if (folder != null) {
            outputs.add(new Output(option, folder, names));
        }
        return this;
    }

    /**
     * A file beside one that an option names: {@code panorama-2.ome.tif} of {@code panorama.ome.tif}, for "-2".
     *
     * @throws IllegalArgumentException if it would overwrite an input or another output
     */
    public File beside(String option, File file, String suffix) throws IOException {
        String name = file.getName();
        String ending = name.replaceFirst("(?i)^.*?((\\.ome)?\\.[^.]*)$", "$1");
        String stem = name.substring(0, name.length() - ending.length());
        File one = new File(file.getParentFile(), stem + suffix + ending);
        Output output = new Output(option, one, null);
        checkInput(output, one);
        for (Output other : outputs) {
            checkPair(other, output);
        }
        return one;
    }

    /** @throws IllegalArgumentException that names both options and the path */
    public void check() throws IOException {
        for (Output output : outputs) {
            if (output.names == null) {
                checkInput(output, output.file);
            } else {
                checkFolder(output);
            }
        }
        for (int i = 0; i < outputs.size(); i++) {
            for (int j = 0; j < i; j++) {
                checkPair(outputs.get(j), outputs.get(i));
            }
        }
    }

    private void checkInput(Output output, File file) {
        if (!file.exists()) {
            return;
        }
        String input = inputs.get(identity(file.toPath()));
        for (Map.Entry<Path, String> place : places.entrySet()) {
            // A folder that is written as a whole.
            input = file.isDirectory() && place.getKey().startsWith(real(file.toPath())) ? place.getValue() : input;
        }
        if (input != null) {
            throw new IllegalArgumentException(output.name() + ": would overwrite "
                    + (output.file == file ? "" : file + ", ") + "an input (" + input + "); write elsewhere");
        }
    }

    private void checkFolder(Output output) {
        String same = inputFolders.get(identity(output.file.toPath()));
        if (same != null) {
            throw new IllegalArgumentException(output.name() + ": must be another folder than " + same);
        }
        File[] there = output.file.listFiles((folder, name) -> output.names.test(name));
        for (File file : there == null ? new File[0] : there) {
            checkInput(output, file);
        }
    }

    private static void checkPair(Output a, Output b) throws IOException {
        Path first = OutputTarget.of(a.file);
        Path second = OutputTarget.of(b.file);
        boolean same;
        if (a.names != null && b.names != null) {
            same = identity(first).equals(identity(second));
        } else if (a.names != null) {
            same = holds(first, second, a.names);
        } else if (b.names != null) {
            same = holds(second, first, b.names);
        } else {
            same = !OutputTarget.isStream(first) && isSame(first, second);
        }
        if (same) {
            throw new IllegalArgumentException(a.name() + " and " + b.name() + ": would overwrite one another; write to"
                    + " different files");
        }
    }

    /** Names that differ only in case are one file on some file systems. */
    private static boolean isSame(Path a, Path b) {
        return identity(a).equals(identity(b)) || identity(a.getParent()).equals(identity(b.getParent()))
                && lower(a).equals(lower(b));
    }

    private static boolean holds(Path folder, Path file, Predicate<String> names) {
        return identity(folder).equals(identity(file.getParent())) && names.test(file.getFileName().toString());
    }

    private static String lower(Path path) {
        return path.getFileName().toString().toLowerCase(Locale.ROOT);
    }

    /** The identity that all names of a file share, hard links included. */
    private static Object identity(Path path) {
        try {
            Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
            return key == null ? real(path) : key;
        } catch (IOException e) {
            return real(path);
        }
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return path.toAbsolutePath().normalize();
        }
    }
}
