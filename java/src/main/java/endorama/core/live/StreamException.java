package endorama.core.live;

import endorama.core.frames.FrameReadException;

/** A stream that cannot be read, or not any further; the message says where and why. */
public final class StreamException extends FrameReadException {
    private static final long serialVersionUID = 1L;

    public StreamException(String message) {
        super(message);
    }

    public StreamException(String message, Throwable cause) {
        super(message, cause);
    }
}
