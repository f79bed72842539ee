package endorama.core.files;

import java.io.IOException;

/** The writing of a file was stopped by whoever asked for it; what was there before is still there. */
public final class StoppedException extends IOException {
    private static final long serialVersionUID = 1;

    public StoppedException(String message) {
        super(message);
    }
}
