package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.common.Progress;
import endorama.core.common.RunTimes;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.options.MosaicParameters;
import endorama.jni.EndoramaException;

/**
 * One run over a sequence: registered, solved and painted by the library, on the caller's thread, once. {@link StageFile}
 * parts it into runs of their own.
 */
public final class MosaicSession {
    private final FrameSource source;
    private final MosaicParameters parameters;
    private final LoggedProgress progress;
    private final MosaicListener listener;
    /** Ends when all pairs are registered. */
    private boolean pairsAlone;
    private String pairs;
    /** Begins with poses that are known; null: with registering. */
    private StageFile from;

    /** A run that reports to progress (which may be {@link Progress#NONE}). */
    public MosaicSession(FrameSource source, MosaicParameters parameters, Progress progress) {
        this(source, parameters, progress, MosaicListener.NONE);
    }

    /** The same with somebody who sees the panorama grow. */
    public MosaicSession(FrameSource source, MosaicParameters parameters, Progress progress,
            MosaicListener listener) {
        this.source = source;
        this.parameters = parameters;
        this.listener = listener;
        this.progress = new LoggedProgress(progress);
    }

    /** Ends when all pairs are registered, without a picture; they are in {@link #pairs}. */
    public MosaicSession pairsAlone() {
        pairsAlone = true;
        return this;
    }

    /** Paints from poses that were solved for before, and registers nothing. */
    public MosaicSession painting(StageFile solved) {
        from = solved;
        return this;
    }

    /** What {@link StageFile} writes after registering; null if the run did not come so far. */
    public String pairs() {
        return pairs;
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
                pairs = StageFile.pairs(source, parameters.options(), engine.mosaic());
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
