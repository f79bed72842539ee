package endorama.core.frames;

/**
 * A sequence of frames of one size and type. Frames may be read when asked for, and slowly; they are asked for
 * in ascending order by one thread, some of them twice.
 */
public interface FrameSource {
    /** Number of frames. */
    int count();

    /** Width of every frame, px. */
    int width();

    /** Height of every frame, px. */
    int height();

    /** Type of every frame. */
    PixelType type();

    /** Name of a frame, 0..count-1, for people; may be empty. */
    default String label(int index) {
        return "";
    }

    /**
     * The pixels of a frame, 0..count-1: byte[], short[] or int[] by type, width*height. The array is only read,
     * and not kept.
     *
     * @throws FrameReadException if this frame cannot be read or has another size or type
     */
    Object pixels(int index) throws FrameReadException;

    /** Where the frames come from, below what only chooses among them or reads them ahead. */
    default FrameSource origin() {
        return this;
    }

    /** What is wrong with the sequence as a whole, though its frames can be read; null if nothing is known. */
    default String warning() {
        return null;
    }

    /** Asking for this frame again would take about as long as copying it. */
    default boolean isAtHand(int index) {
        return false;
    }

    /** Nobody looks at the array of a frame any more: a source that makes arrays may use it for another one. */
    default void giveBack(int index, Object pixels) {
    }

    /** Says which frames will be asked for next, in this order: a source may read them ahead. */
    default void expect(int[] frames) {
    }
}
