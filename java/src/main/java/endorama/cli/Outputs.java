package endorama.cli;

import endorama.core.files.AtomicFile;
import endorama.core.files.FilePlan;
import endorama.core.options.MosaicParameters;
import endorama.core.paint.Panorama;
import endorama.core.zarr.OmeZarr;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * The files that a run writes, each independently: a failure is reported, the other files are still written, and the exit code
 * tells it.
 */
final class Outputs {
    /** Writes one file. */
    interface Writing {
        void to(File file) throws Exception;
    }

    /** Number of pixels whose compression takes some seconds. */
    private static final long MANY = 50000000;
    private static final String COVERAGE = "-coverage";
    private static final String UNCERTAINTY = "-uncertainty";

    private final Console console;
    private final FilePlan plan;
    private final Map<String, File> files = new LinkedHashMap<String, File>();
    private final List<File> written = new ArrayList<File>();
    private int failure = Main.DONE;
    private BooleanSupplier stopped;

    /** The outputs of a run whose inputs are in the plan. */
    Outputs(Console console, FilePlan plan) {
        this.console = console;
        this.plan = plan;
    }

    /**
     * A file that will be asked for by its option; null stands for none.
     *
     * @throws IOException if it cannot be written
     */
    void add(String option, File file) throws IOException {
        if (file != null) {
            check(option, file);
            if (ImageFiles.isPyramid(file) && AtomicFile.isStream(file)) {
                throw new IOException(file + " cannot be written: a pyramid (.ome.tif) needs a file, not a pipe or device");
            }
            plan.writes("--" + option, file);
            files.put(option, file);
        }
    }

    private static void check(String option, File file) throws IOException {
        if (option.equals("output") && OmeZarr.isName(file)) {
            OmeZarr.check(file);
        } else {
            AtomicFile.check(file);
        }
    }

    /** Adds an existing folder, and files in it with names that the predicate admits. */
    void addFolder(String option, File folder, Predicate<String> names) throws IOException {
        AtomicFile.check(new File(folder, "frame.png"));
        plan.writes("--" + option, folder, names);
        files.put(option, folder);
    }

    /** @throws IllegalArgumentException if one would overwrite an input or another one */
    void check() throws IOException {
        plan.check();
    }

    /** Checks the extra pictures that these parameters ask for beside a panorama. */
    void checkExtras(MosaicParameters parameters) throws IOException {
        if (files.get("output") == null || OmeZarr.isName(files.get("output"))) {
            return;
        }
        if (parameters.wantsCoverage()) {
            plan.beside("--extra", files.get("output"), COVERAGE);
        }
        if (parameters.wantsUncertainty()) {
            plan.beside("--extra", files.get("output"), UNCERTAINTY);
        }
    }

    /** Nothing was asked for. */
    boolean isEmpty() {
        return files.isEmpty();
    }

    /** Polls for an interrupt after the first call; results of a run interrupted before that are still written. */
    BooleanSupplier stopped() {
        if (stopped == null) {
            stopped = console.cancelled() ? () -> false : console::cancelled;
        }
        return stopped;
    }

    /** The file of an option; null if it was not asked for. */
    File file(String name) {
        return files.get(name);
    }

    /** The folder of the panorama, else of the first other file that is no pipe or device; null: there is none. */
    File folder() throws IOException {
        List<File> all = new ArrayList<File>(files.values());
        if (files.get("output") != null) {
            all.add(0, files.get("output"));
        }
        for (File file : all) {
            if (!AtomicFile.isStream(file)) {
                return file.getAbsoluteFile().getParentFile();
            }
        }
        return null;
    }

    /** Logs that a picture is being written, if that takes some seconds. */
    void announce(Panorama panorama, File file) {
        long pixels = (long) panorama.width() * panorama.height();
        if (file != null && pixels >= MANY) {
            console.log("writing " + pixels / 1000000 + " megapixels to " + file);
        }
    }

    /** Writes a file; true if it was asked for and written. */
    boolean write(String name, Writing writing) {
        if (files.get(name) == null) {
            return false;
        }
        try {
            writing.to(files.get(name));
            written.add(files.get(name));
            return true;
        } catch (Throwable e) {
            int code = console.report(e);
            failure = failure == Main.DONE ? code : failure;
            return false;
        }
    }

    /** Writes a file beside that of an option, its name extended by the suffix ("-2"); null if there is none. */
    File writeBeside(String name, String suffix, Writing writing) {
        try {
            File file = plan.beside("--" + name, files.get(name), suffix);
            check(name, file);
            writing.to(file);
            written.add(file);
            return file;
        } catch (Throwable e) {
            int code = console.report(e);
            failure = failure == Main.DONE ? code : failure;
            return null;
        }
    }

    /** Writes the file of an option for panorama 1, for another one a file beside it ("-2"); true if it was asked for and written. */
    boolean writeOf(String name, int component, Writing writing) {
        if (component == 1 || files.get(name) == null) {
            return write(name, writing);
        }
        return writeBeside(name, "-" + component, writing) != null;
    }

    /** Writes the extra pictures of a panorama to files beside the output; suffix: as in {@link #writeBeside}. */
    void writeExtras(Panorama panorama, String suffix) {
        if (OmeZarr.isName(files.get("output"))) {
            return; // An OME-Zarr folder has coverage and uncertainty among its labels.
        }
        if (panorama.coverageRows() != null) {
            writeBeside("output", suffix + COVERAGE, file -> ImageFiles.writeCoverage(file, panorama, stopped()));
        }
        if (panorama.uncertaintyRows() != null) {
            writeBeside("output", suffix + UNCERTAINTY, file -> ImageFiles.writeUncertainty(file, panorama,
                    stopped()));
        }
    }

    /** The files completely written so far in this run, extra pictures and further panoramas included. */
    List<File> written() {
        return written;
    }

    /** The exit code of the run: otherwise, unless an output failed. */
    int code(int otherwise) {
        return failure == Main.DONE ? otherwise : failure;
    }
}
