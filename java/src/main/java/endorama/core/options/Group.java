package endorama.core.options;

/** The group of an option in a dialog: options of everyday use, the rest behind a button each. */
public enum Group {
    /** In the dialog itself. */
    MAIN(""),
    /** Which frames take part, and links by hand between them. */
    FRAMES("Frames"),
    /** How frames are registered. */
    REGISTRATION("Registration"),
    /** The appearance of the result. */
    PICTURE("Picture"),
    /** Back end, threads and memory. */
    COMPUTING("Computing");

    private final String title;

    Group(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }
}
