package endorama.cli;

import endorama.core.common.OnlyStopping;
import endorama.core.files.AtomicFile;
import endorama.core.files.FilePlan;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.VideoFrames;
import endorama.core.mosaic.MosaicResult;
import endorama.core.mosaic.MosaicSession;
import endorama.core.options.MosaicParameters;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Makes a panorama of each sequence of a folder: of every sub-folder with images, TIFF stack and video in it. A failure does
 * not stop the rest. The summary table is rewritten after each sequence; a run that resumes skips those that the table lists as
 * done, if their inputs and outputs are unchanged.
 */
final class MosaicBatch {
    /** Sequences that the last line names. */
    private static final int NAMED = 8;

    private final Arguments arguments;
    private final Console console;
    private final File folder;
    private final File output;
    private final int jobs;
    private final String options;
    private BatchSummary summary;
    /** Rows of the summary by name; null for sequences that are not done yet. */
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

    /** Processes all sequences, or with resume the missing ones, and returns the exit code. */
    int run(boolean resume) throws IOException {
        summary = new BatchSummary(output);
        Map<String, File> items = items(summary.read());
        if (!output.isDirectory() && !output.mkdirs()) {
            throw new IOException(output + ": the folder cannot be made");
        }
        AtomicFile.check(summary.file());
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

    // ------------------------------------------------------------------ sequences

    /** The sequences to process: name to file or folder, in natural order; rows: those of the existing table. */
    private Map<String, File> items(Map<String, List<?>> rows) throws IOException {
        File[] files = folder.listFiles(file -> !file.isHidden());
        if (files == null) {
            throw new FrameReadException(folder + ": the folder cannot be read");
        }
        Arrays.sort(files, (a, b) -> ImageFolder.compare(a.getName(), b.getName()));
        Map<String, File> items = new LinkedHashMap<String, File>();
        Set<String> taken = new HashSet<String>();
        for (File file : files) {
            String why = whyLeftOut(file);
            if (why == null) {
                items.put(name(file, taken, rows), file);
            } else if (file.isDirectory() && !same(file, output)) {
                console.log("left out: " + why);
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

    /**
     * A name that no other sequence has, also on file systems that ignore case, nor another input that still exists.
     *
     * @param taken names of items before this one, in lower case; receives this one
     */
    private static String name(File file, Set<String> taken, Map<String, List<?>> rows) {
        String whole = file.getName();
        String stem = file.isDirectory() ? whole : whole.replaceFirst("\\.[^.]*$", "");
        String name = stem;
        for (int n = 1; taken.contains(name.toLowerCase(Locale.ROOT)) || isOfAnother(name, file, rows); n++) {
            name = n == 1 ? whole.replace('.', '_') : whole.replace('.', '_') + "-" + n;
        }
        taken.add(name.toLowerCase(Locale.ROOT));
        return name;
    }

    private static boolean isOfAnother(String name, File file, Map<String, List<?>> rows) {
        List<?> row = rows.get(name);
        File input = row == null ? null : new File(BatchSummary.cell(row, "input"));
        return input != null && input.exists() && !input.getAbsoluteFile().equals(file.getAbsoluteFile());
    }

    private static boolean same(File a, File b) throws IOException {
        return a.getCanonicalFile().equals(b.getCanonicalFile());
    }

    /** Null: it is a sequence. */
    private static String whyLeftOut(File file) {
        if (!file.isDirectory()) {
            return Inputs.isTiff(file) || VideoFrames.isVideo(file) ? null : file + ": neither a TIFF stack nor a video";
        }
        try {
            ImageFolder.list(file);
            return null;
        } catch (FrameReadException e) {
            return e.getMessage();
        }
    }

    /** Takes over the rows done, or done in part, from the same input with the same options, whose outputs all exist. */
    private void takeDone(Map<String, File> items) throws IOException {
        for (Map.Entry<String, List<?>> there : summary.read().entrySet()) {
            File input = items.get(there.getKey());
            if (input != null && isDone(there.getValue(), input)) {
                rows.put(there.getKey(), there.getValue());
                finished++;
            }
        }
    }

    private boolean isDone(List<?> row, File input) {
        String code = BatchSummary.cell(row, "code");
        return BatchSummary.cell(row, "options").equals(options) && BatchSummary.cell(row, "input").equals(input.toString())
                && BatchSummary.cell(row, "signature").equals(BatchSummary.signature(input))
                && (code.equals("" + Main.DONE) || code.equals("" + Main.PARTIAL))
                && summary.areThere(BatchSummary.cell(row, "outputs"));
    }

    private File file(String name, String ending) {
        return new File(output, name + ending);
    }

    // --------------------------------------------------------------- one sequence

    private void one(String name, File input) {
        if (console.cancelled()) {
            return;
        }
        Console mine = console.named(name);
        MosaicResult result = null;
        String signature = BatchSummary.signature(input);
        List<File> written = Collections.emptyList();
        int code;
        try {
            FilePlan plan = new FilePlan();
            Arguments.addInputs(plan, "--batch", Collections.singletonList(input));
            Outputs outputs = new Outputs(mine, plan);
            written = outputs.written();
            outputs.add("output", file(name, ".png"));
            outputs.add("transforms", file(name, ".transforms.csv"));
            outputs.add("table", file(name, ".frames.csv"));
            outputs.add("report", file(name, ".report.html"));
            outputs.check();
            FrameSource source = arguments.chosen(Inputs.open(input));
            MosaicParameters parameters = shared(arguments.parameters(source));
            result = new MosaicSession(source, parameters, new OnlyStopping(mine)).run();
            code = mine.code(MosaicTask.finish(result, parameters, source, input.getName(), outputs, mine));
        } catch (Throwable e) {
            code = mine.report(e);
        }
        if (result != null) {
            result.close();
        }
        put(name, input, code, result, Arrays.asList(signature, BatchSummary.outputs(written)));
    }

    /** Jobs that run at the same time share the processors. */
    private MosaicParameters shared(MosaicParameters parameters) {
        int processors = Runtime.getRuntime().availableProcessors();
        return jobs == 1 || parameters.threads() > 0 ? parameters
                : parameters.withThreads(Math.max(1, processors / jobs));
    }

    /** Puts a row; more: the cells of the last columns. */
    private synchronized void put(String name, File input, int code, MosaicResult result, List<?> more) {
        boolean picture = result != null && result.panorama() != null;
        List<Object> row = new ArrayList<Object>(Arrays.<Object>asList(name, status(code), code));
        row.addAll(result == null ? Arrays.<Object>asList(0, 0, 0, 0) : Arrays.<Object>asList(result.rows().size(),
                result.registered(), result.doubtful(), result.panoramas().size()));
        row.addAll(picture ? Arrays.<Object>asList(result.panorama().width(), result.panorama().height())
                : Arrays.<Object>asList(0, 0));
        row.addAll(result == null ? Arrays.<Object>asList("", "", "") : Arrays.<Object>asList(
                String.format(Locale.ROOT, "%.4f", result.meanQuality()),
                String.format(Locale.ROOT, "%.1f", result.seconds()), result.verdict().word));
        row.addAll(Arrays.<Object>asList(input, options));
        row.addAll(more);
        rows.put(name, row);
        console.print(String.format(Locale.ROOT, "%-12s%s%s", status(code), name,
                result == null ? "" : ": " + result.verdict()));
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

    // -------------------------------------------------------------- all sequences

    private synchronized void save() {
        List<List<?>> made = new ArrayList<List<?>>(rows.values());
        made.removeAll(Collections.singleton(null));
        try {
            summary.save(made);
        } catch (IOException e) {
            console.report(e);
        }
    }

    /** Says which panoramas have to be looked at. */
    private void sayVerdict() {
        List<String> others = new ArrayList<String>();
        for (Map.Entry<String, List<?>> row : rows.entrySet()) {
            if (row.getValue() == null || !BatchSummary.cell(row.getValue(), "verdict").equals("good")) {
                others.add(row.getKey());
            }
        }
        String few = String.join(", ", others.subList(0, Math.min(NAMED, others.size())))
                + (others.size() > NAMED ? " and " + (others.size() - NAMED) + " more" : "");
        console.print("verdict     " + (others.isEmpty() ? "good: all " + rows.size() + " sequences" : "look at these: "
                + others.size() + " of " + rows.size() + " sequences are not good (" + few + "). Next: open their .report.html in "
                + output));
    }

    /** Exit code: DONE if all are done, PARTIAL if any is, else that of the first failure. */
    private int end() {
        int whole = 0;
        int part = 0;
        int first = Main.DONE;
        for (List<?> row : rows.values()) {
            int code = row == null ? Main.INTERRUPTED : Integer.parseInt(BatchSummary.cell(row, "code"));
            whole += code == Main.DONE ? 1 : 0;
            part += code == Main.PARTIAL ? 1 : 0;
            first = first == Main.DONE ? code : first;
        }
        int failed = rows.size() - whole - part;
        console.print("batch       " + whole + " done, " + part + " in part, " + failed
                + (console.cancelled() ? " failed or not begun: " : " failed: ") + summary.file());
        sayVerdict();
        return console.cancelled() ? Main.INTERRUPTED : failed + part == 0 ? Main.DONE
                : whole + part > 0 ? Main.PARTIAL : first;
    }
}
