package endorama.core.frames;

/**
 * A sequence of frames of one size and type. Frames may be read on demand and slowly; they are requested in ascending order by
 * one thread, some of them twice.
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

    /** Number of a frame, 0..count-1, in the sequence that the frames were chosen from, for people; it grows with the index. */
    default int number(int index) {
        return index + 1;
    }

    /** Numbers of frames that were left out by hand, ascending. */
    default int[] excluded() {
        return new int[0];
    }

    /**
     * The pixels of a frame, 0..count-1: byte[], short[] or int[] by type, width*height. The array is only read,
     * and not kept.
     *
     * @throws FrameReadException if this frame cannot be read or has another size or type
     */
    Object pixels(int index) throws FrameReadException;

    /** The source below wrappers that only select frames or read them ahead. */
    default FrameSource origin() {
        return this;
    }

    /** A warning about the sequence as a whole, though its frames can be read; null if there is none. */
    default String warning() {
        return null;
    }

    /** The size of a pixel in the scene; null if it is not known. */
    default PixelSize pixelSize() {
        return null;
    }

    /** Frames can be read again after the run. */
    default boolean isLasting() {
        return true;
    }

    /** Reading this frame again takes about as long as copying it. */
    default boolean isAtHand(int index) {
        return false;
    }

    /** The array of a frame is no longer used: the source may recycle it. */
    default void giveBack(int index, Object pixels) {
    }

    /** Announces the frames that will be requested next, in this order, so that a source may read them ahead. */
    default void expect(int[] frames) {
    }
}
