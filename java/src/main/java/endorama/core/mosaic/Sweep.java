package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.common.Progress;
import endorama.core.engine.FieldOfView;
import endorama.core.engine.FrameSession;
import endorama.core.engine.FrameStore;
import endorama.core.files.AtomicFile;
import endorama.core.files.Csv;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.frames.StraightFrames;
import endorama.core.options.MosaicParameters;
import endorama.core.options.Ranges;
import endorama.jni.FramesOptions;
import endorama.jni.NativeFrames;
import endorama.jni.PairResults;
import endorama.jni.RegisterOptions;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Registers a sequence with every combination of some options. A chunk of frames is put into the store once and
 * registered with all of them, so that reading and preparing frames costs the same as for one.
 */
public final class Sweep {
    private static final int CHUNK_PIXELS = 8000000;

    /** One combination, over all pairs. */
    public static final class Row {
        /** The options that vary, key -&gt; value (Double). */
        public final Map<String, Object> options;
        /** Pairs in all, and those whose status is ok. */
        public int pairs, ok;
        /** Coefficients computed and reused, all pairs together. */
        public long computed, reused;
        /** Time of the registration, ms, all pairs together. */
        public double timeMs;
        private final RegisterOptions register;
        private double qualitySum;
        private int qualities;

        Row(Map<String, Object> options, RegisterOptions register) {
            this.options = options;
            this.register = register;
        }

        /** Mean of the pairs' quality; NaN if there is none. */
        public double meanQuality() {
            return qualities == 0 ? Double.NaN : qualitySum / qualities;
        }

        /** Time of a pair, ms, the mean; NaN if there is none. */
        public double timePerPair() {
            return pairs == 0 ? Double.NaN : timeMs / pairs;
        }

        private void add(PairResults results, double ms) {
            timeMs += ms;
            pairs += results.size();
            for (int i = 0; i < results.size(); i++) {
                ok += results.status(i) == PairResults.OK ? 1 : 0;
                computed += results.computed(i);
                reused += results.reused(i);
                if (!Double.isNaN(results.quality(i))) {
                    qualitySum += results.quality(i);
                    qualities++;
                }
            }
        }
    }

    private final List<Row> rows = new ArrayList<Row>();
    private final FrameSource source;
    private final MosaicParameters parameters;
    private final LoggedProgress progress;
    /** Pairs in all. */
    private final int total;
    private boolean cancelled;

    /** The chunk of pairs that is worked on, up to end, and the combination whose turn it is. */
    private int next;
    private int end;
    private int row;

    private Sweep(FrameSource source, MosaicParameters parameters, Progress progress) {
        this.source = StraightFrames.of(source, parameters);
        this.parameters = parameters;
        this.progress = new LoggedProgress(progress);
        total = source.count() - 1;
    }

    /**
     * Runs every combination of the ranges ({@link Ranges}) on every pair of consecutive frames.
     *
     * @throws IllegalArgumentException if the ranges cannot be read or a value is not allowed
     * @throws FrameReadException if no frame can be read
     */
    public static Sweep run(FrameSource source, String ranges, MosaicParameters parameters, Progress progress)
            throws FrameReadException {
        Frames.checkSequence(source);
        Sweep sweep = new Sweep(source, parameters, progress);
        for (Map<String, Object> combination : Ranges.combinations(ranges)) {
            MosaicParameters varied = parameters;
            for (Map.Entry<String, Object> e : combination.entrySet()) {
                varied = varied.with(e.getKey(), e.getValue());
            }
            sweep.rows.add(new Row(combination, varied.register()));
        }
        progress.log(sweep.rows.size() + " combinations of " + sweep.total + " pairs each");
        try {
            sweep.run();
        } finally {
            StraightFrames.close(sweep.source);
        }
        return sweep;
    }

    private void run() throws FrameReadException {
        try (FrameSession session = new FrameSession(source, parameters, (long) source.count() * rows.size(), progress)) {
            FieldOfView[] field = new FieldOfView[1];
            session.persist(() -> field[0] = FieldOfView.forMatching(session.backEnd().context(), source, parameters,
                    progress));
            for (Row row : rows) {
                field[0].checkTemplate(row.register.template);
            }
            long area = Math.max(1, (long) source.width() * source.height());
            int chunk = (int) Math.max(1, Math.min(64, Math.min(total, CHUNK_PIXELS / area)));
            session.open(() -> Math.max(chunk + 1, least()), this::least,
                    (context, slots) -> new FrameStore(context, source, options(field[0], slots)));
            while (next < total && !cancelled) {
                session.persist(() -> step(session.store()));
            }
        }
    }

