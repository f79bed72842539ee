package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.engine.BackEnd;
import endorama.core.engine.LentFrames;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.options.MosaicParameters;
import endorama.core.paint.Panorama;
import endorama.jni.EndoramaException;
import endorama.jni.MosaicOptions;
import endorama.jni.NativeLive;
import endorama.jni.NativeMosaic;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The library's mosaic run over a Java sequence, with a Java progress. Makes no decisions. */
final class Engine extends LentFrames {
    /** System property: bytes that the library may take for frames and panoramas. */
    static final String MEMORY = "endorama.memory";
    /** Share of Java's remaining memory that the library may take for frames and panoramas, in fifths. */
    private static final int MEMORY_FIFTHS = 4;
    private static final long LEAST_MEMORY = 1 << 20;
    /** Stages of a run for its progress, each with a step a frame. */
    private static final int STAGES = 3;
    /** Steps of the progress where the number of frames is not known. */
    private static final int LIVE_STEPS = 1000;

    private final MosaicOptions options;
    private final LoggedProgress progress;
    private final MosaicListener listener;
    /** Null before the end of a live run. */
    private NativeMosaic mosaic;
    /** Null if the frames are all there. */
    private final NativeLive live;
    private final List<String> warnings = new ArrayList<String>();
    private final List<NativeMosaic.Event> events = new ArrayList<NativeMosaic.Event>();
    private boolean appliesOnly;
    private String full;

    /** An engine over a source (null: no frames are read), with a listener to the growing panorama. */
    Engine(FrameSource source, MosaicParameters parameters, LoggedProgress progress, MosaicListener listener) {
        super(source, null, progress, source == null ? 1 : STAGES * source.count());
        this.progress = progress;
        this.listener = listener;
        options = options(parameters);
        if (source != null && parameters.field() == MosaicParameters.Field.SELECTION) {
            checkSelection(source, parameters.selection());
        }
        live = null;
        mosaic = NativeMosaic.create(options, this, listener != MosaicListener.NONE);
        warn();
    }

    /** An engine for frames that come one by one; those that are kept are added to the source by the caller. */
    Engine(KeptFrames kept, MosaicParameters parameters, LoggedProgress progress) {
        super(kept, null, progress, LIVE_STEPS);
        this.progress = progress;
        this.listener = MosaicListener.NONE;
        options = options(parameters);
        if (parameters.field() == MosaicParameters.Field.SELECTION) {
            checkSelection(kept, parameters.selection());
        }
        live = NativeLive.create(options, this, parameters.step(), parameters.view(), parameters.loops());
    }

    /** Marks transforms as given: warnings about their shape, and frames without one, are not logged. */
    Engine applying() {
        appliesOnly = true;
        return this;
    }

    // ---------------------------------------------------------------- options

    private static void checkSelection(FrameSource source, byte[] mask) {
        if (mask == null) {
            throw new IllegalArgumentException("field Selection: there is no selection; make one, or use Auto"
                    + " or Whole");
        }
        if (mask.length != source.width() * source.height()) {
            throw new IllegalArgumentException("field Selection: the mask has " + mask.length
                    + " pixels, the frames have " + source.width() + " x " + source.height());
        }
        if (Arrays.equals(mask, new byte[mask.length])) {
            throw new IllegalArgumentException("field Selection: the selection holds no pixel");
        }
    }

    private static MosaicOptions options(MosaicParameters p) {
        MosaicOptions o = new MosaicOptions();
        o.context = BackEnd.options(p);
        o.pairs = p.register();
        o.field = p.field().ordinal();
        o.mask = p.selection();
        o.pattern = p.pattern();
        o.iir = p.iir();
        o.highlights = p.highlights();
        o.enhance = p.enhances();
        o.solve = p.solveGlobally();
        o.lens = p.lens();
        o.painting = p.blends() ? MosaicOptions.BLEND : p.painting();
        o.picture = p.paints();
        o.light = p.evensLight();
        o.leaveOut = p.leavesOut();
        o.relief = p.followsRelief();
        o.interpolation = p.interpolation();
        o.scale = p.scale();
        o.extras = (p.wantsCoverage() ? MosaicOptions.COVERAGE : 0) + (p.wantsUncertainty() ? MosaicOptions.UNCERTAINTY : 0);
        o.rim = p.rim();
        o.maxCanvas = p.maxCanvas();
        o.memory = memory();
        o.scratch = p.scratch() == null ? null : p.scratch().getPath();
        return o;
    }

