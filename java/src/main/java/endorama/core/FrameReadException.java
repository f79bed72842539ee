package endorama.core;

import java.io.IOException;

/** A frame, or a whole sequence, that cannot be read; the message names it and says why. */
public class FrameReadException extends IOException {
    private static final long serialVersionUID = 1L;

    /** With a message that names the frame or the file. */
    public FrameReadException(String message) {
        super(message);
    }

    /** The same, caused by another throwable. */
    public FrameReadException(String message, Throwable cause) {
        super(message, cause);
    }
}
