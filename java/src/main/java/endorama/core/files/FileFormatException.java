package endorama.core.files;

import java.io.IOException;

/** A file that is not what it should be; the message names the file, the line and what is wrong. */
public final class FileFormatException extends IOException {
    private static final long serialVersionUID = 1L;

    /** An exception with a message that names the file and the line. */
    public FileFormatException(String message) {
        super(message);
    }

    /** An exception with a message, caused by another throwable. */
    public FileFormatException(String message, Throwable cause) {
        super(message, cause);
    }
}
