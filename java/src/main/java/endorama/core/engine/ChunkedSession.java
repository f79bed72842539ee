package endorama.core.engine;

import endorama.core.common.Progress;
import endorama.core.common.RunTimes;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.options.MosaicParameters;
import endorama.jni.EndoramaException;
import endorama.jni.FramesOptions;
import endorama.jni.NativeContext;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Goes through a sequence in chunks of frames that are read into the native store and aligned with one call a chunk.
 * Memory does not depend on the number of frames. Runs on the caller's thread, once.
 */
public abstract class ChunkedSession {
    /** Pixels of frames a chunk holds at most. */
    private static final int CHUNK_PIXELS = 32000000;
    private static final int LARGEST_CHUNK = 256;
    /** Frames that a chunk's first one may be compared with: the last aligned one, and the one before. */
    private static final int KEPT = 2;
    /** Time a chunk should take, so that a cancel is answered soon. */
    private static final double CHUNK_SECONDS = 0.1;

    private final FrameSource source;
    private final MosaicParameters parameters;
    private final Progress progress;
    private final Set<Integer> unreadable = new HashSet<Integer>();
    private FrameSession session;
    private String backends;
    private int chunk;

    /** For frames of a source; of the parameters back end and threads. */
    protected ChunkedSession(FrameSource source, MosaicParameters parameters, Progress progress) {
        this.source = source;
        this.parameters = parameters;
        this.progress = progress;
    }

    /** Called once the back end is there, before anything is stored. */
    protected abstract void prepare(NativeContext context) throws FrameReadException;

    /** Options of a store of so many slots. */
    protected abstract FramesOptions frames(int capacity);

    /** Pixels of frames that the first chunk holds, whose time nobody knows. */
    protected abstract int firstPixels();

    /** Frames to go through; the source may have others behind them. */
    protected abstract int count();

    /** Number of the next frame. */
    protected abstract int next();

    /** The frame that every other one is compared with; negative: none. */
    protected abstract int fixed();

    /**
     * Aligns the next frames, up to one; {@link #isUnreadable} tells those that the store does not have.
     *
     * @param readable those that it has
     * @param name of the back end
     */
    protected abstract void align(FrameStore frames, List<Integer> readable, int end, String name)
            throws FrameReadException;

    /** Frames that later ones may be compared with; -1 for none. */
    protected abstract int[] needed();

    /** Runs to the end, or to where it is cancelled or fails; what ended it early, or null. */
    protected final RuntimeException go() throws FrameReadException {
        try (FrameSession opened = new FrameSession(source, parameters, count(), progress)) {
            session = opened;
            session.persist(() -> prepare(session.backEnd().context()));
            session.open(this::wanted, () -> KEPT + 1, (context, slots) -> new FrameStore(context, source, frames(slots)));
            chunk = (int) Math.max(1, Math.min(largest(), firstPixels() / area()));
            RuntimeException failure = loop();
            backends = session.backEnd().description();
            return failure;
        }
    }

    /** What computed, for people. */
    protected final String backends() {
        return backends;
    }

    protected final boolean isUnreadable(int frame) {
        return unreadable.contains(frame);
    }

    // ----------------------------------------------------------------- stores

    private long area() {
        return Math.max(1, (long) source.width() * source.height());
    }

    private int wanted() {
        return KEPT + (int) Math.max(1, Math.min(LARGEST_CHUNK, Math.min(count(), CHUNK_PIXELS / area())));
    }

    private int largest() {
        return session.store().capacity() - KEPT;
    }

    // --------------------------------------------------------------- the loop

    private RuntimeException loop() throws FrameReadException {
        boolean[] goesOn = {true};
        while (goesOn[0] && next() < count() && !progress.cancelled()) {
            try {
                session.persist(() -> goesOn[0] = step());
                progress.progress(next(), count());
            } catch (EndoramaException e) {
                progress.log("stopped at " + Frames.range(next(), next()) + ": " + e.getMessage());
                return e;
            } catch (FrameReadException e) {
                if (next() == 0) {
                    throw e;
                }
                // It could be read before: what is known up to here stays.
                return new UncheckedIOException(e);
            }
        }
        return null;
    }

    /** One chunk: read, align. False if it was cancelled before anything was aligned. */
    private boolean step() throws FrameReadException {
        FrameStore store = session.store();
        chunk = Math.min(chunk, largest());
        int first = next();
        int end = Math.min(count(), first + chunk);
        if (fixed() >= 0) {
            store.read(fixed());
        }
        List<Integer> readable = read(store, end);
        if (readable == null) {
            return false;
        }
        long start = System.nanoTime();
        align(store, readable, end, session.backEnd().name());
        store.keepOnly(needed());
        double wanted = CHUNK_SECONDS / Math.max(1e-6, RunTimes.since(start) / (end - first));
        chunk = (int) Math.max(1, Math.min(largest(), Math.min(2.0 * chunk, wanted)));
        return true;
    }

    /** Reads up to a frame, and returns those that could be read; null if it was cancelled. */
    private List<Integer> read(FrameStore store, int end) {
        List<Integer> frames = new ArrayList<Integer>();
        for (int frame = next(); frame < end; frame++) {
            if (progress.cancelled()) {
                return null;
            }
            try {
                store.ask(frame);
                frames.add(frame);
            } catch (FrameReadException e) {
                if (unreadable.add(frame)) {
                    progress.log(e.getMessage() + "; skipped");
                }
            }
        }
        return frames;
    }
}
