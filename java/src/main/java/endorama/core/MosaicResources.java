package endorama.core;

import endorama.jni.EndoramaException;
import endorama.jni.FramesOptions;
import endorama.jni.RegisterOptions;
import java.util.ArrayList;
import java.util.List;

/**
 * What a run works with: back end, field of view, frame store and canvas, and what becomes of them when something fails.
 *
 * <p>Where memory ends, stores get smaller. Where a device fails that Auto had chosen, the CPU goes on: with what the
 * device had painted, or, if that cannot be read any more, by painting the registered frames again.
 */
final class MosaicResources implements AutoCloseable {
    /** Pixels of frames a chunk holds at most; on a device, where a call costs more and a pixel less. */
    private static final int CHUNK_PIXELS = 16000000;
    private static final int DEVICE_PIXELS = 64000000;
    private static final int LARGEST_CHUNK = 256;
    /** Frames that a chain may hold from before a chunk: {@link FrameChain#held}. */
    private static final int HELD = 2;
    private static final int LEAST_SLOTS = HELD + 1;
    /** The pixels of the first chunk, whose time nobody knows. */
    private static final int FIRST_PIXELS = 2000000;

    private final FrameSource source;
    private final MosaicParameters parameters;
    private final LoggedProgress progress;
    private final MosaicFaults faults;
    private final RunTimes times;
    /** Registered and not yet painted. */
    private final List<PanoramaCanvas.Item> waiting = new ArrayList<PanoramaCanvas.Item>();
    private final BackEnd backEnd;
    private FieldOfView field;
    private FrameStore store;
    private PanoramaCanvas canvas;
    /** Of the store, or of the one that there was no memory for. */
    private int slots;

    /** Opens a back end; the rest follows with {@link #open}. */
    MosaicResources(FrameSource source, MosaicParameters parameters, LoggedProgress progress, MosaicFaults faults,
            RunTimes times) throws FrameReadException {
        this.source = source;
        this.parameters = parameters;
        this.progress = progress;
        this.faults = faults;
        this.times = times;
        backEnd = BackEnd.open(source, parameters, source.count(), progress);
    }

    /** Looks for the field of view, and makes store and canvas. */
    void open() throws FrameReadException {
        long start = System.nanoTime();
        field = FieldOfView.forMatching(backEnd.context(), source, parameters, progress);
        times.field = RunTimes.since(start);
        field.checkTemplate(parameters.register().template);
        openStore();
        canvas = new PanoramaCanvas(backEnd.context(), source.type(), parameters.painting(), field.bounds(),
                parameters.maxCanvas());
    }

    BackEnd backEnd() {
        return backEnd;
    }

    FieldOfView field() {
        return field;
    }

    FrameStore store() {
        return store;
    }

    PanoramaCanvas canvas() {
        return canvas;
    }

    /** Frames that are registered, in order; painted with {@link #paintWaiting}. */
    List<PanoramaCanvas.Item> waiting() {
        return waiting;
    }

    private boolean onDevice() {
        return backEnd.name().equals("cuda");
    }

    private long area() {
        return Math.max(1, (long) source.width() * source.height());
    }

    /** Frames of the first chunk. */
    int firstChunk() {
        return (int) Math.max(1, Math.min(largestChunk(), (onDevice() ? CHUNK_PIXELS : FIRST_PIXELS) / area()));
    }

    int largestChunk() {
        return store.capacity() - HELD;
    }

    // ----------------------------------------------------------------- stores

    private void openStore() {
        try {
            store = shrinking(slotsWanted());
        } catch (EndoramaException e) {
            if (!backEnd.replaces(e)) {
                throw e;
            }
            progress.log("backend CPU: CUDA has no room for " + LEAST_SLOTS + " frames: " + e.getMessage());
            backEnd.replace();
            store = shrinking(slotsWanted());
        }
    }

    private int slotsWanted() {
        // Pairs are what threads share: with many processors a chunk of large frames holds more of them.
        int lanes = Math.max(1, Math.min(4, Runtime.getRuntime().availableProcessors() / 4));
        long pixels = onDevice() ? DEVICE_PIXELS : (long) CHUNK_PIXELS * lanes;
        return HELD + (int) Math.max(1, Math.min(LARGEST_CHUNK, Math.min(source.count(), pixels / area())));
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

    // --------------------------------------------------------------- painting

    /**
     * Paints what waits, as many frames at once as the store holds; up to there if the run is cancelled. After a failure
     * they are read again.
     *
     * @param held frames that stay in the store
     */
    void paintWaiting(int... held) {
        do {
            List<PanoramaCanvas.Item> items = new ArrayList<PanoramaCanvas.Item>();
            int n = 0;
            while (n < waiting.size() && (n == 0 || store.holds(waiting.get(n).frame) || store.hasRoom())) {
                add(waiting.get(n++), items);
            }
            paint(items);
            waiting.subList(0, n).clear();
            store.keepOnly(held);
        } while (!waiting.isEmpty() && !progress.cancelled());
    }

    private void add(PanoramaCanvas.Item item, List<PanoramaCanvas.Item> items) {
        try {
            items.add(new PanoramaCanvas.Item(item.frame, store.read(item.frame), item.transform));
        } catch (FrameReadException e) {
            progress.log(e.getMessage() + " again; not painted");
        }
    }

    private void paint(List<PanoramaCanvas.Item> items) {
        long start = System.nanoTime();
        canvas.paint(store.frames(), items);
        times.paint += RunTimes.since(start);
        if (canvas.full() != null) {
            progress.logOnce(canvas.full());
        }
    }

    /** The panorama as it is; null if nothing was painted. */
    Panorama snapshot() {
        long start = System.nanoTime();
        try {
            return canvas.snapshot();
        } finally {
            times.panorama += RunTimes.since(start);
        }
    }

    // --------------------------------------------------------------- failures

    /** Makes it possible to go on after a failure; false if it is not. */
    boolean recover(EndoramaException e, FrameChain chain) {
        boolean memory = e.status() == EndoramaException.Status.MEMORY;
        if (memory && slots > LEAST_SLOTS) {
            logFewer(slots, e);
            closeStore();
            store = shrinking(fewer(slots));
        } else if (backEnd.replaces(e)) {
            moveToCpu(e, chain);
        } else if (memory && store != null && !canvas.stopsWhereMemoryEnds()) {
            canvas.stopWhereMemoryEnds();
            return true;
        } else {
            return false;
        }
        return moveChain(chain);
    }

    private boolean moveChain(FrameChain chain) {
        int[] held = chain.held();
        int[] places = new int[held.length];
        for (int i = 0; i < held.length; i++) {
            try {
                places[i] = held[i] < 0 ? -1 : store.read(held[i]);
            } catch (FrameReadException e) {
                progress.log(e.getMessage() + " again; nothing can follow it");
                return false;
            }
        }
        chain.moveTo(store.frames(), places, backEnd.name());
        return true;
    }

    private void moveToCpu(EndoramaException e, FrameChain chain) {
        boolean known = !faults.canvasLost;
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
        int next = Math.min(chain.rows().size(), source.count() - 1);
        progress.log("backend " + failed + " failed at " + Frames.range(next, next) + ": " + e.getMessage()
                + "; the CPU goes on, nothing is lost" + (taken ? "" : "; what was painted is painted again"));
    }

    @Override
    public void close() {
        close(canvas);
        close(store);
        close(backEnd);
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
}
