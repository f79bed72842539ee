package endorama.core.live;

import java.io.IOException;

/**
 * One frame on its way from who makes frames to who takes them. Of frames that come faster than they are taken the newest is
 * kept, and those before it are dropped and counted; or each is waited for.
 */
public final class FrameSlot {
    private final boolean every;
    private LiveFrame frame;
    private IOException failure;
    private boolean ended;
    private boolean closed;
    private long offered;
    private long dropped;

    /** @param every no frame is dropped: {@link #offer} waits */
    public FrameSlot(boolean every) {
        this.every = every;
    }

    /** Puts the next frame. False: nobody takes frames any more, and this one was released. */
    public synchronized boolean offer(LiveFrame next) throws InterruptedException {
        while (every && frame != null && !closed) {
            wait();
        }
        if (closed) {
            next.release();
            return false;
        }
        if (frame != null) {
            frame.release();
            dropped++;
        }
        frame = next;
        offered++;
        notifyAll();
        return true;
    }

    /** Says that no more frames come; because of a failure, or null. */
    public synchronized void end(IOException because) {
        failure = because;
        ended = true;
        notifyAll();
    }

    /**
     * Takes the newest frame, which the caller releases; null: none came within this time, ms, or there are no more.
     *
     * @throws IOException the failure that ended the frames, once, after the last one
     */
    public synchronized LiveFrame take(long ms) throws IOException, InterruptedException {
        long end = System.nanoTime() + ms * 1000000;
        long left = ms;
        while (frame == null && !ended && left > 0) {
            wait(left);
            left = (end - System.nanoTime()) / 1000000;
        }
        LiveFrame taken = frame;
        frame = null;
        notifyAll();
        if (taken == null && failure != null) {
            IOException thrown = failure;
            failure = null;
            throw thrown;
        }
        return taken;
    }

    /** The newest frame instead of one that was taken, which is then dropped; the same where no other has come, or none may be. */
    public synchronized LiveFrame renew(LiveFrame taken) {
        if (every || frame == null) {
            return taken;
        }
        taken.release();
        dropped++;
        LiveFrame newest = frame;
        frame = null;
        return newest;
    }

    /** No frame is there, and none will come. */
    public synchronized boolean hasEnded() {
        return ended && frame == null && failure == null;
    }

    /** Frames are no longer taken. */
    public synchronized void close() {
        closed = true;
        if (frame != null) {
            frame.release();
            frame = null;
        }
        notifyAll();
    }

    /** Frames that came. */
    public synchronized long offered() {
        return offered;
    }

    /** Frames that came and were replaced by newer ones. */
    public synchronized long dropped() {
        return dropped;
    }
}
