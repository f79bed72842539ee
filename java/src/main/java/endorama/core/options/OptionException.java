package endorama.core.options;

/** An option value that is not allowed: the message names the key, the value and what is allowed. */
public final class OptionException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String key;

    public OptionException(String key, String message) {
        super(message);
        this.key = key;
    }

    /** The wrong key, or "" for the line as a whole. */
    public String key() {
        return key;
    }
}
