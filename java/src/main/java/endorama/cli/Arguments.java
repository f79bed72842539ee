package endorama.cli;

import endorama.core.AtomicFile;
import endorama.core.FrameReadException;
import endorama.core.FrameSource;
import endorama.core.MosaicParameters;
import endorama.core.options.Option;
import endorama.core.options.OptionValues;
import java.io.File;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** What was given to a command: the checked values of its table, and its files. */
final class Arguments {
    private final ParseResult parsed;
    private final OptionValues values;

    /** @throws IllegalArgumentException that names the option, its value and what is allowed */
    Arguments(Task task, ParseResult parsed) {
        this.parsed = parsed;
        Map<String, String> given = new LinkedHashMap<String, String>();
        for (OptionSpec option : parsed.matchedOptions()) {
            String key = option.longestName().substring(2).replace('-', '_');
            if (task.table().has(key) && !task.leftOut(key)) {
                given.put(key, String.valueOf(option.<Object>getValue()));
            }
        }
        values = task.table().parseArguments(given);
    }

    OptionValues values() {
        return values;
    }

    boolean flag(String name) {
        return parsed.matchedOptionValue("--" + name, Boolean.FALSE);
    }

    /** A file of the command line or of the table; null if it was not given. */
    File file(String name) {
        String path = parsed.matchedOptionValue("--" + name, "");
        if (path.isEmpty() && values.table().has(name) && values.table().option(name).type() == Option.Type.FILE) {
            path = values.getFile(name);
        }
        return path.isEmpty() ? null : new File(path);
    }

    /** A file that will be written; reported now if that is not possible. Null if it was not given. */
    File output(String name) throws IOException {
        File file = file(name);
        if (file != null) {
            AtomicFile.check(file);
        }
        return file;
    }

    /** An image that will be written. */
    File image(String name) throws IOException {
        ImageFiles.checkName(file(name));
        return output(name);
    }

    FrameSource input() throws FrameReadException {
        return Inputs.open(file("input"));
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
