package endorama.core;

import endorama.jni.EndoramaException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * One run over a sequence: frames are read chunk by chunk into the native store, registered with one call a
 * chunk, chained, and painted onto a growing canvas. Memory does not depend on the length of the sequence. Runs
 * on the caller's thread, once. What it works with, and what happens where that fails: {@link MosaicResources}.
 */
public final class MosaicSession {
    /** Time a chunk should take, so that a cancel is answered soon. */
    private static final double CHUNK_SECONDS = 0.1;

    private final FrameSource source;
    private final MosaicParameters parameters;
    private final LoggedProgress progress;
    private final MosaicListener listener;
    private final MosaicFaults faults = new MosaicFaults();
    private final RunTimes times = new RunTimes();
    private MosaicResources with;
    private FrameChain chain;
    private Panorama panorama;
    private int chunk;

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

    /** For tests. */
    MosaicSession losingTheCanvas() {
        faults.canvasLost = true;
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
            with.open();
            chain = new FrameChain(source, with.store().frames(), parameters.register(), with.backEnd().name(),
                    progress);
            chunk = with.firstChunk();
            RuntimeException failure = loop();
            boolean cancelled = chain.rows().size() < source.count() && failure == null;
            MosaicResult result = new MosaicResult(this, RunTimes.since(start), cancelled, failure);
            if (result.lost() != null && !cancelled && failure == null) {
                progress.lost("not in the panorama: " + result.lost());
            }
            return result;
        }
    }

    // --------------------------------------------------------------- the loop

    /** Goes through the sequence and sets the panorama; what ended it early, or null. */
    private RuntimeException loop() {
        EndoramaException problem = null;
        while (true) {
            try {
                if (problem != null && !with.recover(problem, chain)) {
                    progress.log("stopped at " + Frames.range(next(), next()) + ": " + problem.getMessage());
                    return rescue(problem);
                }
                steps();
                chain.finish(with.waiting());
                with.paintWaiting(chain.held());
                return takeSnapshot();
            } catch (EndoramaException e) {
                problem = e;
            }
        }
    }

    /** The first frame that has no row. */
    private int next() {
        return Math.min(chain.rows().size(), source.count() - 1);
    }

    private RuntimeException takeSnapshot() {
        try {
            panorama = with.snapshot();
            return null;
        } catch (OutOfMemoryError e) {
            return new EndoramaException(EndoramaException.Status.MEMORY, "Java's memory does not hold the"
                    + " panorama; the transforms are complete: start Java with more memory (-Xmx) or set"
                    + " max_canvas", e);
        }
    }

    /** What was painted before a failure. */
    private RuntimeException rescue(RuntimeException failure) {
        try {
            chain.finish(with.waiting());
            panorama = with.snapshot();
        } catch (EndoramaException | OutOfMemoryError e) {
            progress.log("the panorama is lost, the transforms are not: " + e.getMessage());
        }
        return failure;
    }

    private void steps() {
        chunk = Math.min(chunk, with.largestChunk());
        with.paintWaiting(chain.held());
        while (chain.rows().size() < source.count() && !chain.ended() && !progress.cancelled()) {
            if (!step()) {
                break;
            }
            progress.progress(chain.rows().size(), source.count());
        }
        if (chain.ended()) {
            chain.skipRest();
            progress.progress(source.count(), source.count());
        }
    }

    /** One chunk: read, register, paint. False if it was cancelled before anything was registered. */
    private boolean step() {
        List<Integer> slots = read();
        if (slots == null) {
            return false;
        }
        faults.strain.accept(with.store().capacity());
        long start = System.nanoTime();
        chain.add(slots, with.waiting());
        times.register += RunTimes.since(start);
        boolean look = !with.waiting().isEmpty() && with.canvas().full() == null;
        with.paintWaiting(chain.held());
        adapt(RunTimes.since(start) / slots.size());
        if (look) {
            listener.panorama(new Supplier<Panorama>() {
                @Override
                public Panorama get() {
                    return with.snapshot();
                }
            });
        }
        return true;
    }

    private List<Integer> read() {
        List<Integer> read = new ArrayList<Integer>();
        for (int frame = chain.rows().size(); frame < source.count() && read.size() < chunk; frame++) {
            if (progress.cancelled()) {
                return null;
            }
            try {
                read.add(with.store().read(frame));
            } catch (FrameReadException e) {
                progress.log(e.getMessage() + "; skipped");
                read.add(-1);
            }
        }
        return read;
    }

    private void adapt(double secondsPerFrame) {
        double wanted = CHUNK_SECONDS / Math.max(1e-6, secondsPerFrame);
        chunk = (int) Math.max(1, Math.min(with.largestChunk(), Math.min(2.0 * chunk, wanted)));
    }

    // -------------------------------------------------------------- the result

    Panorama panorama() {
        return panorama;
    }

    FrameChain chain() {
        return chain;
    }

    MosaicResources resources() {
        return with;
    }

    List<String> log() {
        return progress.lines();
    }

    RunTimes times() {
        return times;
    }
}
