package endorama.core.files;

import java.io.IOException;

/** Writing a file was stopped on request; the old file is unchanged. */
public final class StoppedException extends IOException {
    private static final long serialVersionUID = 1;

    public StoppedException(String message) {
        super(message);
    }
}
