package endorama.core.live;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelType;

/** A frame that has come, not yet decoded: what nobody takes costs little. */
public abstract class LiveFrame {
    /** Size, px. */
    public final int width, height;
    /** Type of its pixels. */
    public final PixelType type;
    /** Name for people; may be empty. */
    public final String label;
    /** System.nanoTime when all of it was there. */
    public final long arrived;

    protected LiveFrame(int width, int height, PixelType type, String label, long arrived) {
        this.width = width;
        this.height = height;
        this.type = type;
        this.label = label;
        this.arrived = arrived;
    }

    /**
     * byte[], short[] or int[] by type, width*height, valid until {@link #release}.
     *
     * @throws FrameReadException if this frame cannot be decoded; the next ones may be
     */
    public abstract Object pixels() throws FrameReadException;

    /** Gives its memory back; called once by whoever got the frame. */
    public void release() {
    }
}
