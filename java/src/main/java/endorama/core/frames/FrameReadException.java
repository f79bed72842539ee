package endorama.core.frames;

import endorama.core.common.Explanation;
import java.io.IOException;

/** A frame, or a whole sequence, that cannot be read; the message names it and says why. */
public class FrameReadException extends IOException {
    private static final long serialVersionUID = 1L;
    private static final String MORE_MEMORY = "give Java more with -Xmx (./endorama: ENDORAMA_HEAP=8g)";

    /** An exception with a message that names the frame or the file. */
    public FrameReadException(String message) {
        super(message);
    }

    /** An exception with a message, caused by another throwable. */
    public FrameReadException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Wraps what was thrown while a frame or file was read, missing classes of Java or memory included. */
    public static FrameReadException because(String name, Throwable thrown) {
        boolean told = thrown instanceof IOException && thrown.getMessage() != null;
        String why = thrown instanceof LinkageError || thrown instanceof OutOfMemoryError
                ? Explanation.of(thrown, MORE_MEMORY)
                : told ? thrown.getMessage() : thrown.toString();
        return new FrameReadException(name + " cannot be read: " + why, thrown);
    }
}
