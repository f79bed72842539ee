package endorama.core.live;

import endorama.core.frames.FrameReadException;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/** A thread that opens a stream and reads it into a slot, so that the newest frame is always there. */
public final class FrameReader {
    private final Callable<? extends FrameStream> opening;
    private final FrameSlot slot;
    private final Consumer<String> lost;

    /**
     * A reader that has not begun.
     *
     * @param opening opens the stream, which may take until somebody writes to it
     * @param lost receives a line about each frame that cannot be read, on the reader's thread
     */
    public FrameReader(Callable<? extends FrameStream> opening, FrameSlot slot, Consumer<String> lost) {
        this.opening = opening;
        this.slot = slot;
        this.lost = lost;
    }

    /** Begins. The thread ends with the stream, or at the next frame after the slot was closed, and never holds Java. */
    public void start() {
        Thread thread = new Thread(this::read, "Endorama frames");
        thread.setDaemon(true);
        thread.start();
    }

    private void read() {
        IOException failure = null;
        try (FrameStream stream = opening.call()) {
            boolean more = true;
            while (more) {
                more = next(stream);
            }
        } catch (FrameReadException e) {
            failure = e;
        } catch (Exception | LinkageError | OutOfMemoryError e) {
            failure = new StreamException(FrameReadException.because("it", e).getMessage(), e);
        } finally {
            slot.end(failure);
        }
    }

    private boolean next(FrameStream stream) throws IOException, InterruptedException {
        try {
            LiveFrame frame = stream.next();
            return frame != null && slot.offer(frame);
        } catch (StreamException e) {
            throw e;
        } catch (FrameReadException e) {
            lost.accept(e.getMessage());
            return true;
        }
    }
}
