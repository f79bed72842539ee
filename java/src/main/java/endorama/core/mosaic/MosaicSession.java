package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.common.Progress;
import endorama.core.common.RunTimes;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.frames.StraightFrames;
import endorama.core.options.MosaicParameters;
import endorama.core.paint.MosaicFaults;
import endorama.core.paint.Panorama;
import endorama.core.pairs.FrameRow;
import endorama.core.places.LensDrift;
import endorama.core.places.LensWatch;
import endorama.core.places.Places;
import endorama.core.places.ShapeWatch;
import endorama.core.places.TearWatch;
import endorama.jni.EndoramaException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * One run over a sequence, in three stages, which {@link StageFile} can also part into runs of their own: frames are
 * registered, chained and painted as they come; then the loops are closed and the places of all frames are solved for;
 * then the light is solved for, and the panoramas are painted or blended from these places. Memory does not depend on
 * the length of the sequence. Runs on the caller's thread, once. What it works with, and what happens where that fails:
 * {@link MosaicResources}.
 */
public final class MosaicSession {
    private static final int STAGES = 3;

    private final FrameSource source;
    private final MosaicParameters parameters;
    private final LoggedProgress progress;
    private final MosaicListener listener;
    private final MosaicFaults faults = new MosaicFaults();
    private final RunTimes times = new RunTimes();
    private MosaicResources with;
    private final List<Panorama> panoramas = new ArrayList<Panorama>();
    private ChainStage chains;
    private StageRunner runner;
    private Places places;
    private List<String> warnings = new ArrayList<String>();
    /** What the pairs say of the lens; null: nothing. */
    private String bent;
    private boolean complete;
    /** Of panoramas that neither Java's memory nor the disk holds; null if they do. */
    private RuntimeException tooLarge;
    /** Ends when all pairs are registered. */
    private boolean pairsAlone;
    private String pairs;
    /** Begins with places that are known; null: with registering. */
    private StageFile from;

    /** A run that reports to progress (which may be {@link Progress#NONE}). */
    public MosaicSession(FrameSource source, MosaicParameters parameters, Progress progress) {
        this(source, parameters, progress, MosaicListener.NONE);
    }

    /** The same with somebody who sees the panorama grow. */
    public MosaicSession(FrameSource source, MosaicParameters parameters, Progress progress,
            MosaicListener listener) {
        this.source = StraightFrames.of(source, parameters);
        this.parameters = parameters;
        this.listener = listener;
        this.progress = new LoggedProgress(progress);
    }

    /** Ends when all pairs are registered, without a picture; they are in {@link #pairs}. */
    public MosaicSession pairsAlone() {
        pairsAlone = true;
        return this;
    }

    /** Paints from places that were solved for before, and registers nothing. */
    public MosaicSession painting(StageFile solved) {
        from = solved;
        return this;
    }

    /** What {@link StageFile} writes after registering; null if the run did not come so far. */
    public String pairs() {
        return pairs;
    }

    /** For tests. */
    MosaicSession losingTheCanvas() {
        faults.canvasLost = true;
        return this;
    }

    /** For tests: blends bands of so many rows. */
    MosaicSession inBands(int rows) {
        faults.bandRows = rows;
        return this;
    }

    /** For tests. */
    MosaicSession strainedInBands(IntConsumer before) {
        faults.bandStrain = before;
        return this;
    }

    /** For tests: keeps panoramas on the disk, where there is a folder for them. */
    MosaicSession onDisk() {
        faults.onDisk = true;
        return this;
    }

    /** For tests: frames come into the store before they are needed. */
    MosaicSession ahead() {
        faults.ahead = true;
        return this;
    }

    /** For tests. */
    MosaicSession strained(IntConsumer before) {
        faults.strain = before;
        return this;
    }

    /**
     * Runs to the end, or to where it is cancelled or fails; what was done until then is in the result.
     *
     * @throws FrameReadException if the sequence as a whole cannot be used
     * @throws EndoramaException if the library or the device cannot start
     * @throws IllegalArgumentException if an option does not go with this sequence
     */
    public MosaicResult run() throws FrameReadException {
        Frames.checkSequence(source);
        long start = System.nanoTime();
        try (MosaicResources opened = new MosaicResources(source, parameters, progress, faults, times)) {
            times.start = RunTimes.since(start);
            with = opened;
            if (pairsAlone) {
                with.paintNothing();
            }
            if (listener == MosaicListener.NONE) {
                with.deferPainting();
            }
            with.open();
            chains = from != null ? null
                    : new ChainStage(source, parameters, with, progress, listener, faults, times);
            RuntimeException failure = go();
            boolean stopped = failure == null && !complete;
            MosaicResult result = new MosaicResult(this, RunTimes.since(start), stopped, failure);
            if (result.lost() != null && !stopped && failure == null) {
                progress.lost("not in the panorama: " + result.lost());
            }
            return result;
        }
    }

    // -------------------------------------------------------------- the stages

    /** Goes through the sequence and sets the panoramas; what ended it early, or null. */
    private RuntimeException go() {
        runner = new StageRunner(with, progress, STAGES, source.count());
        try {
            if (from != null) {
                paintFrom(from);
            } else {
                register();
            }
            runner.persist(this::takePanoramas);
            return tooLarge;
        } catch (EndoramaException e) {
            progress.log("stopped at " + runner.where() + ": " + e.getMessage());
            return rescue(e);
        }
    }

    private void register() {
        runner.run(chains);
        runner.persist(chains::finish);
        if (chains.frames() == source.count()) {
            solve();
        }
    }

