package endorama.cli;

import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelType;

/** A sequence of any length that goes to and fro over a few frames in memory, for benchmarks. */
final class ToAndFro implements FrameSource {
    private final PixelType type;
    private final int width;
    private final int height;
    private final Object[] frames;
    private final int count;

    /** @param frames at least two: byte[], short[] or int[] by type, width*height; not copied */
    ToAndFro(PixelType type, int width, int height, Object[] frames, int count) {
        this.type = type;
        this.width = width;
        this.height = height;
        this.frames = frames;
        this.count = count;
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public int width() {
        return width;
    }

    @Override
    public int height() {
        return height;
    }

    @Override
    public PixelType type() {
        return type;
    }

    @Override
    public String label(int index) {
        return "";
    }

    @Override
    public boolean isAtHand(int index) {
        return true;
    }

    /** The first and the last frame are not repeated at the turns. */
    @Override
    public Object pixels(int index) {
        int period = 2 * (frames.length - 1);
        int at = index % period;
        return frames[at < frames.length ? at : period - at];
    }
}
