package endorama.core;

import endorama.jni.EndoramaException;
import endorama.jni.ExposureOptions;
import endorama.jni.FramesOptions;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds the shifts between differently exposed frames: chunks of frames are read into the native store and aligned
 * with one call a chunk. Memory does not depend on the number of frames. Runs on the caller's thread, once.
 *
 * <p>Where memory ends, chunks get smaller; where a device fails that Auto had chosen, the CPU goes on.
 */
public final class ExposureSession {
    /** Pixels of frames a chunk holds at most, and the first one, whose time nobody knows. */
    private static final int CHUNK_PIXELS = 32000000;
    private static final int FIRST_PIXELS = 4000000;
    private static final int LARGEST_CHUNK = 256;
    /** Frames that a chunk's first one may be compared with: the last aligned one, and the one before. */
    private static final int KEPT = 2;
    /** Time a chunk should take, so that a cancel is answered soon. */
    private static final double CHUNK_SECONDS = 0.1;

    private final FrameSource source;
    private final ExposureParameters parameters;
    private final ExposureOptions options;
    private final Progress progress;
    private final Set<Integer> unreadable = new HashSet<Integer>();
    private BackEnd backEnd;
    private FieldOfView field;
    private FrameStore store;
    private ExposureChain chain;
    private int fixed;
    private int chunk;
    /** Of the store, or of the one that there was no memory for. */
    private int slots;

    /** A run that reports to progress (which may be {@link Progress#NONE}). */
    public ExposureSession(FrameSource source, ExposureParameters parameters, Progress progress) {
        this.source = StretchedFrames.of(source);
        this.parameters = parameters;
        this.options = parameters.options();
        this.progress = progress;
    }

    /**
     * Runs to the end, or to where it is cancelled or fails; what was done until then is in the result.
     *
     * @throws FrameReadException if the sequence as a whole, or the frame that all are compared with, cannot be used
     * @throws EndoramaException if the library or the device cannot start
     * @throws IllegalArgumentException if an option does not go with these frames
     */
    public ExposureResult run() throws FrameReadException {
        Frames.checkSequence(source);
        long start = System.nanoTime();
        fixed = parameters.reference(source.count());
        try (BackEnd opened = BackEnd.open(source, parameters.common(), source.count(), progress);
                ExposurePath path = path()) {
            backEnd = opened;
            findField();
            chain = new ExposureChain(fixed, path);
            openStore(wanted());
            chunk = (int) Math.max(1, Math.min(largest(), FIRST_PIXELS / area()));
            RuntimeException failure = loop();
            boolean cancelled = failure == null && chain.next() < source.count();
            ExposureResult result = new ExposureResult(chain.rows(), field, backEnd.description(),
                    RunTimes.since(start), cancelled, failure);
            if (!result.complete() && result.registered() > 1 && !cancelled && failure == null) {
                progress.lost("not every frame is aligned: " + result.summary());
            }
            return result;
        } finally {
            closeStore();
        }
    }

    private ExposurePath path() {
        if (parameters.kalman() && parameters.period() > 0) {
            return new KalmanPath(parameters.period(), !options.subpixel);
        }
        if (parameters.kalman()) {
            progress.log("kalman: period is 0, a single bracket, in which there is no motion to follow; not used");
        }
        return new ExposurePath();
    }

    /** An endoscope's circle does not move with the scene; any other frame counts as a whole. */
    private void findField() throws FrameReadException {
        field = FieldOfView.find(backEnd.context(), source, parameters.common(), progress);
        if (!field.isCircle()) {
            MosaicParameters whole = MosaicParameters.defaults().with("field", "Whole");
            field = FieldOfView.find(backEnd.context(), source, whole, progress);
        }
    }

    // ----------------------------------------------------------------- stores

    private long area() {
        return Math.max(1, (long) source.width() * source.height());
    }

    private int wanted() {
        return KEPT + (int) Math.max(1, Math.min(LARGEST_CHUNK, Math.min(source.count(), CHUNK_PIXELS / area())));
    }

    private int largest() {
        return store.capacity() - KEPT;
    }

    /** A store of so many slots, or of as many as there is memory for. */
    private void openStore(int n) {
        for (slots = n; store == null;) {
            try {
                FramesOptions frames = field.options(source.type(), slots);
                frames.flow = false;
                frames.keepPixels = false;
                store = new FrameStore(backEnd.context(), source, frames);
            } catch (EndoramaException e) {
                if (!recover(e)) {
                    throw e;
                }
            }
        }
    }

    private void closeStore() {
        if (store != null) {
            store.close();
            store = null;
        }
    }

    // --------------------------------------------------------------- the loop

    /** Goes through the frames; what ended it early, or null. */
    private RuntimeException loop() throws FrameReadException {
        while (chain.next() < source.count() && !progress.cancelled()) {
            try {
                if (store == null) {
                    openStore(slots);
                    chunk = Math.min(chunk, largest());
                }
                if (!step()) {
                    return null;
                }
                progress.progress(chain.next(), source.count());
            } catch (EndoramaException e) {
                if (!recover(e)) {
                    progress.log("stopped at " + Frames.range(chain.next(), chain.next()) + ": " + e.getMessage());
                    return e;
                }
            } catch (FrameReadException e) {
                if (chain.next() == 0) {
                    throw e;
                }
                // It could be read before: what is known up to here stays.
                return new UncheckedIOException(e);
            }
        }
        return null;
    }

    /** One chunk: read, align, chain. False if it was cancelled before anything was aligned. */
    private boolean step() throws FrameReadException {
        int end = Math.min(source.count(), chain.next() + chunk);
        if (fixed >= 0) {
            store.read(fixed);
        }
        List<Integer> frames = read(end);
        if (frames == null) {
            return false;
        }
        long start = System.nanoTime();
        int first = chain.next();
        ExposurePairs pairs = new ExposurePairs(store, options);
        pairs.compute(chain.expected(frames));
        while (chain.next() < end) {
            if (unreadable.contains(chain.next())) {
                chain.skip();
            } else {
                chain.add(pairs, backEnd.name());
            }
        }
        store.keepOnly(chain.needed());
        double wanted = CHUNK_SECONDS / Math.max(1e-6, RunTimes.since(start) / (end - first));
        chunk = (int) Math.max(1, Math.min(largest(), Math.min(2.0 * chunk, wanted)));
        return true;
    }

    /** Reads up to a frame, and returns those that could be read; null if it was cancelled. */
    private List<Integer> read(int end) {
        List<Integer> frames = new ArrayList<Integer>();
        for (int frame = chain.next(); frame < end; frame++) {
            if (progress.cancelled()) {
                return null;
            }
            try {
                store.read(frame);
                frames.add(frame);
            } catch (FrameReadException e) {
                if (unreadable.add(frame)) {
                    progress.log(e.getMessage() + "; skipped");
                }
            }
        }
        return frames;
    }

    /** Makes it possible to go on after a failure, with another store; false if it is not. */
    private boolean recover(EndoramaException e) {
        closeStore();
        if (e.status() == EndoramaException.Status.MEMORY && slots > KEPT + 1) {
            progress.log("out of memory with " + slots + " frames at once (" + e.getMessage() + "); going on with "
                    + Math.max(KEPT + 1, slots / 2));
            slots = Math.max(KEPT + 1, slots / 2);
            return true;
        }
        if (!backEnd.replaces(e)) {
            return false;
        }
        progress.log("backend " + backEnd.name() + " failed: " + e.getMessage() + "; the CPU goes on, nothing is lost");
        backEnd.replace();
        slots = wanted();
        return true;
    }
}
