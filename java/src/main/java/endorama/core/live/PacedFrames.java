package endorama.core.live;

import endorama.core.frames.FrameReadException;
import java.io.IOException;

/** A stream at the pace of a camera: each frame comes when it is due. Those that are late come at once. */
public final class PacedFrames implements FrameStream {
    private final FrameStream stream;
    private final double period;
    private long start;
    private long frames;

    /** @param rate frames a second */
    public PacedFrames(FrameStream stream, double rate) {
        this.stream = stream;
        this.period = 1e9 / rate;
    }

    @Override
    public LiveFrame next() throws IOException {
        LiveFrame frame = stream.next();
        if (frame == null) {
            return null;
        }
        start = frames == 0 ? System.nanoTime() : start;
        long due = start + Math.round(frames++ * period);
        try {
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                Thread.sleep(left / 1000000, (int) (left % 1000000));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            frame.release();
            return null;
        }
        return new Due(frame, Math.max(due, frame.arrived));
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }

    /** A frame that came later than it was read. */
    private static final class Due extends LiveFrame {
        private final LiveFrame frame;

        Due(LiveFrame frame, long due) {
            super(frame.width, frame.height, frame.type, frame.label, due);
            this.frame = frame;
        }

        @Override
        public Object pixels() throws FrameReadException {
            return frame.pixels();
        }

        @Override
        public void release() {
            frame.release();
        }
    }
}
