package endorama.core.mutual;

import endorama.core.common.Progress;
import endorama.core.common.RunTimes;
import endorama.core.engine.BackEnd;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.frames.Masks;
import endorama.core.volumes.Grid;
import endorama.core.volumes.Volume;
import endorama.jni.EndoramaException;
import endorama.jni.MutualOptions;
import endorama.jni.MutualResult;
import endorama.jni.NativeMutual;
import endorama.jni.NativeVolume;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Registers a volume, every volume of a series, or every slice, onto another one by mutual information. Where a device that
 * Auto chose fails, the CPU continues.
 */
public final class MutualSession {
    /** Progress steps of one registration, and the number of polls after which half of them are shown. */
    private static final int STEPS = 100;
    private static final double USUAL_QUESTIONS = 60;

    private final Volume fixed;
    private final Volume moving;
    private final MutualParameters parameters;
    private final Progress progress;
    private final boolean planar;
    private final List<MutualPair> pairs;
    private final List<MutualRow> rows = new ArrayList<MutualRow>();
    /** The fixed volume in native memory, and the index of its pair. */
    private NativeVolume loaded;
    private MutualPair loadedFor;
    private boolean advised;

    /**
     * A run that reports to progress (which may be {@link Progress#NONE}).
     *
     * @throws IllegalArgumentException if the slices or the mask do not match
     */
    public MutualSession(Volume fixed, Volume moving, MutualParameters parameters, Progress progress) {
        this.fixed = fixed;
        this.moving = moving;
        this.parameters = parameters;
        this.progress = progress;
        planar = parameters.planar(fixed.grid(), moving.grid());
        pairs = MutualPair.all(fixed, moving, planar);
        checkMask();
    }

    private void checkMask() {
        FrameSource mask = parameters.mask();
        Grid grid = fixed.grid();
        if (mask != null && (mask.width() != grid.width || mask.height() != grid.height
                || mask.count() != 1 && mask.count() != grid.depth)) {
            throw new IllegalArgumentException("the mask is " + mask.width() + " x " + mask.height() + " x " + mask.count()
                    + " voxels, the fixed image " + grid.width + " x " + grid.height + " x " + grid.depth
                    + "; they must be of one size, or the mask of one slice");
        }
    }

    /**
     * Runs to the end, or until it is cancelled or fails; the outcome holds everything up to then.
     *
     * @throws IOException if an image or the initial transform cannot be read
     * @throws EndoramaException if the library or the device cannot start
     * @throws IllegalArgumentException if an option does not go with these images
     */
    public MutualOutcome run() throws IOException {
        long start = System.nanoTime();
        MutualStart starts = new MutualStart(parameters, planar, progress);
        sayAssumptions();
        Grid grid = pairs.get(0).fixed.grid();
        RuntimeException failure;
        String backends;
        try (BackEnd backEnd = BackEnd.openMutual(grid.width, grid.height, grid.depth, parameters.common(),
                pairs.size(), progress)) {
            failure = loop(backEnd, starts);
            backends = backEnd.description();
        } finally {
            closeFixed();
        }
        boolean cancelled = failure == null && (rows.size() < pairs.size()
                || rows.get(rows.size() - 1).status == MutualRow.Status.STOPPED);
        MutualOutcome outcome = new MutualOutcome(fixed, moving, planar, pairs, rows, backends, RunTimes.since(start),
                cancelled, failure);
        if (!outcome.complete() && !outcome.isEmpty() && !cancelled && failure == null) {
            progress.lost("not everything is registered: " + outcome.summary());
        }
        return outcome;
    }

    private void sayAssumptions() {
        for (Volume volume : new Volume[] {fixed, moving}) {
            for (String note : volume.notes()) {
                progress.log(note);
            }
        }
        if (fixed.isMeasured() != moving.isMeasured()) {
            Volume without = fixed.isMeasured() ? moving : fixed;
            Volume with = fixed.isMeasured() ? fixed : moving;
            progress.log(without.name() + " has no unit of length, " + with.name() + " has: one of its pixels is taken for "
                    + "1 mm; if that is wrong set it in Image > Properties");
        }
        if (!planar && fixed.frames() > 1) {
            progress.log(fixed.name() + " has " + fixed.frames() + " volumes; the first is the fixed one");
        }
        if (!planar && fixed.grid().positioned != moving.grid().positioned) {
            progress.log((fixed.grid().positioned ? moving : fixed).name() + " has no position: rows, columns and slices"
                    + " are laid along those of " + (fixed.grid().positioned ? fixed : moving).name()
                    + ", and the search starts where the centres meet");
        }
    }

