package endorama.core;

import endorama.jni.EndoramaException;
import endorama.jni.FramesOptions;
import endorama.jni.RegisterOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * One run over a sequence: frames are read chunk by chunk into the native store, registered with one call a
 * chunk, chained, and painted onto a growing canvas. Memory does not depend on the length of the sequence. Runs
 * on the caller's thread, once.
 *
 * <p>Where memory ends, chunks get smaller. Where a device fails that Auto had chosen, the CPU goes on: with what the
 * device had painted, or, if that cannot be read any more, by painting the registered frames again.
 */
public final class MosaicSession {
    /** Pixels of frames a chunk holds at most; on a device, where a call costs more and a pixel less. */
    private static final int CHUNK_PIXELS = 16000000;
    private static final int DEVICE_PIXELS = 64000000;
    private static final int LARGEST_CHUNK = 256;
    /** A frame and its reference. */
    private static final int LEAST_SLOTS = 2;
    /** The same for the first chunk, whose time nobody knows. */
    private static final int FIRST_PIXELS = 2000000;
    /** Time a chunk should take, so that a cancel is answered soon. */
    private static final double CHUNK_SECONDS = 0.1;

    private final FrameSource source;
    private final MosaicParameters parameters;
    private final Progress progress;
    private final MosaicListener listener;
    private final List<String> log = new ArrayList<String>();
    private final RunTimes times = new RunTimes();
    /** Registered and not yet painted. */
    private final List<PanoramaCanvas.Item> waiting = new ArrayList<PanoramaCanvas.Item>();
    private BackEnd backEnd;
    private FieldOfView field;
    private FrameStore store;
    private PanoramaCanvas canvas;
    private FrameChain chain;
    private Panorama panorama;
    private int chunk;
    /** Of the store, or of the one that there was no memory for. */
    private int slots;
    /** For tests: the canvas cannot be read after a failure. */
    private boolean canvasLost;
    /** For tests: called with the number of slots before a chunk is registered, and may fail as the library does. */
    private IntConsumer strain = n -> { };

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
        this.progress = new Logging(progress);
    }

    /** Keeps what is logged for the result. */
    private final class Logging implements Progress {
        private final Progress target;

        Logging(Progress target) {
            this.target = target;
        }

        @Override
        public void progress(int done, int total) {
            target.progress(done, total);
        }

        @Override
        public boolean cancelled() {
            return target.cancelled();
        }

        @Override
        public void log(String line) {
            log.add(line);
            target.log(line);
        }
    }

    /** For tests. */
    MosaicSession losingTheCanvas() {
        canvasLost = true;
        return this;
    }

    /** For tests. */
    MosaicSession strained(IntConsumer before) {
        strain = before;
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
        try {
            backEnd = BackEnd.open(source, parameters, source.count(), progress);
            times.start = RunTimes.since(start);
            field = FieldOfView.find(backEnd.context(), source, parameters, progress);
            times.field = RunTimes.since(start) - times.start;
            RegisterOptions register = parameters.register();
            field.checkTemplate(register.template);
            openStore();
            canvas = new PanoramaCanvas(backEnd.context(), source.type(), parameters.painting(), field.bounds(),
                    parameters.maxCanvas());
            chain = new FrameChain(source, store.frames(), register, backEnd.name(), progress);
            chunk = (int) Math.max(1, Math.min(largest(), (onDevice() ? CHUNK_PIXELS : FIRST_PIXELS) / area()));
            return finish(loop(), start);
        } finally {
            close(canvas);
            close(store);
            close(backEnd);
        }
    }

    private static void close(AutoCloseable object) {
        try {
            if (object != null) {
                object.close();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private long area() {
        return Math.max(1, (long) source.width() * source.height());
    }

    /** Frames of the largest chunk; the store has a slot more, for the reference of the first. */
    private int largest() {
        return store.capacity() - 1;
    }

    // ----------------------------------------------------------------- stores

    private void openStore() {
        try {
            store = shrinking(slotsWanted());
        } catch (EndoramaException e) {
            if (!backEnd.replaces(e)) {
                throw e;
            }
            progress.log("backend CPU: CUDA has no room for two frames: " + e.getMessage());
            backEnd.replace();
            store = shrinking(slotsWanted());
        }
    }

    private boolean onDevice() {
        return backEnd.name().equals("cuda");
    }

    private int slotsWanted() {
        // Pairs are what threads share: with many processors a chunk of large frames holds more of them.
        int lanes = Math.max(1, Math.min(4, Runtime.getRuntime().availableProcessors() / 4));
        long pixels = onDevice() ? DEVICE_PIXELS : (long) CHUNK_PIXELS * lanes;
        return 1 + (int) Math.max(1, Math.min(LARGEST_CHUNK, Math.min(source.count(), pixels / area())));
    }

    /** A store of so many slots, or of as many as there is memory for. */
    private FrameStore shrinking(int wanted) {
        for (slots = wanted;; slots = fewer(slots)) {
            try {
                FramesOptions options = field.options(source.type(), slots);
                options.rim = parameters.rim();
                options.iir = parameters.iir();
                options.highlights = parameters.highlights();
                parameters.setEnhance(options);
                options.flow = parameters.register().initial == RegisterOptions.FLOW;
                return new FrameStore(backEnd.context(), source, options, times);
            } catch (EndoramaException e) {
                if (e.status() != EndoramaException.Status.MEMORY || slots <= LEAST_SLOTS) {
                    throw e;
                }
                logFewer(slots, e);
            }
        }
    }

    private void closeStore() {
        close(store);
        store = null;
    }

    private static int fewer(int n) {
        return Math.max(LEAST_SLOTS, n / 2);
    }

    private void logFewer(int n, EndoramaException e) {
        progress.log("out of memory with " + n + " frames at once (" + e.getMessage() + "); going on with " + fewer(n));
    }

    // --------------------------------------------------------------- the loop

    /** Goes through the sequence and sets the panorama; what ended it early, or null. */
    private RuntimeException loop() {
        EndoramaException problem = null;
        while (true) {
            try {
                if (problem != null && !recover(problem)) {
                    progress.log("stopped at " + Frames.range(next(), next()) + ": " + problem.getMessage());
                    return problem;
                }
                steps();
                return takeSnapshot();
            } catch (EndoramaException e) {
                problem = e;
            }
        }
    }

    private RuntimeException takeSnapshot() {
        try {
            panorama = snapshot();
            return null;
        } catch (OutOfMemoryError e) {
            return new EndoramaException(EndoramaException.Status.MEMORY, "Java's memory does not hold the"
                    + " panorama; the transforms are complete: start Java with more memory (-Xmx) or set"
                    + " max_canvas", e);
        }
    }

    /** The first frame that has no row. */
    private int next() {
        return Math.min(chain.rows().size(), source.count() - 1);
    }

    private Panorama snapshot() {
        long start = System.nanoTime();
        try {
            return canvas.snapshot();
        } finally {
            times.panorama += RunTimes.since(start);
        }
    }

    private void steps() {
        paintWaiting();
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
        List<Integer> chunkSlots = read();
        if (chunkSlots == null) {
            return false;
        }
        strain.accept(store.capacity());
        long start = System.nanoTime();
        chain.add(chunkSlots, waiting);
        times.register += RunTimes.since(start);
        boolean look = !waiting.isEmpty() && canvas.full() == null;
        paint(waiting);
        waiting.clear();
        store.keepOnly(chain.lastGood());
        adapt(RunTimes.since(start) / chunkSlots.size());
        if (look) {
            listener.panorama(new Supplier<Panorama>() {
                @Override
                public Panorama get() {
                    return canvas.snapshot();
                }
            });
        }
        return true;
    }

    private void paint(List<PanoramaCanvas.Item> items) {
        long start = System.nanoTime();
        canvas.paint(store.frames(), items);
        times.paint += RunTimes.since(start);
        if (canvas.full() != null && !log.contains(canvas.full())) {
            progress.log(canvas.full());
        }
    }

    private List<Integer> read() {
        List<Integer> read = new ArrayList<Integer>();
        for (int frame = chain.rows().size(); frame < source.count() && read.size() < chunk; frame++) {
            if (progress.cancelled()) {
                return null;
            }
            try {
                read.add(store.read(frame));
            } catch (FrameReadException e) {
                progress.log(e.getMessage() + "; skipped");
                read.add(-1);
            }
        }
        return read;
    }

    private void adapt(double secondsPerFrame) {
        double wanted = CHUNK_SECONDS / Math.max(1e-6, secondsPerFrame);
        chunk = (int) Math.max(1, Math.min(largest(), Math.min(2.0 * chunk, wanted)));
    }

    // --------------------------------------------------------------- failures

    /** Makes it possible to go on after a failure; false if it is not. */
    private boolean recover(EndoramaException e) {
        boolean memory = e.status() == EndoramaException.Status.MEMORY;
        if (memory && slots > LEAST_SLOTS) {
            logFewer(slots, e);
            closeStore();
            store = shrinking(fewer(slots));
        } else if (backEnd.replaces(e)) {
            moveToCpu(e);
        } else if (memory && store != null && !canvas.stopsWhereMemoryEnds()) {
            canvas.stopWhereMemoryEnds();
            return true;
        } else {
            return false;
        }
        chunk = Math.min(chunk, largest());
        return moveChain();
    }

    private boolean moveChain() {
        int slot = -1;
        if (chain.lastGood() >= 0) {
            try {
                slot = store.read(chain.lastGood());
            } catch (FrameReadException e) {
                progress.log(e.getMessage() + " again; nothing can follow it");
                return false;
            }
        }
        chain.moveTo(store.frames(), slot, backEnd.name());
        return true;
    }

    private void moveToCpu(EndoramaException e) {
        boolean known = !canvasLost;
        Panorama done = null;
        try {
            done = known ? canvas.snapshot() : null;
        } catch (EndoramaException | OutOfMemoryError lost) {
            known = false;
        }
        String failed = backEnd.name();
        PanoramaCanvas old = canvas;
        backEnd.replace();
        canvas = new PanoramaCanvas(backEnd.context(), old);
        old.close();
        closeStore();
        store = shrinking(slotsWanted());
        boolean taken = known && canvas.takeOver(old, done);
        if (!taken) {
            waiting.clear();
            for (FrameRow row : chain.rows()) {
                if (row.registered) {
                    waiting.add(new PanoramaCanvas.Item(row.frame - 1, -1, row.transform));
                }
            }
        }
        progress.log("backend " + failed + " failed at " + Frames.range(next(), next()) + ": " + e.getMessage()
                + "; the CPU goes on, nothing is lost" + (taken ? "" : "; what was painted is painted again"));
    }

    /** Paints what was registered, but not painted when something failed; its frames are read again. */
    private void paintWaiting() {
        while (!waiting.isEmpty() && !progress.cancelled()) {
            List<PanoramaCanvas.Item> some = waiting.subList(0, Math.min(waiting.size(), largest()));
            List<PanoramaCanvas.Item> items = new ArrayList<PanoramaCanvas.Item>();
            for (PanoramaCanvas.Item item : some) {
                try {
                    items.add(new PanoramaCanvas.Item(item.frame, store.read(item.frame), item.transform));
                } catch (FrameReadException e) {
                    progress.log(e.getMessage() + " again; not painted");
                }
            }
            paint(items);
            some.clear();
            store.keepOnly(chain.lastGood());
        }
    }

    private MosaicResult finish(RuntimeException failure, long start) {
        chain.finish();
        if (failure != null && panorama == null) {
            try {
                panorama = snapshot();
            } catch (EndoramaException | OutOfMemoryError e) {
                progress.log("the panorama is lost, the transforms are not: " + e.getMessage());
            }
        }
        boolean cancelled = chain.rows().size() < source.count() && !chain.ended() && failure == null;
        return new MosaicResult(panorama, chain.rows(), field, log, backEnd.description(), RunTimes.since(start), times,
                cancelled, failure);
    }
}
