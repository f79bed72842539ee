package endorama.cli;

import endorama.core.common.Progress;
import endorama.core.frames.ForwardingFrames;
import endorama.core.frames.FrameReadException;
import endorama.core.transforms.DemoSequence;

/**
 * A demo sequence whose first frames are kept in memory once rendered, so that benchmarks do not count the rendering. Frames
 * beyond the memory are rendered on demand.
 */
final class DemoFrames extends ForwardingFrames {
    private static final long PIXELS = 40000000;

    private final Object[] kept;
    private double seconds;

    DemoFrames(DemoSequence demo) {
        super(demo);
        long area = (long) demo.width() * demo.height();
        kept = new Object[(int) Math.min(demo.count(), Math.max(1, PIXELS / area))];
    }

    /** Renders the frames that are kept; false if it was cancelled. */
    boolean render(Progress progress) throws FrameReadException {
        long start = System.nanoTime();
        for (int i = 0; i < kept.length; i++) {
            if (progress.cancelled()) {
                return false;
            }
            kept[i] = source.pixels(i);
        }
        seconds = (System.nanoTime() - start) / 1e9;
        return true;
    }

    /** Frames rendered a second. */
    double rate() {
        return kept.length / Math.max(1e-9, seconds);
    }

    @Override
    public Object pixels(int index) throws FrameReadException {
        return index < kept.length ? kept[index] : source.pixels(index);
    }
}
