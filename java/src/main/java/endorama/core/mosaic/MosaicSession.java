package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.common.Progress;
import endorama.core.common.RunTimes;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.options.MosaicParameters;
import endorama.jni.EndoramaException;
import java.util.stream.IntStream;

/**
 * One run over a sequence, which the library registers, solves and paints, on the caller's thread. {@link StageFile} splits it
 * into runs of one stage each.
 */
public final class MosaicSession {
    private final FrameSource source;
    private MosaicParameters parameters;
    private final LoggedProgress progress;
    private final MosaicListener listener;
    /** The run ends after registration. */
    private boolean pairsAlone;
    private StageFile registered;
    /** Links that count in the place of those of registration; null: those count. */
    private Links mended;
    /** The poses to paint; null: the run begins with registration. */
    private StageFile from;

    /** A run that reports to progress (which may be {@link Progress#NONE}). */
    public MosaicSession(FrameSource source, MosaicParameters parameters, Progress progress) {
        this(source, parameters, progress, MosaicListener.NONE);
    }

    /** A run with a listener to the growing panorama. */
    public MosaicSession(FrameSource source, MosaicParameters parameters, Progress progress,
            MosaicListener listener) {
        this.source = source;
        this.parameters = parameters;
        this.listener = listener;
        this.progress = new LoggedProgress(progress);
    }

    /** Ends the run after registration, without a picture; its edges are in {@link #registered}. */
    public MosaicSession pairsAlone() {
        pairsAlone = true;
        return this;
    }

    /** Takes links in the place of those of registration; null: those of registration. */
    public MosaicSession links(Links links) {
        mended = links;
        return this;
    }

    /** Paints frames in the poses of an earlier stage, without registration. */
    public MosaicSession painting(StageFile solved) {
        from = solved;
        return this;
    }

    /** The text of the {@link StageFile} after registration; null if the run did not come so far. */
    public String pairs() {
        return registered == null ? null : registered.text();
    }

    /** The stage after registration, as {@link #pairs}. */
    public StageFile registered() {
        return registered;
    }

    /**
     * Runs to the end, or until it is cancelled or fails; the result holds everything up to then.
     *
     * @throws FrameReadException if the sequence as a whole cannot be used
     * @throws EndoramaException if the library or the device cannot start
     * @throws IllegalArgumentException if an option does not go with this sequence, or links are not of its frames
     */
    public MosaicResult run() throws FrameReadException {
        Frames.checkSequence(source);
        if (mended == null) {
            return once();
        }
        mended.check(IntStream.range(0, source.count()).map(source::number).toArray(), source.excluded());
        pairsAlone = true;
        MosaicResult pairs = once();
        if (registered == null || pairs.registered() < 2) {
            return pairs;
        }
        pairs.close();
        registered.solve(mended, progress);
        pairsAlone = false;
        parameters = parameters.with("lens", registered.lens());
        return painting(registered).once();
    }

    private MosaicResult once() throws FrameReadException {
        long start = System.nanoTime();
        Engine engine = new Engine(source, parameters, progress, listener);
        MosaicResult result = null;
        try {
            RuntimeException ended = engine.run(mosaic -> {
                if (from == null) {
                    mosaic.run(engine.sequence(), pairsAlone);
                } else {
                    mosaic.paint(engine.sequence(), FrameRow.records(from.rows()));
                }
            });
            if (pairsAlone && ended == null) {
                registered = StageFile.of(source, parameters.options(), engine.mosaic());
            }
            result = new MosaicResult(engine, source, parameters, RunTimes.since(start), ended);
            result.log(progress.lines());
            if (from != null) {
                result.warnFirst(from.warnings());
            }
            return result;
        } finally {
            if (result == null) {
                engine.close();
            }
        }
    }
}
