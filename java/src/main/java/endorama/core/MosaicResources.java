package endorama.core;

import endorama.jni.EndoramaException;
import endorama.jni.FramesOptions;
import endorama.jni.RegisterOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

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
    private FieldOfView field;
    /** What sees every frame that is read; null: nothing does. */
    private Light light;
    private FrameStore store;
    private Spectra spectra;
    /** Of every part of the panorama. */
    private Map<Integer, PanoramaCanvas> canvases = new TreeMap<Integer, PanoramaCanvas>();
    /** In their place, where they are blended; null before. */
    private Map<Integer, BlendCanvas> blends;
    /** Of the store, or of the one that there was no memory for. */
    private int slots;
    /** Canvases stop where memory ends. */
    private boolean stopping;
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
        light = parameters.evensLight() && !blind ? new Light(source, field, parameters.threads(), times) : null;
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

    /** The light of the scope; null if it is left as it is. */
    Light light() {
        return light;
    }

    private PanoramaCanvas canvas(int part) {
        PanoramaCanvas canvas = canvases.get(part);
        if (canvas == null) {
            canvas = new PanoramaCanvas(backEnd.context(), source.type(), parameters.painting(), field.bounds(),
                    parameters.maxCanvas());
            if (stopping) {
                canvas.stopWhereMemoryEnds();
            }
            canvases.put(part, canvas);
        }
        return canvas;
    }

    /** Why nothing more is painted in a part; null while there is room in all. */
    String full() {
        if (blends != null) {
            return fullBlend();
        }
        for (PanoramaCanvas canvas : canvases.values()) {
            if (canvas.full() != null) {
                return canvas.full();
            }
        }
        return null;
    }

    private String fullBlend() {
        for (BlendCanvas blend : blends.values()) {
            if (blend.full() != null) {
                return blend.full();
            }
        }
        return null;
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
                FramesOptions options = field.options(source.type(), slots);
                options.rim = parameters.rim();
                options.iir = parameters.iir();
                options.highlights = parameters.highlights();
                options.refineWithoutHighlights = parameters.refines();
                parameters.setEnhance(options);
                options.flow = parameters.register().initial == RegisterOptions.FLOW;
                return new FrameStore(backEnd.context(), source, options, times, light);
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
            progress.log(e.getMessage() + " again; not painted");
        }
    }

    private void paint(List<PanoramaCanvas.Item> items) {
        if (blind) {
            return;
        }
        long start = System.nanoTime();
        for (int from = 0, to; from < items.size(); from = to) {
            int part = items.get(from).part;
            for (to = from + 1; to < items.size() && items.get(to).part == part; to++) {
                continue;
            }
            if (blends != null) {
                blends.get(part).add(store.frames(), items.subList(from, to));
            } else {
                canvas(part).paint(store.frames(), items.subList(from, to));
            }
        }
        times.paint += RunTimes.since(start);
        if (full() != null) {
            progress.logOnce(full());
        }
    }

    /** A part of the panorama as it is; null if nothing of it was painted. */
    Panorama snapshot(int part) {
        long start = System.nanoTime();
        try {
            if (blends != null) {
                return blends.containsKey(part) ? blends.get(part).snapshot() : null;
            }
            return canvases.containsKey(part) ? canvases.get(part).snapshot() : null;
        } finally {
            times.panorama += RunTimes.since(start);
        }
    }

    /** Paints on empty canvases from here on, but for those that are kept; what was there can be had back. */
    Map<Integer, PanoramaCanvas> startOver(Set<Integer> kept) {
        Map<Integer, PanoramaCanvas> before = canvases;
        canvases = new TreeMap<Integer, PanoramaCanvas>(before);
        canvases.keySet().retainAll(kept);
        return before;
    }

    /** Closes the canvases of before in whose places there are others now, or none. */
    void keepNew(Map<Integer, PanoramaCanvas> before) {
        before.values().removeAll(canvases.values());
        closeAll(before);
    }

    /** Takes the canvases of before in place of those that are there. */
    void takeBack(Map<Integer, PanoramaCanvas> before) {
        canvases.values().removeAll(before.values());
        closeAll(canvases);
        canvases = before;
    }

    static void closeAll(Map<Integer, PanoramaCanvas> canvases) {
        for (PanoramaCanvas canvas : canvases.values()) {
            canvas.close();
        }
    }

    /**
     * From here on what is painted is blended: everything twice, in the same order.
     *
     * @param items all of it, part after part
     * @param weights of the frames, by their number
     */
    void startBlends(List<PanoramaCanvas.Item> items, int[] weights) {
        blends = new TreeMap<Integer, BlendCanvas>();
        for (int from = 0, to; from < items.size(); from = to) {
            int part = items.get(from).part;
            for (to = from + 1; to < items.size() && items.get(to).part == part; to++) {
                continue;
            }
            blends.put(part, new BlendCanvas(backEnd.context(), source, parameters, field.bounds(),
                    items.subList(from, to), light, weights));
        }
    }

    /** Between the two times. */
    void endSurvey() {
        for (BlendCanvas blend : blends.values()) {
            blend.nextPass();
        }
    }

    /** Back to what was painted before. */
    void dropBlends() {
        if (blends == null) {
            return;
        }
        for (BlendCanvas blend : blends.values()) {
            blend.close();
        }
        blends = null;
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
        } else if (memory && store != null && !stopping) {
            stopping = true;
            for (PanoramaCanvas canvas : canvases.values()) {
                canvas.stopWhereMemoryEnds();
            }
            return true;
        } else {
            return false;
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
        Map<Integer, Panorama> done = new TreeMap<Integer, Panorama>();
        boolean known = !faults.canvasLost;
        try {
            for (Map.Entry<Integer, PanoramaCanvas> entry : canvases.entrySet()) {
                done.put(entry.getKey(), known ? entry.getValue().snapshot() : null);
            }
        } catch (EndoramaException | OutOfMemoryError lost) {
            known = false;
        }
        String failed = backEnd.name();
        dropBlends();
        Map<Integer, PanoramaCanvas> old = canvases;
        backEnd.replace();
        canvases = new TreeMap<Integer, PanoramaCanvas>();
        boolean taken = known;
        for (Map.Entry<Integer, PanoramaCanvas> entry : old.entrySet()) {
            PanoramaCanvas canvas = new PanoramaCanvas(backEnd.context(), entry.getValue());
            canvases.put(entry.getKey(), canvas);
            taken = taken && canvas.takeOver(entry.getValue(), done.get(entry.getKey()));
        }
        closeAll(old);
        closeStore();
        store = shrinking(slotsWanted());
        if (!taken) {
            paintAgain(stage.painted());
        }
        progress.log("backend " + failed + " failed at " + stage.where() + ": " + e.getMessage()
                + "; the CPU goes on, nothing is lost" + (taken ? "" : "; what was painted is painted again"));
    }

    private void paintAgain(List<PanoramaCanvas.Item> painted) {
        closeAll(canvases);
        canvases.clear();
        waiting.clear();
        waiting.addAll(painted);
    }

    @Override
    public void close() {
        dropBlends();
        closeAll(canvases);
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
