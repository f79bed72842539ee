package endorama.jni;

/** A failure of the native library, or of loading it. The message tells the value and what is allowed. */
public final class EndoramaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Kinds of failures; the first six are those of {@code endo_status}, in its order. */
    public enum Status {
        /** An argument is out of its documented range. */
        ARGUMENT,
        /** Host or device memory ran out, or a size limit was passed. */
        MEMORY,
        /** The device failed, or none is usable. */
        DEVICE,
        /** This build of the library cannot do it. */
        UNSUPPORTED,
        /** A defect of the library. */
        INTERNAL,
        /** Not a failure: the hook of {@link NativeContext#setCancel} asked for an end. */
        CANCELLED,
        /** The library could not be loaded. */
        LIBRARY
    }

    private final Status status;

    /** A failure with its kind and its message. */
    public EndoramaException(Status status, String message) {
        super(message);
        this.status = status;
    }

    /** A failure caused by another throwable. */
    public EndoramaException(Status status, String message, Throwable cause) {
        super(message, cause);
        this.status = status;
    }

    /** Kind of the failure. */
    public Status status() {
        return status;
    }

    /** Throws this thread's last native failure unless code is 0 (ok). */
    static void check(int code) {
        if (code == 0) {
            return;
        }
        Status[] all = Status.values();
        Status status = code <= all.length - 1 ? all[code - 1] : Status.INTERNAL;
        throw new EndoramaException(status, Native.lastError());
    }
}
