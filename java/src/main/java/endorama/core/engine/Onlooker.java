package endorama.core.engine;

/** What looks at the frames of a run once, when they are read for something else; several threads may come with a frame each. */
public interface Onlooker {
    /** A frame, from 0, was not seen yet. */
    boolean isNew(int frame);

    /** Looks at a frame when it is seen first; pixels: as the source gives them, and not kept. */
    void see(int frame, Object pixels);
}
