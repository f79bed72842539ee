package endorama.cli;

import endorama.core.frames.PixelType;
import endorama.core.frames.SizedFrames;

/** A sequence of any length that goes to and fro over a few frames in memory, for benchmarks. */
final class ToAndFro extends SizedFrames {
    private final Object[] frames;

    /** @param frames at least two: byte[], short[] or int[] by type, width*height; not copied */
    ToAndFro(PixelType type, int width, int height, Object[] frames, int count) {
        super(count, width, height, type);
        this.frames = frames;
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
