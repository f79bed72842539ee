package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.common.Progress;
import endorama.core.frames.ForwardingFrames;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.options.MosaicParameters;
import java.util.ArrayList;
import java.util.List;

/**
 * Frames transformed by known poses, in the size of a frame or of their union, each computed on demand. Pixels that a frame
 * does not reach, and all of a frame that cannot be read, are 0.
 */
public final class AppliedFrames extends ForwardingFrames implements AutoCloseable {
    /** Length of the largest array. */
    private static final int MOST_PIXELS = Integer.MAX_VALUE - 8;

    private final Engine engine;
    /** Indices of the frames that have a transform. */
    private final List<Integer> usable = new ArrayList<Integer>();
    /** Width, height, column and row of the first frame's pixel (0, 0). */
    private int[] size;
    private int unreadable;

    /** rows: one a frame; those that are registered have a transform. */
    AppliedFrames(FrameSource source, List<FrameRow> rows, MosaicParameters parameters, Progress progress)
            throws FrameReadException {
        super(source);
        for (int i = 0; i < rows.size(); i++) {
            if (rows.get(i).registered) {
                usable.add(i);
            }
        }
        engine = new Engine(source, parameters, new LoggedProgress(progress), MosaicListener.NONE).applying();
        try {
            engine.run(mosaic -> size = mosaic.align(engine.sequence(), FrameRow.records(rows), 1, parameters.showsAll()));
            checkSize();
        } catch (FrameReadException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private void checkSize() {
        if ((long) width() * height() > MOST_PIXELS) {
            throw new IllegalArgumentException("extent All: the frames take " + width() + " x " + height()
                    + " px; an image has " + MOST_PIXELS + " at most");
        }
    }

    /** Column of these frames in which pixel (0, 0) of the first frame lies. */
    public int originX() {
        return size[2];
    }

    /** Row of these frames in which pixel (0, 0) of the first frame lies. */
    public int originY() {
        return size[3];
    }

    @Override
    public int width() {
        return size[0];
    }

    @Override
    public int height() {
        return size[1];
    }

    @Override
    public int number(int index) {
        return source.number(usable.get(index));
    }

    /** Number of frames so far that could not be read. */
    public int unreadable() {
        return unreadable;
    }

    @Override
    public int count() {
        return usable.size();
    }

    @Override
    public String label(int index) {
        return source.label(usable.get(index));
    }

    @Override
    public Object pixels(int index) {
        int n = width() * height();
        Object pixels = type().array(n);
        unreadable += engine.mosaic().readAligned(usable.get(index), n, pixels) ? 0 : 1;
        return pixels;
    }

    @Override
    public void close() {
        engine.close();
    }
}