    private void paintFrom(StageFile solved) {
        places = new Places(solved.rows());
        bent = solved.bent();
        LookStage looking = new LookStage(with, all(), progress);
        runner.run(looking);
        complete = looking.done() && (parameters.blends() ? blend(places) : paint(places));
    }

    private List<Integer> all() {
        List<Integer> frames = new ArrayList<Integer>();
        for (int i = 0; i < source.count(); i++) {
            frames.add(i);
        }
        return frames;
    }

    /** The places that all pairs together give, and the panoramas painted from them. */
    private void solve() {
        LoopStage loops = closeLoops();
        complete = loops.done();
        if (complete) {
            watchLens(loops);
        }
        if (complete && pairsAlone) {
            pairs = StageFile.pairs(source, parameters.options(), with.backEnd().description(), chains.rows(),
                    loops.links(), with.field().spread());
        } else if (complete && parameters.paints()) {
            complete = parameters.blends() ? blend(loops.places()) : paint(loops.places());
        }
        if (complete) {
            places = loops.places();
            runner.tellEnd();
        } else {
            progress.log("stopped before all places were solved for: they are those along the chain");
        }
    }

    private LoopStage closeLoops() {
        long start = System.nanoTime();
        double others = times.read + times.put;
        LoopStage loops = new LoopStage(source, parameters, with, chains, progress);
        runner.run(loops);
        times.loops = RunTimes.since(start) - (times.read + times.put - others);
        return loops;
    }

    /** Whether the panoramas were painted again. */
    private boolean paint(Places solved) {
        PaintStage painting = from != null ? new PaintStage(with, rows(), solved)
                : new PaintStage(source, parameters, with, rows(), solved);
        try {
            runner.run(painting);
        } finally {
            complete = painting.finish();
        }
        return complete;
    }

    /** Whether they were blended; where memory does not suffice, painted one frame over the other. */
    private boolean blend(Places solved) {
        BlendStage blending = BlendStage.of(with, rows(), solved, progress);
        EndoramaException full = null;
        try {
            runner.run(blending);
        } catch (EndoramaException e) {
            full = e;
        } catch (OutOfMemoryError | UncheckedIOException e) {
            tooLarge = tooLarge(e);
        } finally {
            complete = blending.finish() || tooLarge != null;
        }
        if (full == null) {
            return complete;
        }
        if (full.status() != EndoramaException.Status.MEMORY) {
            throw full;
        }
        progress.log("no memory to blend the panorama: " + full.getMessage() + "; it is painted, one frame over the other");
        return paint(solved);
    }

    /** Copies what was painted, the largest part first. */
    private void takePanoramas() {
        if (places == null) {
            places = new Places(rows(), chains.links(), source.width(), source.height());
        }
        panoramas.clear();
        try {
            for (int part = 1; part <= places.parts() && tooLarge == null; part++) {
                panoramas.add(with.snapshot(places.canvas(part)));
            }
        } catch (OutOfMemoryError | UncheckedIOException e) {
            tooLarge = tooLarge(e);
        }
        places.put();
        watchShape();
    }

    private static RuntimeException tooLarge(Throwable e) {
        return e instanceof UncheckedIOException ? (UncheckedIOException) e
                : new EndoramaException(EndoramaException.Status.MEMORY, "Java's memory does not hold the"
                        + " panorama; the transforms are complete: start Java with more memory (-Xmx), set"
                        + " max_canvas, or write it as .ome.tif from a shell", e);
    }

    private void watchLens(LoopStage loops) {
        LensWatch lens = new LensWatch(loops.links());
        bent = lens.warning(parameters.lens());
        if (lens.widens(parameters.lens())) {
            loops.places().widen(new LensDrift(lens.lambda(), source.width(), source.height(), with.field().spread()));
        }
    }

    /** Of the places as they are in the end. */
    private void watchShape() {
        ShapeWatch shape = new ShapeWatch(source.width(), source.height());
        for (FrameRow row : rows()) {
            if (row.registered) {
                shape.look(row.frame - 1, row.transform, row.deviation);
            }
        }
        warnings = Warnings.inOrder(bent, from != null ? from.warning() : places.warning(Warnings.againstAslant(parameters)),
                shape.warning(), TearWatch.warning(rows(), source.width(), source.height()));
        for (String line : warnings) {
            progress.logOnce(line);
        }
    }

    /** What waits to be painted after a failure that stays is left out. */
    private void finishUnpainted() {
        try {
            if (chains != null) {
                chains.finish();
            }
        } catch (EndoramaException e) {
            progress.log("not all registered frames are painted: " + e.getMessage());
        }
    }

    /** What was painted before a failure. */
    private RuntimeException rescue(RuntimeException failure) {
        try {
            finishUnpainted();
            with.rescueDeferred();
            takePanoramas();
        } catch (EndoramaException e) {
            progress.log("the panorama is lost, the transforms are not: " + e.getMessage());
        }
        return failure;
    }

    // -------------------------------------------------------------- the result

    /** One a part, the largest first. */
    List<Panorama> panoramas() {
        return panoramas;
    }

    /** What is wrong with the shape of the panoramas, in the order in which it is to be mended. */
    List<String> warnings() {
        return warnings;
    }

    /** One a frame, up to where the run came. */
    List<FrameRow> rows() {
        return from != null ? from.rows() : chains.rows();
    }

    FrameSource source() {
        return source;
    }

    MosaicResources resources() {
        return with;
    }

    /** Of the parameters, percent. */
    double lens() {
        return parameters.lens();
    }

    List<String> log() {
        return progress.lines();
    }

    RunTimes times() {
        return times;
    }
}
