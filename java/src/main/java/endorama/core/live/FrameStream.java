package endorama.core.live;

import java.io.Closeable;
import java.io.IOException;

/** Frames in the order in which they come, read by one thread. */
public interface FrameStream extends Closeable {
    /**
     * The next frame, which is waited for; null: there are no more.
     *
     * @throws endorama.core.frames.FrameReadException if one frame cannot be read, and the next ones may be
     * @throws StreamException if nothing can be read any more
     */
    LiveFrame next() throws IOException;
}
