package endorama.cli;

import endorama.core.common.OnlyStopping;
import endorama.core.files.AtomicFile;
import endorama.core.files.Csv;
import endorama.core.files.FilePlan;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.VideoFrames;
import endorama.core.mosaic.MosaicResult;
import endorama.core.mosaic.MosaicSession;
import endorama.core.options.MosaicParameters;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * One panorama of each sequence of a folder: of every sub-folder with images, TIFF stack and video in it. What fails does
 * not stop the rest. The summary table is written anew after each; a run that resumes leaves out what it says is done.
 */
final class MosaicBatch {
    static final String SUMMARY = "summary.csv";
    private static final List<String> COLUMNS = Collections.unmodifiableList(Arrays.asList("name", "status", "code",
            "frames", "registered", "doubtful", "panoramas", "width", "height", "quality", "seconds", "input", "options"));
    private static final int CODE = COLUMNS.indexOf("code");

    private final Arguments arguments;
    private final Console console;
    private final File folder;
    private final File output;
    private final int jobs;
    private final String options;
    /** By name; null for those that are not done. */
    private final Map<String, List<?>> rows = new LinkedHashMap<String, List<?>>();
    private int finished;

    /** @param output a folder, made if need be */
    MosaicBatch(Arguments arguments, File folder, File output, int jobs, Console console) {
        this.arguments = arguments;
        this.console = console;
        this.folder = folder;
        this.output = output;
        this.jobs = jobs;
        this.options = arguments.values().toString();
    }

    /** Does all, or with resume what is missing, and returns the exit code. */
    int run(boolean resume) throws IOException {
        Map<String, File> items = items();
        if (!output.isDirectory() && !output.mkdirs()) {
            throw new IOException(output + ": the folder cannot be made");
        }
        AtomicFile.check(new File(output, SUMMARY));
        for (String name : items.keySet()) {
            rows.put(name, null);
        }
        if (resume) {
            takeDone(items);
        }
        ExecutorService threads = Executors.newFixedThreadPool(jobs);
        List<Future<?>> running = new ArrayList<Future<?>>();
        for (Map.Entry<String, File> item : items.entrySet()) {
            if (rows.get(item.getKey()) == null) {
                running.add(threads.submit(() -> one(item.getKey(), item.getValue())));
            }
        }
        console.log(items.size() + " sequences" + (finished > 0 ? ", " + finished + " of them done before" : "") + ", "
                + jobs + " at once");
        threads.shutdown();
        await(running);
        save();
        return end();
    }

