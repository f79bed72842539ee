package endorama.plugin;

import endorama.core.files.AtomicFile;
import endorama.core.files.FilePlan;
import endorama.core.options.Option;
import endorama.core.options.OptionValues;
import endorama.core.transforms.TransformsFile;
import endorama.core.zarr.OmeZarr;
import java.io.File;
import java.io.IOException;

/** The files that the options of a command name, each written independently of failures of the others. */
final class SavedFiles {
    /** Writes one file. */
    interface Writing {
        void to(File file) throws IOException;
    }

    private final OptionValues values;
    private final FilePlan plan = new FilePlan();
    private IOException failure;

    /**
     * Checks the files before anything is computed.
     *
     * @throws IOException if one cannot be written
     * @throws IllegalArgumentException if one would overwrite another, or a file that the command reads
     */
    SavedFiles(OptionValues values) throws IOException {
        this.values = values;
        for (Option option : values.table().options()) {
            File file = option.type() == Option.Type.FILE ? file(option.key())
                    : option.isWordOrFile() ? new File(values.getText(option.key())).getAbsoluteFile() : null;
            if (file != null && option.isOutput()) {
                if (option.key().equals("zarr")) {
                    OmeZarr.check(file);
                } else {
                    AtomicFile.check(file);
                }
                plan.writes(option.key(), file);
            } else {
                plan.reads(option.key(), file);
            }
        }
        plan.check();
    }

    /**
     * Checks the files before anything is computed, also that a file of transforms can hold so many frames.
     *
     * @param key of the file that has them
     */
    SavedFiles(OptionValues values, String key, int frames) throws IOException {
        this(values);
        if (file(key) != null) {
            TransformsFile.check(key, file(key), frames);
        }
    }

    /** The file of an option; null if none is named. */
    private File file(String key) {
        String path = values.getFile(key);
        return path.isEmpty() ? null : new File(path).getAbsoluteFile();
    }

    /** Writes a file if it was asked for. */
    SavedFiles save(String key, Writing writing) {
        return saveOf(key, 1, writing);
    }

    /** Writes a file for panorama 1, for another one a file beside it ("-2"), if it was asked for. */
    SavedFiles saveOf(String key, int component, Writing writing) {
        File file = file(key);
        try {
            if (file != null) {
                writing.to(component == 1 ? file : plan.beside(key, file, "-" + component));
            }
        } catch (IOException e) {
            failure = failure == null ? e : failure;
        }
        return this;
    }

    /** @throws IOException if one could not be written: the first of them */
    void finish() throws IOException {
        if (failure != null) {
            throw failure;
        }
    }
}
