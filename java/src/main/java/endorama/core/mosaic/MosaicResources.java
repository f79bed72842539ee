package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.common.RunTimes;
import endorama.core.engine.BackEnd;
import endorama.core.engine.FieldOfView;
import endorama.core.engine.FrameSession;
import endorama.core.engine.FrameStore;
import endorama.core.engine.Onlooker;
import endorama.core.engine.Onlookers;
import endorama.core.engine.PlacedFrame;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.KeptFrames;
import endorama.core.options.MosaicParameters;
import endorama.core.paint.Canvases;
import endorama.core.paint.Light;
import endorama.core.paint.MosaicFaults;
import endorama.core.paint.Panorama;
import endorama.core.paint.Sharpness;
import endorama.core.pairs.Spectra;
import endorama.jni.EndoramaException;
import endorama.jni.FramesOptions;
import endorama.jni.NativeFrames;
import endorama.jni.RegisterOptions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a run works with: back end, field of view, frame store and canvas, and what becomes of them when something fails.
 *
 * <p>Where the CPU goes on for a device ({@link FrameSession}), it does with what the device had painted, or, if that cannot
 * be read any more, by painting the registered frames again.
 */
final class MosaicResources implements AutoCloseable {
    private final FrameSource source;
    private final MosaicParameters parameters;
    private final LoggedProgress progress;
    private final MosaicFaults faults;
    private final RunTimes times;
    private final PaintQueue queue;
    private final FrameSession session;
    private final StoreSizes sizes;
    private boolean matches = true;
    private FieldOfView field;
    /** What sees every frame that is read; null: nothing does. */
    private Onlookers onlookers;
    /** One of them; null: the light stays as it is. */
    private Light light;
    /** Another; null where nothing is blended. */
    private Sharpness sharpness;
    private Spectra spectra;
    /** What is painted. */
    private Canvases canvases;
    /** Nobody wants a picture. */
    private boolean blind;

    /** Opens a back end; the rest follows with {@link #open}. */
    MosaicResources(FrameSource frames, MosaicParameters parameters, LoggedProgress progress, MosaicFaults faults,
            RunTimes times) throws FrameReadException {
        source = readsTwice(parameters) ? new KeptFrames(frames) : frames;
        this.parameters = parameters;
        this.progress = progress;
        this.faults = faults;
        this.times = times;
        queue = new PaintQueue(source, this, progress);
        session = new FrameSession(source, parameters, source.count(), progress);
        sizes = new StoreSizes(source, parameters.devices().size());
    }

    /** Looks for the field of view, and makes store and canvas. */
    void open() throws FrameReadException {
        long start = System.nanoTime();
        session.persist(() -> field = FieldOfView.forMatching(backEnd().context(), source, parameters, progress));
        times.field = RunTimes.since(start);
        field.checkTemplate(parameters.register().template);
        openRest();
    }

    /** The same for frames that are painted alone. */
    void openForPainting() throws FrameReadException {
        matches = false;
        session.persist(() -> field = FieldOfView.find(backEnd().context(), source, parameters, progress));
        openRest();
    }

    private void openRest() {
        canvases = new Canvases(backEnd(), source, parameters, field, faults);
        light = parameters.evensLight() && !blind ? new Light(source, field, parameters.threads(), times) : null;
        sharpness = parameters.blends() && !blind ? new Sharpness(source) : null;
        List<Onlooker> all = Stream.<Onlooker>of(light, sharpness).filter(Objects::nonNull).collect(Collectors.toList());
        if (!all.isEmpty()) {
            onlookers = new Onlookers(source, all, processors(), times);
        }
        session.open(() -> sizes.slots(onDevice()), () -> StoreSizes.LEAST_SLOTS, this::keptWanted,
                (context, slots, kept) -> new FrameStore(context, source, options(slots + kept), slots, times, onlookers));
    }

    /** Nothing is painted. */
    void paintNothing() {
        blind = true;
    }

    /** Nobody looks at what is painted along the chain: where it is painted anew in the end, it can wait. */
    void deferPainting() {
        if (parameters.blends()) {
            queue.defer();
        }
    }

    BackEnd backEnd() {
        return session.backEnd();
    }

    FieldOfView field() {
        return field;
    }

    FrameStore store() {
        return session.store();
    }

    /** One where the system has not as many threads as were asked for: OpenMP ends the process if it lacks one of its own. */
    private int processors() {
        if (!backEnd().context().note().isEmpty()) {
            return 1;
        }
        return parameters.threads() > 0 ? parameters.threads() : Runtime.getRuntime().availableProcessors();
    }

    /** Until everything that was read has been seen by what looks at frames. */
    void awaitOnlookers() {
        if (onlookers != null) {
            onlookers.await();
        }
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
        store().settle();
        if (spectra == null) {
            spectra = new Spectra(backEnd().context(), source, field, asked(), progress);
        }
        return spectra;
    }

