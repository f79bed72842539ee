package endorama.core.options;

/** An option that cannot be used: the message names the key, the value and what is allowed. */
public final class OptionException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String key;

    public OptionException(String key, String message) {
        super(message);
        this.key = key;
    }

    /** The key at fault, or "" if it is the line as a whole. */
    public String key() {
        return key;
    }
}
