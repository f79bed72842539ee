package endorama.core;

import endorama.jni.EndoramaException;
import endorama.jni.FramesOptions;
import endorama.jni.RegisterOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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
    /** Frames that a chain may hold from before a chunk: {@link ChainStage#held}. */
    private static final int HELD = 4;
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
    private boolean matches = true;
    private FieldOfView field;
    /** What sees every frame that is read; null: nothing does. */
    private Light light;
    /** The same; null where nothing is blended. */
    private Sharpness sharpness;
    private FrameStore store;
    private Spectra spectra;
    /** What is painted. */
    private Canvases canvases;
    /** Of the store, or of the one that there was no memory for. */
    private int slots;
    /** Nobody wants a picture. */
    private boolean blind;

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
        openRest();
    }

    /** The same for frames that are painted alone. */
    void openForPainting() throws FrameReadException {
        matches = false;
        field = FieldOfView.find(backEnd.context(), source, parameters, progress);
        openRest();
    }

    private void openRest() {
        canvases = new Canvases(backEnd, source, parameters, field, faults);
        light = parameters.evensLight() && !blind ? new Light(source, field, parameters.threads(), times) : null;
        sharpness = parameters.blends() && !blind ? new Sharpness(source) : null;
        openStore();
    }

    /** Nothing is painted. */
    void paintNothing() {
        blind = true;
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

    /** How sharp frames are; null where nothing is blended. */
    Sharpness sharpness() {
        return sharpness;
    }

    /** The light of the scope; null if it is left as it is. */
    Light light() {
        return light;
    }

    /** For pairs of which nobody knows how they lie to each other. */
    Spectra spectra() {
        if (spectra == null) {
            spectra = new Spectra(backEnd.context(), source, field, progress);
        }
        return spectra;
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
                return new FrameStore(backEnd.context(), source, options(slots), times, light, sharpness);
            } catch (EndoramaException e) {
                if (e.status() != EndoramaException.Status.MEMORY || slots <= LEAST_SLOTS) {
                    throw e;
                }
                logFewer(slots, e);
            }
        }
    }

    private FramesOptions options(int capacity) {
        FramesOptions options = field.options(source.type(), capacity);
        options.rim = parameters.rim();
        options.flow = matches && parameters.register().initial == RegisterOptions.FLOW;
        if (matches) {
            options.iir = parameters.iir();
            options.highlights = parameters.highlights();
            options.refineWithoutHighlights = parameters.refines();
            parameters.setEnhance(options);
        }
        return options;
    }

    private void closeStore() {
        close(store);
        store = null;
        close(spectra);
        spectra = null;
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
        if (!parameters.paints()) {
            waiting.clear();
            store.keepOnly(held);
            return;
        }
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
            items.add(new PanoramaCanvas.Item(item.frame, store.read(item.frame), item.transform, item.part));
        } catch (FrameReadException e) {
            if (matches) {
                progress.log(e.getMessage() + " again; not painted");
            } else {
                progress.lostOnce(e.getMessage() + "; skipped");
            }
        }
    }

    private void paint(List<PanoramaCanvas.Item> items) {
        if (blind) {
            return;
        }
        long start = System.nanoTime();
        canvases.paint(store.frames(), items);
        times.paint += RunTimes.since(start);
        if (full() != null) {
            progress.logOnce(full());
        }
    }

    /** Why nothing more is painted in a part; null while there is room in all. */
    String full() {
        return canvases.full();
    }

    /** A part of the panorama as it is; null if nothing of it was painted. */
    Panorama snapshot(int part) {
        long start = System.nanoTime();
        try {
            return canvases.snapshot(part);
        } finally {
            times.panorama += RunTimes.since(start);
        }
    }

    /** What is painted. */
    Canvases canvases() {
        return canvases;
    }

    // --------------------------------------------------------------- failures

    /** Makes it possible for a stage to go on after a failure; false if it is not. */
    boolean recover(EndoramaException e, Stage stage) {
        boolean memory = e.status() == EndoramaException.Status.MEMORY;
        if (memory && slots > LEAST_SLOTS) {
            logFewer(slots, e);
            closeStore();
            store = shrinking(fewer(slots));
        } else if (backEnd.replaces(e)) {
            moveToCpu(e, stage);
        } else {
            return memory && store != null && canvases.stopWhereMemoryEnds();
        }
        return move(stage);
    }

    private boolean move(Stage stage) {
        int[] held = stage.held();
        int[] places = new int[held.length];
        for (int i = 0; i < held.length; i++) {
            try {
                places[i] = held[i] < 0 ? -1 : store.read(held[i]);
            } catch (FrameReadException e) {
                progress.log(e.getMessage() + " again; nothing can follow it");
                return false;
            }
        }
        stage.moveTo(store.frames(), places, backEnd.name());
        return true;
    }

    private void moveToCpu(EndoramaException e, Stage stage) {
        Map<Integer, Panorama> copies = faults.canvasLost ? null : canvases.copies();
        String failed = backEnd.name();
        canvases.dropBand();
        backEnd.replace();
        boolean taken = canvases.move(copies);
        closeStore();
        store = shrinking(slotsWanted());
        if (!taken) {
            canvases.clear();
            waiting.clear();
            waiting.addAll(stage.painted());
        }
        progress.log("backend " + failed + " failed at " + stage.where() + ": " + e.getMessage()
                + "; the CPU goes on, nothing is lost" + (taken ? "" : "; what was painted is painted again"));
    }

    @Override
    public void close() {
        close(canvases);
        close(spectra);
        close(store);
        close(light);
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
