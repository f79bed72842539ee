package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.common.Progress;
import endorama.core.files.Table;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.options.MosaicParameters;
import endorama.core.options.Option;
import endorama.core.options.Ranges;
import endorama.jni.NativeMosaic;
import endorama.jni.RegisterOptions;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Registers a sequence with every combination of some options, in one pass over the frames: they are read and prepared once.
 */
public final class Sweep {
    /** The results of one combination, over all pairs. */
    public static final class Row {
        /** The options that vary, key -&gt; value (Double). */
        public final Map<String, Object> options;
        /** Number of pairs, and of those with status ok. */
        public int pairs, ok;
        /** Coefficients computed and reused, all pairs together. */
        public long computed, reused;
        /** Time of the registration, ms, all pairs together. */
        public double timeMs;
        private final RegisterOptions register;
        private double qualitySum;
        private long qualities;

        Row(Map<String, Object> options, RegisterOptions register) {
            this.options = options;
            this.register = register;
        }

        /** Mean quality of the pairs; NaN if there is none. */
        public double meanQuality() {
            return qualities == 0 ? Double.NaN : qualitySum / qualities;
        }

        /** Mean time of a pair, ms; NaN if there is none. */
        public double timePerPair() {
            return pairs == 0 ? Double.NaN : timeMs / pairs;
        }

        private void take(NativeMosaic.Sums sums, int i) {
            pairs = (int) sums.pairs[i];
            ok = (int) sums.ok[i];
            computed = sums.computed[i];
            reused = sums.reused[i];
            timeMs = sums.timeMs[i];
            qualitySum = sums.quality[i];
            qualities = sums.qualities[i];
        }
    }

    private final List<Row> rows = new ArrayList<Row>();
    private boolean cancelled;

    private Sweep() {
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
        Sweep sweep = new Sweep();
        for (Map<String, Object> combination : Ranges.combinations(ranges)) {
            MosaicParameters varied = parameters;
            for (Map.Entry<String, Object> e : combination.entrySet()) {
                varied = varied.with(e.getKey(), e.getValue());
            }
            sweep.rows.add(new Row(combination, varied.register()));
        }
        progress.log(sweep.rows.size() + " combinations of " + (source.count() - 1) + " pairs each");
        sweep.run(new Engine(source, parameters, new LoggedProgress(progress), MosaicListener.NONE));
        return sweep;
    }

    private void run(Engine engine) throws FrameReadException {
        List<RegisterOptions> combinations = new ArrayList<RegisterOptions>();
        for (Row row : rows) {
            combinations.add(row.register);
        }
        try {
            cancelled = engine.run(mosaic -> mosaic.sweep(engine.sequence(), combinations)) != null;
            for (int i = 0; i < rows.size(); i++) {
                rows.get(i).take(engine.mosaic().sums(), i);
            }
        } finally {
            engine.close();
        }
    }

    /** One row a combination. */
    public List<Row> rows() {
        return Collections.unmodifiableList(rows);
    }

    /** Description of the combination with the best quality, of equal ones the fastest; null if none was measured. */
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
            line.append(' ').append(option.getKey()).append('=').append(Option.plain(option.getValue()));
        }
        return line + String.format(Locale.ROOT, ": %.4f, %.2f ms a pair", best.meanQuality(), best.timePerPair());
    }

    /** Some combination was measured. */
    public boolean measured() {
        for (Row row : rows) {
            if (row.pairs > 0) {
                return true;
            }
        }
        return false;
    }

    /** Stopped before its end; the rows hold the results up to then. */
    public boolean cancelled() {
        return cancelled;
    }

    /** The table of these rows. */
    public Table<Row> table() {
        return new Table<Row>(Sweep::cells, columns());
    }

    /** Names of the columns: the options that vary, then what was measured. */
    public List<String> columns() {
        List<String> columns = new ArrayList<String>(rows.get(0).options.keySet());
        columns.addAll(Arrays.asList("quality", "pairs", "ok", "computed", "reused", "time_ms"));
        return columns;
    }

    /** The cells of a row, in the order of the columns; time_ms is a mean. */
    public static List<Object> cells(Row row) {
        List<Object> cells = new ArrayList<Object>(row.options.values());
        cells.addAll(Arrays.<Object>asList(row.meanQuality(), row.pairs, row.ok, row.computed, row.reused,
                row.timePerPair()));
        return cells;
    }

    /** Writes the table as CSV. */
    public void write(File file) throws IOException {
        new Table<Row>(row -> cells(row).stream().<Object>map(Option::plain).collect(Collectors.toList()), columns())
                .write(file, rows);
    }
}
