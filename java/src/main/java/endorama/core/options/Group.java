package endorama.core.options;

/** Where an option stands in a dialog: what everybody decides at once, the rest behind a button each. */
public enum Group {
    /** In the dialog itself. */
    MAIN(""),
    /** How frames are chosen, matched and put in their places. */
    REGISTRATION("Registration"),
    /** What the result looks like. */
    PICTURE("Picture"),
    /** What computes. */
    COMPUTING("Computing");

    private final String title;

    Group(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }
}