    private RuntimeException loop(BackEnd backEnd, MutualStart starts) throws IOException {
        while (rows.size() < pairs.size() && !progress.cancelled()) {
            try {
                MutualRow row = register(backEnd, starts, rows.size());
                if (row == null) {
                    return null;
                }
                rows.add(row);
                if (row.status == MutualRow.Status.STOPPED) {
                    return null;
                }
                progress.progress(rows.size() * STEPS, pairs.size() * STEPS);
            } catch (EndoramaException e) {
                if (!backEnd.replaces(e)) {
                    if (rows.isEmpty()) {
                        throw e;
                    }
                    return e;
                }
                backEnd.replace(e, progress);
            }
        }
        return null;
    }

    /** Registers pair index; null if it was cancelled before a transform was found. */
    private MutualRow register(BackEnd backEnd, MutualStart starts, int index) throws IOException {
        long begun = System.nanoTime();
        MutualPair pair = pairs.get(index);
        MutualOptions options = parameters.options(pair.fixedSpace);
        starts.set(options, pair, index);
        if (!loadFixed(pair)) {
            return null;
        }
        try (NativeVolume to = load(pair.moving, pair.movingSpace)) {
            if (to == null) {
                return null;
            }
            try (NativeMutual mutual = NativeMutual.create(backEnd.context(), loaded, to, options)) {
                int[] questions = {0};
                MutualResult result = mutual.register(() -> asked(index, ++questions[0]));
                sayRim(pair.fixed, result.fixedRim());
                sayRim(pair.moving, result.movingRim());
                MutualRow row = new MutualRow(index + 1, pair, planar, result, RunTimes.since(begun),
                        backEnd.name());
                advise(row, !planar && (result.fixedRim() > 0 || result.movingRim() > 0));
                return row;
            }
        }
    }

    private void sayRim(Volume volume, double share) {
        if (share > 0) {
            progress.log(volume.name() + ": " + Math.round(100 * share) + (planar ? " % of the pixels are a dark surround"
                    : " % of the voxels are a rim of one value around what it shows")
                    + "; they are left out for a second opinion, and where that differs the result is not believed");
        }
    }

    /** Logs advice for an uncertain registration, once a run. */
    private void advise(MutualRow row, boolean rims) {
        if (advised || row.status != MutualRow.Status.LOW_CERTAINTY) {
            return;
        }
        advised = true;
        progress.log("low certainty: the overlay shows whether what was found is right; " + (rims
                ? "the images as they were before anything was put around them, or a mask of what both show, may help"
                : "starts Wide, another initial transform, or a mask of what both show may help"));
    }

    /** Shows progress ever more slowly, because the number of evaluations is not known; returns whether to stop. */
    private boolean asked(int index, int questions) {
        int done = (int) (STEPS * questions / (questions + USUAL_QUESTIONS));
        progress.progress(index * STEPS + done, pairs.size() * STEPS);
        return progress.cancelled();
    }

    // ---------------------------------------------------------------- volumes

    /** Loads the fixed volume, which the volumes of a series share. False if it was cancelled. */
    private boolean loadFixed(MutualPair pair) throws FrameReadException {
        if (loaded != null && (!planar || loadedFor.slice == pair.slice)) {
            return true;
        }
        closeFixed();
        loaded = load(pair.fixed, pair.fixedSpace);
        loadedFor = pair;
        if (loaded != null && parameters.mask() != null) {
            loadMask(pair);
        }
        return loaded != null;
    }

    private void loadMask(MutualPair pair) throws FrameReadException {
        FrameSource mask = parameters.mask();
        for (int i = 0; i < pair.fixed.grid().depth; i++) {
            int slice = mask.count() == 1 ? 0 : pair.slice + i;
            loaded.mask(i, Masks.of(Frames.pixels(mask, slice)));
        }
    }

    private void closeFixed() {
        if (loaded != null) {
            loaded.close();
            loaded = null;
        }
    }

    /** Loads a volume; null if it was cancelled. */
    private NativeVolume load(Volume volume, Grid space) throws FrameReadException {
        NativeVolume made = NativeVolumes.empty(space, volume.type());
        boolean filled = false;
        try {
            filled = NativeVolumes.fill(made, volume, progress);
        } finally {
            if (!filled) {
                made.close();
            }
        }
        return filled ? made : null;
    }
}