    /** How frames are registered that were found by their spectra; null: nothing is asked of them, as in the paper. */
    private RegisterOptions asked() {
        RegisterOptions options = parameters.register().copy();
        options.quality = true;
        return parameters.refines() ? options : null;
    }

    /** Frames that are registered, in order; painted with {@link #paintWaiting}. */
    List<PlacedFrame> waiting() {
        return queue.waiting();
    }

    /**
     * The next frames, from first to before end, will be wanted after those that are registered next: to a device they
     * go beside its work. A processor has no time to spare.
     */
    void expect(int first, int end) {
        if (takesAhead()) {
            store().expect(first, end);
        }
    }

    private boolean takesAhead() {
        return onDevice() || faults.ahead;
    }

    /** A device computes. */
    boolean onDevice() {
        return backEnd().name().equals("cuda");
    }

    /** Frames of the first chunk. */
    int firstChunk() {
        return Math.min(largestChunk(), sizes.firstChunk(onDevice()));
    }

    int largestChunk() {
        return StoreSizes.chunk(store().capacity());
    }

    /** Pairs that are registered in a call at most. */
    int pairsAStep() {
        return StoreSizes.pairsAStep(onDevice());
    }

    // ----------------------------------------------------------------- stores

    /** Beside the slots: the next chunk, and frames that are read again for places that were solved for. */
    private int keptWanted() {
        return sizes.kept(onDevice(), takesAhead(), readsTwice(parameters));
    }

    /** Frames are asked for again when their places are solved for, or as often as they are blended. */
    private static boolean readsTwice(MosaicParameters parameters) {
        return parameters.solveGlobally() || parameters.blends();
    }

    /** Memory could be had by reading frames again instead of keeping them: {@link #recover}. */
    boolean keepsFrames() {
        return session.keepsFrames();
    }

    /** No frame has to leave the store. */
    boolean keepsAll() {
        return session.holds(source.count());
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

    // --------------------------------------------------------------- painting

    /**
     * Paints what waits, as many frames at once as the store holds; up to there if the run is cancelled. After a failure
     * they are read again.
     *
     * @param held frames that stay in the store
     */
    void paintWaiting(int... held) {
        if (parameters.paints()) {
            queue.paint(held);
        } else {
            queue.clear();
            store().keepOnly(held);
        }
    }

    /** Paints what could wait until now. */
    void paintDeferred() {
        queue.paintDeferred();
    }

    /** After a failure that ends the run: what waits for somebody to look is painted by the CPU. */
    void rescueDeferred() {
        if (queue.hasDeferred()) {
            canvases.clear();
            session.replace();
            canvases.move(canvases.copies());
            queue.paintDeferred();
        }
    }

    /**
     * What frames are read for from now on, where they do not stay to serve for more; on a device they may, and cost little
     * there.
     */
    void askStoreFor(int uses) {
        boolean stay = onDevice() || store().capacity() >= source.count();
        store().askFor(stay ? NativeFrames.ANY_USE : uses);
    }

    /** Reads a frame for painting, if it can be read. */
    void add(PlacedFrame item, List<PlacedFrame> items) {
        try {
            items.add(new PlacedFrame(item.frame, store().ask(item.frame), item.transform, item.part));
        } catch (FrameReadException e) {
            if (matches) {
                progress.log(e.getMessage() + " again; not painted");
            } else {
                progress.lostOnce(e.getMessage() + "; skipped");
            }
        }
    }

    void paint(List<PlacedFrame> items) {
        if (blind) {
            return;
        }
        long start = System.nanoTime();
        canvases.paint(store().frames(), items);
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
        if (!canvases.isBlending()) {
            queue.paintDeferred();
        }
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
        close(spectra);
        spectra = null;
        if (session.recover(e, stage.where(), moving(stage))) {
            return move(stage);
        }
        return e.status() == EndoramaException.Status.MEMORY && session.hasStore() && canvases.stopWhereMemoryEnds();
    }

    /** What was painted goes along, or is painted again. */
    private FrameSession.Lodger moving(Stage stage) {
        return new FrameSession.Lodger() {
            private Map<Integer, Panorama> copies;

            @Override
            public void leave() {
                copies = faults.canvasLost ? null : canvases.copies();
                canvases.dropBand();
            }

            @Override
            public String enter() {
                if (canvases.move(copies)) {
                    return "";
                }
                canvases.clear();
                queue.beginAnew(stage.painted());
                return "; what was painted is painted again";
            }
        };
    }

    private boolean move(Stage stage) {
        int[] held = stage.held();
        int[] places = new int[held.length];
        for (int i = 0; i < held.length; i++) {
            try {
                places[i] = held[i] < 0 ? -1 : store().read(held[i]);
            } catch (FrameReadException e) {
                progress.log(e.getMessage() + " again; nothing can follow it");
                return false;
            }
        }
        stage.moveTo(store().frames(), places, backEnd().name());
        return true;
    }

    @Override
    public void close() {
        close(canvases);
        close(spectra);
        close(onlookers);
        close(light);
        close(session);
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
