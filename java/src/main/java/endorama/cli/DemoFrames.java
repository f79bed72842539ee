package endorama.cli;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelType;
import endorama.core.transforms.DemoSequence;

/**
 * A demo sequence whose first frames are kept in memory once rendered, so that benchmarks do not count the rendering. Frames
 * beyond the memory are rendered on demand.
 */
final class DemoFrames implements FrameSource {
    private static final long PIXELS = 40000000;

    private final DemoSequence demo;
    private final Object[] kept;
    private double seconds;

    DemoFrames(DemoSequence demo) {
        this.demo = demo;
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
            kept[i] = demo.pixels(i);
        }
        seconds = (System.nanoTime() - start) / 1e9;
        return true;
    }

    /** Frames rendered a second. */
    double rate() {
        return kept.length / Math.max(1e-9, seconds);
    }

    @Override
    public int count() {
        return demo.count();
    }

    @Override
    public int width() {
        return demo.width();
    }

    @Override
    public int height() {
        return demo.height();
    }

    @Override
    public PixelType type() {
        return demo.type();
    }

    @Override
    public String label(int index) {
        return demo.label(index);
    }

    @Override
    public Object pixels(int index) throws FrameReadException {
        return index < kept.length ? kept[index] : demo.pixels(index);
    }
}
