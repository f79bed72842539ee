package endorama.core.live;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelType;
import endorama.core.mosaic.LivePlace;
import endorama.core.mosaic.LiveSession;
import java.io.IOException;
import java.util.Locale;
import java.util.function.BooleanSupplier;

/** Takes frames from a slot and registers them, on the caller's thread, until there are no more or somebody says so. */
public final class LiveRun {
    /** Makes the session when the size of the frames is known. */
    public interface Opening {
        LiveSession open(int width, int height, PixelType type) throws IOException;
    }

    /** Hears of each frame, on the thread of the run. */
    public interface Listener {
        void placed(LiveSession session, LivePlace place);
    }

    private static final long WAIT_MS = 50;
    private static final double SECOND = 1e9;

    private final FrameSlot slot;
    private final Opening opening;
    private final Listener listener;
    private final Progress progress;
    private final Latencies latencies = new Latencies();
    private LiveSession session;
    private double seconds;
    private double idle;
    private boolean timed;
    private long began;
    private long last = System.nanoTime();
    private long misfits;

    /** @param progress told of frames that cannot be used */
    public LiveRun(FrameSlot slot, Opening opening, Listener listener, Progress progress) {
        this.slot = slot;
        this.opening = opening;
        this.listener = listener;
        this.progress = progress;
    }

    /** Ends so many seconds after the first frame; 0: not by itself. */
    public LiveRun seconds(double most) {
        seconds = most;
        return this;
    }

    /** Ends when no frame came for so many seconds; 0: waits for ever. */
    public LiveRun idle(double most) {
        idle = most;
        return this;
    }

    /** Frames without a name get the time since the first one. */
    public LiveRun timed(boolean named) {
        timed = named;
        return this;
    }

    /**
     * Runs to the end of the frames.
     *
     * @param finish says that it should end now
     * @return what ended it early: that the stream is damaged, a frame cannot be kept, or the device failed; null if nothing did
     * @throws IOException if there was no frame at all, and why
     * @throws RuntimeException if no session could be made
     * @throws Error of the Java machine; the session is closed then
     */
    public Exception run(BooleanSupplier finish) throws IOException {
        try {
            while (!finish.getAsBoolean() && !slot.hasEnded() && !isOver()) {
                LiveFrame frame = slot.take(WAIT_MS);
                if (frame != null) {
                    take(frame);
                }
            }
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        } catch (IOException | RuntimeException e) {
            if (session == null) {
                throw e;
            }
            return e;
        } catch (Error e) {
            if (session != null) {
                session.close();
            }
            throw e;
        } finally {
            slot.close();
        }
    }

    private boolean isOver() {
        long now = System.nanoTime();
        return seconds > 0 && session != null && now - began > seconds * SECOND || idle > 0 && now - last > idle * SECOND;
    }

    private void take(LiveFrame taken) throws IOException {
        LiveFrame frame = taken;
        last = System.nanoTime();
        try {
            if (session == null) {
                session = opening.open(frame.width, frame.height, frame.type);
                // Opening takes a moment, and before it the first frame may have waited for Java: the next one is not near it.
                frame = slot.renew(frame);
                began = frame.arrived;
            }
            Object pixels = frame.pixels();
            if (session.takes(frame.width, frame.height, frame.type)) {
                String time = timed ? String.format(Locale.ROOT, "%.3f s", (frame.arrived - began) / SECOND) : "";
                LivePlace place = session.put(pixels, frame.label.isEmpty() ? time : frame.label);
                latencies.add((System.nanoTime() - frame.arrived) / 1e6);
                listener.placed(session, place);
            } else {
                misfit(frame);
            }
        } catch (FrameReadException e) {
            progress.lost(e.getMessage());
        } finally {
            frame.release();
            last = System.nanoTime();
        }
    }

    /** Says once that frames of another size or type come. */
    private void misfit(LiveFrame frame) {
        if (misfits++ == 0) {
            progress.lost("frames of another size or type than the first one are left out, the first of them "
                    + (frame.label.isEmpty() ? "" : frame.label + ", ") + frame.width + " x " + frame.height + ", "
                    + frame.type.words());
        }
    }

    /** The session; null if no frame came. */
    public LiveSession session() {
        return session;
    }

    /** How long frames took from their arrival to the painted preview. */
    public Latencies latencies() {
        return latencies;
    }
}
