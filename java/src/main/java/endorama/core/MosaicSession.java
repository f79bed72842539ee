package endorama.core;

import endorama.jni.EndoramaException;
import endorama.jni.FramesOptions;
import endorama.jni.NativeContext;
import endorama.jni.RegisterOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * One run over a sequence: frames are read chunk by chunk into the native store, registered with one call a
 * chunk, chained, and painted onto a growing canvas. Memory does not depend on the length of the sequence. Runs
 * on the caller's thread, once.
 */
public final class MosaicSession {
    /** Pixels of frames a chunk holds at most. */
    private static final int CHUNK_PIXELS = 16000000;
    /** The same for the first chunk, whose time nobody knows. */
    private static final int FIRST_PIXELS = 2000000;
    /** Time a chunk should take, so that a cancel is answered soon. */
    private static final double CHUNK_SECONDS = 0.1;

    private final FrameSource source;
    private final MosaicParameters parameters;
    private final Progress progress;
    private final MosaicListener listener;
    private final List<String> log = new ArrayList<String>();
    private final int largest;
    private int chunk;
    private int next;

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
        long area = Math.max(1, (long) source.width() * source.height());
        largest = (int) Math.max(1, Math.min(256, Math.min(source.count(), CHUNK_PIXELS / area)));
        chunk = (int) Math.max(1, Math.min(largest, FIRST_PIXELS / area));
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
        try (NativeContext context = parameters.open()) {
            FieldOfView field = FieldOfView.find(source, parameters, progress);
            RegisterOptions register = parameters.register();
            field.checkTemplate(register.template);
            try (FrameStore store = store(context, field);
                    PanoramaCanvas canvas = new PanoramaCanvas(context, source.type(), parameters.painting(),
                            field.bounds(), parameters.maxCanvas())) {
                FrameChain chain = new FrameChain(source, store.frames(), register, context.description(), progress);
                RuntimeException failure = loop(chain, store, canvas);
                return finish(chain, canvas, field, context.description(), start, failure);
            }
        }
    }

    private FrameStore store(NativeContext context, FieldOfView field) {
        FramesOptions options = field.options(source.type(), largest + 1);
        options.rim = parameters.rim();
        options.iir = parameters.iir();
        options.highlights = parameters.highlights();
        options.flow = parameters.register().flow;
        return new FrameStore(context, source, options);
    }

    private RuntimeException loop(FrameChain chain, FrameStore store, PanoramaCanvas canvas) {
        try {
            while (next < source.count() && !chain.ended() && !progress.cancelled()) {
                if (!step(chain, store, canvas)) {
                    break;
                }
                progress.progress(next, source.count());
            }
            if (chain.ended()) {
                chain.skipRest();
                progress.progress(source.count(), source.count());
            }
        } catch (EndoramaException e) {
            progress.log("stopped at " + Frames.range(next, next) + ": " + e.getMessage());
            return e;
        }
        return null;
    }

    /** One chunk: read, register, paint. False if it was cancelled before anything was registered. */
    private boolean step(FrameChain chain, FrameStore store, final PanoramaCanvas canvas) {
        List<Integer> slots = read(store);
        if (slots == null) {
            return false;
        }
        long start = System.nanoTime();
        List<PanoramaCanvas.Item> items = chain.add(next, slots);
        next += slots.size();
        boolean room = canvas.full() == null;
        canvas.paint(store.frames(), items);
        if (room && canvas.full() != null) {
            progress.log(canvas.full());
        }
        store.keepOnly(chain.lastGood());
        adapt((System.nanoTime() - start) / 1e9 / slots.size());
        if (!items.isEmpty() && room) {
            listener.panorama(new Supplier<Panorama>() {
                @Override
                public Panorama get() {
                    return canvas.snapshot();
                }
            });
        }
        return true;
    }

    private List<Integer> read(FrameStore store) {
        List<Integer> slots = new ArrayList<Integer>();
        for (int frame = next; frame < source.count() && slots.size() < chunk; frame++) {
            if (progress.cancelled()) {
                return null;
            }
            try {
                slots.add(store.read(frame));
            } catch (FrameReadException e) {
                progress.log(e.getMessage() + "; skipped");
                slots.add(-1);
            }
        }
        return slots;
    }

    private void adapt(double secondsPerFrame) {
        double wanted = CHUNK_SECONDS / Math.max(1e-6, secondsPerFrame);
        chunk = (int) Math.max(1, Math.min(largest, Math.min(2.0 * chunk, wanted)));
    }

    private MosaicResult finish(FrameChain chain, PanoramaCanvas canvas, FieldOfView field, String backend,
            long start, RuntimeException failure) {
        chain.finish();
        Panorama panorama = null;
        RuntimeException problem = failure;
        try {
            panorama = canvas.snapshot();
        } catch (EndoramaException e) {
            problem = problem == null ? e : problem;
        } catch (OutOfMemoryError e) {
            problem = new EndoramaException(EndoramaException.Status.MEMORY, "Java's memory does not hold the"
                    + " panorama; the transforms are complete: start Java with more memory (-Xmx) or set"
                    + " max_canvas", e);
        }
        boolean cancelled = next < source.count() && !chain.ended() && failure == null;
        return new MosaicResult(panorama, chain.rows(), field, log, backend, (System.nanoTime() - start) / 1e9,
                cancelled, problem);
    }
}
