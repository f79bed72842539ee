package endorama.core.chains;

import endorama.core.common.Progress;
import endorama.core.common.RunTimes;
import endorama.core.engine.LentFrames;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.jni.EndoramaException;
import endorama.jni.NativeChain;
import endorama.jni.NativeMosaic;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/** One run of the library's chain over a sequence of Java, on the caller's thread, with its outcome. */
public final class ChainRun extends LentFrames {
    private final long start = System.nanoTime();
    private double seconds;
    private boolean cancelled;
    private RuntimeException failure;
    private String backend = "";
    private String field = "";
    private List<ChainRow> rows = Collections.emptyList();

    /**
     * Runs to the end, or until it is cancelled or fails; keeps the results up to then.
     *
     * @param onto the first frame of this is what frames are registered onto; null: they are with one another
     * @param made the chain
     * @throws FrameReadException if no frame, or the one that all are compared with, can be read
     * @throws EndoramaException if nothing could begin
     * @throws IllegalArgumentException if an option does not go with these frames
     */
    public ChainRun(FrameSource source, FrameSource onto, Progress progress, Function<NativeMosaic.Caller, NativeChain> made)
            throws FrameReadException {
        super(source, onto, progress, source.count());
        try (NativeChain chain = made.apply(this)) {
            warn();
            try {
                chain.run(sequence(source));
            } catch (EndoramaException e) {
                end(chain, e);
            }
            take(chain);
        }
    }

    private void end(NativeChain chain, EndoramaException e) throws FrameReadException {
        cancelled = e.status() == EndoramaException.Status.CANCELLED;
        failure = cancelled ? null : e;
        if (e.status() == EndoramaException.Status.ARGUMENT) {
            FrameReadException lost = unreadable(e);
            if (lost == null) {
                throw new IllegalArgumentException(e.getMessage(), e);
            }
            if (chain.frames().size == 0) {
                throw lost;
            }
            // The frame was readable before: the results so far stay.
            failure = new UncheckedIOException(lost);
        } else if (!cancelled && chain.field().isEmpty()) {
            throw e;
        }
    }

    private void take(NativeChain chain) {
        NativeChain.Frames frames = chain.frames();
        List<ChainRow> made = new ArrayList<ChainRow>();
        for (int i = 0; i < frames.size; i++) {
            made.add(new ChainRow(frames, i, this::number));
        }
        rows = Collections.unmodifiableList(made);
        backend = chain.backend();
        field = chain.field();
        seconds = RunTimes.since(start);
    }

    List<ChainRow> rows() {
        return rows;
    }

    String field() {
        return field;
    }

    String backend() {
        return backend;
    }

    double seconds() {
        return seconds;
    }

    boolean isCancelled() {
        return cancelled;
    }

    RuntimeException failure() {
        return failure;
    }
}