    /** The memory of the library, by Java's remaining heap: a panorama that comes back as a picture has to fit there too. */
    private static long memory() {
        Runtime runtime = Runtime.getRuntime();
        long free = runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory();
        return Math.max(LEAST_MEMORY, Long.getLong(MEMORY, free / 5 * MEMORY_FIFTHS));
    }

    // ------------------------------------------------------------------- runs

    NativeMosaic mosaic() {
        return mosaic;
    }

    NativeLive live() {
        return live;
    }

    /** Ends a live run and makes its mosaic, which stays null if there are too few frames; returns as {@link #run}. */
    RuntimeException finish() throws FrameReadException {
        return run(none -> {
            NativeLive.Finished finished = live.finish();
            mosaic = finished.mosaic;
            if (finished.ended != null) {
                throw finished.ended;
            }
        });
    }

    /** One call of the library. */
    interface Work {
        void run(NativeMosaic mosaic);
    }

    NativeMosaic.Sequence sequence() {
        return sequence(source);
    }

    /**
     * Runs the call, until it is cancelled or fails.
     *
     * @return what ended it early, an {@link EndoramaException} of the status CANCELLED among it; null if nothing did
     * @throws FrameReadException if no frame can be read
     * @throws IllegalArgumentException if an option does not go with the sequence
     * @throws EndoramaException if nothing could begin
     */
    RuntimeException run(Work work) throws FrameReadException {
        try {
            work.run(mosaic);
            return null;
        } catch (EndoramaException e) {
            if (e.status() == EndoramaException.Status.ARGUMENT && isUnreadable()) {
                throw unreadable(e);
            }
            if (e.status() == EndoramaException.Status.ARGUMENT) {
                throw new IllegalArgumentException(e.getMessage(), e);
            }
            if (e.status() != EndoramaException.Status.CANCELLED && (mosaic == null || mosaic.frames().size == 0)) {
                throw e;
            }
            return isOfScratch(e) ? new UncheckedIOException(new IOException(e.getMessage() + "; the transforms are complete", e))
                    : e;
        }
    }

    /** The error is that of the scratch folder's disk, not of memory. */
    private boolean isOfScratch(EndoramaException e) {
        return options.scratch != null && e.getMessage().contains(options.scratch);
    }

    /** The run was cancelled. */
    static boolean isCancel(RuntimeException ended) {
        return ended instanceof EndoramaException
                && ((EndoramaException) ended).status() == EndoramaException.Status.CANCELLED;
    }

    /** The panorama of every connected component, the largest first; null where none of it is painted. */
    List<Panorama> panoramas() {
        List<Panorama> panoramas = new ArrayList<Panorama>();
        for (int component = 1; component <= mosaic.components(); component++) {
            panoramas.add(Panorama.of(mosaic, component, source.type()));
        }
        return panoramas;
    }

    /** Warnings about the result as a whole, in the order in which to solve them. */
    List<String> warnings() {
        return warnings;
    }

    /** Events of the run so far, in order. */
    List<NativeMosaic.Event> events() {
        return events;
    }

    /** Why not all frames could be painted; null if all could. */
    String full() {
        return full;
    }

    void close() {
        if (mosaic != null) {
            mosaic.close();
        }
        if (live != null) {
            live.close();
        }
    }

    // ------------------------------------------------------ asked by the library

    @Override
    public void event(NativeMosaic.Event event) {
        if (event.kind == NativeMosaic.FULL && event.level == NativeMosaic.LOG) {
            full = event.text;
        }
        if (appliesOnly && (event.level == NativeMosaic.WARNING || event.kind == NativeMosaic.LEFT_OUT)) {
            return;
        }
        if (event.level == NativeMosaic.WARNING) {
            warnings.add(event.text);
        }
        events.add(event);
        super.event(event);
    }

    @Override
    public void painted(int canvas) {
        listener.panorama(() -> {
            mosaic.snapshot(canvas);
            return Panorama.of(mosaic, 0, source.type());
        });
    }
}