    /** Slots: a chunk that was begun is ended as it is, so that every combination has the same pairs. */
    private int least() {
        return row > 0 ? end - next + 1 : 2;
    }

    private FramesOptions options(FieldOfView field, int slots) {
        FramesOptions options = field.options(source.type(), slots);
        options.iir = parameters.iir();
        options.highlights = parameters.highlights();
        options.refineWithoutHighlights = parameters.refines();
        parameters.setEnhance(options);
        options.flow = parameters.register().initial == RegisterOptions.FLOW;
        options.keepPixels = false;
        return options;
    }

    /** A chunk with all combinations that it was not registered with yet. */
    private void step(FrameStore store) {
        if (row == 0) {
            end = Math.min(total, next + Math.max(1, store.capacity() - 1));
        }
        store.keepFrom(next);
        register(store.frames(), read(store));
        if (!cancelled) {
            next = end;
            row = 0;
        }
    }

    /** Slots of the pairs (frame, frame + 1) of the chunk that can be read. */
    private int[] read(FrameStore store) {
        int[] pairs = new int[2 * (end - next)];
        int n = 0;
        int before = slot(store, next);
        for (int frame = next + 1; frame <= end && !progress.cancelled(); frame++) {
            int slot = slot(store, frame);
            if (before >= 0 && slot >= 0) {
                pairs[n++] = before;
                pairs[n++] = slot;
            }
            before = slot;
        }
        return Arrays.copyOf(pairs, n);
    }

    private int slot(FrameStore store, int frame) {
        try {
            return store.read(frame);
        } catch (FrameReadException e) {
            progress.lostOnce(e.getMessage() + "; left out");
            return -1;
        }
    }

    private void register(NativeFrames frames, int[] pairs) {
        for (; row < rows.size(); row++) {
            if (progress.cancelled()) {
                cancelled = true;
                return;
            }
            Row varied = rows.get(row);
            long start = System.nanoTime();
            PairResults results = frames.register(pairs, varied.register);
            varied.add(results, (System.nanoTime() - start) / 1e6);
            long steps = (long) next * rows.size() + (long) (row + 1) * (end - next);
            progress.progress((int) Math.min(Integer.MAX_VALUE, steps), (int) Math.min(Integer.MAX_VALUE,
                    (long) total * rows.size()));
        }
    }

    /** One row a combination. */
    public List<Row> rows() {
        return Collections.unmodifiableList(rows);
    }

    /** The combination of the best quality, of equal ones the quickest, for people; null if nothing was measured. */
    public String best() {
        Row best = null;
        for (Row row : rows) {
            double more = best == null ? row.meanQuality() : row.meanQuality() - best.meanQuality();
            if (!Double.isNaN(more) && (best == null || more > 0 || more == 0 && row.timeMs < best.timeMs)) {
                best = row;
            }
        }
        if (best == null) {
            return null;
        }
        StringBuilder line = new StringBuilder("best quality with");
        for (Map.Entry<String, Object> option : best.options.entrySet()) {
            line.append(' ').append(option.getKey()).append('=').append(Ranges.plain(option.getValue()));
        }
        return line + String.format(Locale.ROOT, ": %.4f, %.2f ms a pair", best.meanQuality(), best.timePerPair());
    }

    /** There is something in the rows. */
    public boolean measured() {
        for (Row row : rows) {
            if (row.pairs > 0) {
                return true;
            }
        }
        return false;
    }

    /** Stopped before its end; the rows hold what was done. */
    public boolean cancelled() {
        return cancelled;
    }

    /** Names of the columns: the options that vary, then what was measured. */
    public List<String> columns() {
        List<String> columns = new ArrayList<String>(rows.get(0).options.keySet());
        columns.addAll(Arrays.asList("quality", "pairs", "ok", "computed", "reused", "time_ms"));
        return columns;
    }

    /** The cells of a row, in the order of the columns; time_ms is that of a pair. */
    public static List<Object> cells(Row row) {
        List<Object> cells = new ArrayList<Object>(row.options.values());
        cells.addAll(Arrays.<Object>asList(row.meanQuality(), row.pairs, row.ok, row.computed, row.reused,
                row.timePerPair()));
        return cells;
    }

    /** Writes the table as CSV. */
    public void write(File file) throws IOException {
        StringBuilder text = new StringBuilder();
        Csv.line(text, columns());
        for (Row row : rows) {
            List<Object> cells = new ArrayList<Object>();
            for (Object cell : cells(row)) {
                cells.add(Ranges.plain(cell));
            }
            Csv.line(text, cells);
        }
        AtomicFile.write(file, text.toString());
    }
}
