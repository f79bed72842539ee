package endorama.cli;

import endorama.core.files.FileFormatException;
import endorama.core.files.FilePlan;
import endorama.core.frames.FrameRange;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.options.MosaicParameters;
import endorama.core.options.Option;
import endorama.core.options.OptionException;
import endorama.core.options.OptionValues;
import endorama.core.transforms.TransformsFile;
import endorama.core.zarr.ZarrFrames;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** The arguments of a command: the checked values of its option table, and its files. */
final class Arguments {
    private final Task task;
    private final ParseResult parsed;
    private final OptionValues values;

    /** @throws IllegalArgumentException that names the option, its value and what is allowed */
    Arguments(Task task, ParseResult parsed) throws IOException {
        this.task = task;
        this.parsed = parsed;
        Map<String, String> given = new LinkedHashMap<String, String>();
        for (OptionSpec option : parsed.matchedOptions()) {
            String key = option.longestName().substring(2).replace('-', '_');
            boolean listed = task.table().has(key) && !task.leftOut(key);
            if ("".equals(option.getValue()) && !(listed && task.table().option(key).type() != Option.Type.FILE)) {
                throw new IllegalArgumentException(option.longestName() + ": is empty; give " + option.paramLabel());
            }
            // In a shell an image option takes a file instead of a title.
            boolean image = task.table().has(key) && task.table().option(key).type() == Option.Type.IMAGE;
            if (listed || image) {
                given.put(key, String.valueOf(option.<Object>getValue()));
            }
        }
        if (isGiven(task.saved())) {
            addSaved(new File(parsed.matchedOptionValue("--" + task.saved(), "")), task, given);
        }
        values = task.table().parseArguments(given);
    }

    /** Takes the options that the command line leaves out from a saved run, without the files which that run wrote. */
    private static void addSaved(File file, Task task, Map<String, String> given) throws IOException {
        for (Map.Entry<String, Object> saved : TransformsFile.readOptions(file).entrySet()) {
            String key = saved.getKey();
            if (!task.table().has(key)) {
                throw new FileFormatException(file + ": its option " + key + " is none of " + task.name()
                        + "; was it saved by another command?");
            }
            Option option = task.table().option(key);
            if (!task.leftOut(key) && !(option.type() == Option.Type.FILE && option.isOutput())) {
                given.putIfAbsent(key, checked(file, option, Option.plain(saved.getValue())));
            }
        }
    }

    /** Parses a value of a saved run; an error names the file, because the value was not typed. */
    private static String checked(File file, Option option, String value) throws FileFormatException {
        try {
            option.parse(value);
            return value;
        } catch (OptionException e) {
            throw new FileFormatException(file + ": its option " + e.getMessage());
        }
    }

    OptionValues values() {
        return values;
    }

    boolean flag(String name) {
        return parsed.matchedOptionValue("--" + name, Boolean.FALSE);
    }

    boolean isGiven(String name) {
        return parsed.hasMatchedOption("--" + name);
    }

    /** A file of the command line or of the table; null if it was not given. */
    File file(String name) {
        List<File> files = files(name);
        return files.isEmpty() ? null : files.get(0);
    }

    /** The files of an option that takes several. */
    List<File> files(String name) {
        Object given = parsed.matchedOptionValue("--" + name, (Object) "");
        String[] paths = given instanceof String[] ? (String[]) given : new String[] {(String) given};
        if (paths[0].isEmpty() && values.table().has(name) && values.table().option(name).type() == Option.Type.FILE) {
            paths[0] = values.getFile(name);
        }
        List<File> files = new ArrayList<File>();
        for (String path : paths) {
            if (!path.isEmpty()) {
                files.add(new File(path));
            }
        }
        return files;
    }

    /**
     * The files that will be written: reported now if that is not possible, or would overwrite an input or another
     * output.
     */
    Outputs outputs(Console console) throws IOException {
        return outputs(console, null);
    }

    /**
     * The files that will be written, where the output may be a folder.
     *
     * @param names admits the names of the files that will be written there
     */
    Outputs outputs(Console console, Predicate<String> names) throws IOException {
        Outputs outputs = new Outputs(console, inputs());
        for (Option option : values.table().options()) {
            if (option.type() == Option.Type.FILE && option.isOutput()) {
                outputs.add(option.key(), file(option.key()));
            }
        }
        outputs.add("json", file("json"));
        if (!values.table().has("overlay")) {
            outputs.add("overlay", file("overlay"));
        }
        outputs.add("plot", file("plot"));
        for (String stage : task.written()) {
            outputs.add(stage, file(stage));
        }
        if (names != null && file("output") != null && file("output").isDirectory()) {
            outputs.addFolder("output", file("output"), names);
        } else {
            outputs.add("output", file("output"));
        }
        outputs.check();
        if (values.table().has("extra") && names == null) {
            outputs.checkExtras(MosaicParameters.of(values));
        }
        return outputs;
    }

    private FilePlan inputs() {
        FilePlan plan = new FilePlan().reads("--mask", file("mask")).reads("--options", file("options"));
        for (String stage : task.read()) {
            plan.reads("--" + stage, file(stage));
        }
        for (Option option : values.table().options()) {
            if (option.type() == Option.Type.FILE && !option.isOutput() && !task.leftOut(option.key())) {
                plan.reads("--" + option.key(), file(option.key()));
            } else if (option.isWordOrFile()) {
                plan.reads("--" + option.key(), new File(values.getText(option.key())));
            }
        }
        for (String name : new String[] {"input", "fixed", "moving"}) {
            addInputs(plan, "--" + name, files(name));
        }
        return plan;
    }

    /** Registers the inputs of an option as files that are read. */
    static void addInputs(FilePlan plan, String option, List<File> inputs) {
        for (File input : inputs) {
            if (input.isDirectory() && !ZarrFrames.isZarr(input)) {
                plan.reads(option, input, listed(input));
            } else {
                plan.reads(option, input);
            }
        }
    }

    private static File[] listed(File folder) {
        try {
            return ImageFolder.list(folder);
        } catch (FrameReadException e) {
            // The source reports the error when it is opened.
            return new File[0];
        }
    }

    FrameSource input() throws FrameReadException {
        return chosen(Inputs.open(file("input")));
    }

    /** The frames that the table's frame range selects. */
    FrameSource chosen(FrameSource all) {
        FrameSource some = FrameRange.chosen(values, all);
        checkTransforms("transforms", some.count());
        return some;
    }

    /** Checks that the format of the transforms file which the option names can hold so many frames. */
    void checkTransforms(String key, int frames) {
        if (values.table().has(key) && values.table().option(key).isOutput() && file(key) != null) {
            TransformsFile.check(key, file(key), frames);
        }
    }

    /** Parameters of the table, with the mask as selection. */
    MosaicParameters parameters(FrameSource source) throws FrameReadException {
        MosaicParameters parameters = MosaicParameters.of(values);
        File mask = file("mask");
        if (parameters.field() == MosaicParameters.Field.SELECTION && mask == null) {
            throw new IllegalArgumentException("field Selection: give the field of view with --mask IMAGE, or use"
                    + " Auto or Whole");
        }
        return mask == null ? parameters : parameters.withSelection(Inputs.mask(mask, source));
    }
}