    private static void await(List<Future<?>> running) {
        for (Future<?> one : running) {
            try {
                one.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }

    // ------------------------------------------------------------ what there is

    /** Name to file or folder, in natural order. */
    private Map<String, File> items() throws IOException {
        File[] files = folder.listFiles(file -> !file.isHidden());
        if (files == null) {
            throw new FrameReadException(folder + ": the folder cannot be read");
        }
        Arrays.sort(files, (a, b) -> ImageFolder.compare(a.getName(), b.getName()));
        Map<String, File> items = new LinkedHashMap<String, File>();
        for (File file : files) {
            if (isSequence(file)) {
                String name = file.isDirectory() ? file.getName() : file.getName().replaceFirst("\\.[^.]*$", "");
                items.put(items.containsKey(name) ? file.getName().replace('.', '_') : name, file);
            }
        }
        if (items.isEmpty()) {
            throw new FrameReadException(folder + ": holds no folder of images, TIFF stack or video");
        }
        for (File file : items.values()) {
            if (same(file, output) || same(folder, output)) {
                throw new IllegalArgumentException("--output " + output + ": is read by --batch " + folder
                        + "; give another folder");
            }
        }
        return items;
    }

    private static boolean same(File a, File b) throws IOException {
        return a.getCanonicalFile().equals(b.getCanonicalFile());
    }

    private static boolean isSequence(File file) {
        if (!file.isDirectory()) {
            return Inputs.isTiff(file) || VideoFrames.isVideo(file);
        }
        try {
            return ImageFolder.list(file).length > 0;
        } catch (FrameReadException e) {
            return false;
        }
    }

    /** Rows of the table that is there: done, or in part, with the same options, and the panorama is there. */
    private void takeDone(Map<String, File> items) throws IOException {
        File table = new File(output, SUMMARY);
        if (!table.isFile()) {
            return;
        }
        for (String line : Files.readAllLines(table.toPath(), StandardCharsets.UTF_8)) {
            List<String> row = Csv.split(line);
            boolean whole = row.size() == COLUMNS.size() && items.containsKey(row.get(0));
            if (whole && row.get(COLUMNS.indexOf("options")).equals(options) && file(row.get(0), ".png").isFile()
                    && (row.get(CODE).equals("" + Main.DONE) || row.get(CODE).equals("" + Main.PARTIAL))) {
                rows.put(row.get(0), row);
                finished++;
            }
        }
    }

    private File file(String name, String ending) {
        return new File(output, name + ending);
    }

    // ----------------------------------------------------------------- one of it

    private void one(String name, File input) {
        if (console.cancelled()) {
            return;
        }
        Console mine = console.named(name);
        MosaicResult result = null;
        int code;
        try {
            FilePlan plan = new FilePlan();
            Arguments.addInputs(plan, "--batch", Collections.singletonList(input));
            Outputs outputs = new Outputs(mine, plan);
            outputs.add("output", file(name, ".png"));
            outputs.add("transforms", file(name, ".transforms.csv"));
            outputs.add("table", file(name, ".frames.csv"));
            outputs.check();
            FrameSource source = arguments.chosen(Inputs.open(input));
            MosaicParameters parameters = shared(arguments.parameters(source));
            result = new MosaicSession(source, parameters, new OnlyStopping(mine)).run();
            code = mine.code(MosaicTask.finish(result, parameters, source, outputs, mine));
        } catch (Throwable e) {
            code = mine.report(e);
        }
        put(name, input, code, result);
    }

    /** Jobs that run at the same time share the processors. */
    private MosaicParameters shared(MosaicParameters parameters) {
        int processors = Runtime.getRuntime().availableProcessors();
        return jobs == 1 || parameters.threads() > 0 ? parameters
                : parameters.withThreads(Math.max(1, processors / jobs));
    }

    private synchronized void put(String name, File input, int code, MosaicResult result) {
        boolean picture = result != null && result.panorama() != null;
        List<Object> row = new ArrayList<Object>(Arrays.<Object>asList(name, status(code), code));
        row.addAll(result == null ? Arrays.<Object>asList(0, 0, 0, 0) : Arrays.<Object>asList(result.rows().size(),
                result.registered(), result.doubtful(), result.panoramas().size()));
        row.addAll(picture ? Arrays.<Object>asList(result.panorama().width(), result.panorama().height())
                : Arrays.<Object>asList(0, 0));
        row.addAll(result == null ? Arrays.<Object>asList("", "") : Arrays.<Object>asList(
                String.format(Locale.ROOT, "%.4f", result.meanQuality()),
                String.format(Locale.ROOT, "%.1f", result.seconds())));
        row.addAll(Arrays.<Object>asList(input, options));
        rows.put(name, row);
        console.print(String.format(Locale.ROOT, "%-12s%s%s", status(code), name,
                result == null ? "" : ": " + result.summary()));
        finished++;
        console.progress(finished, rows.size());
        save();
    }

    private static String status(int code) {
        switch (code) {
            case Main.DONE: return "done";
            case Main.PARTIAL: return "in part";
            case Main.INTERRUPTED: return "interrupted";
            default: return "failed";
        }
    }

    // ---------------------------------------------------------------------- all

    private synchronized void save() {
        StringBuilder text = new StringBuilder();
        Csv.line(text, COLUMNS);
        for (List<?> row : rows.values()) {
            if (row != null) {
                Csv.line(text, row);
            }
        }
        try {
            AtomicFile.write(new File(output, SUMMARY), text.toString());
        } catch (IOException e) {
            console.report(e);
        }
    }

    /** Done if all are; in part if any is; else what the first failed with. */
    private int end() {
        int whole = 0;
        int part = 0;
        int first = Main.DONE;
        for (List<?> row : rows.values()) {
            int code = row == null ? Main.INTERRUPTED : Integer.parseInt(String.valueOf(row.get(CODE)));
            whole += code == Main.DONE ? 1 : 0;
            part += code == Main.PARTIAL ? 1 : 0;
            first = first == Main.DONE ? code : first;
        }
        int failed = rows.size() - whole - part;
        console.print("batch       " + whole + " done, " + part + " in part, " + failed
                + (console.cancelled() ? " failed or not begun: " : " failed: ") + new File(output, SUMMARY));
        return console.cancelled() ? Main.INTERRUPTED : failed + part == 0 ? Main.DONE
                : whole + part > 0 ? Main.PARTIAL : first;
    }
}
