package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.common.Progress;
import endorama.core.common.RunTimes;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelSize;
import endorama.core.frames.PixelType;
import endorama.core.options.MosaicParameters;
import endorama.jni.EndoramaException;
import endorama.jni.NativeLive;
import java.io.Closeable;
import java.util.Collections;

/**
 * A panorama that grows while frames come. Frames are put, and it is finished, by one thread; the growing picture and the counts
 * can be asked for by any.
 */
public final class LiveSession implements Closeable {
    /** Frames, whose number is not known, for which files are checked beforehand. */
    public static final int MANY = 1000;

    private static final int TRIES = 8;

    private final KeptFrames kept;
    private final LoggedProgress progress;
    private final Engine engine;
    private boolean finished;

    /**
     * A session without a frame.
     *
     * @param pixelSize of the scene; null: not known
     * @param progress of the panorama at the end; when it says stop, that one is not made whole
     * @throws EndoramaException if the library cannot start
     * @throws IllegalArgumentException if an option does not go with these frames
     */
    public LiveSession(int width, int height, PixelType type, PixelSize pixelSize, MosaicParameters parameters,
            Progress progress) {
        kept = new KeptFrames(width, height, type, pixelSize);
        this.progress = new LoggedProgress(progress);
        engine = new Engine(kept, parameters, this.progress);
    }

    /** Frames of this size and type can be put. */
    public boolean takes(int width, int height, PixelType type) {
        return width == kept.width() && height == kept.height() && type == kept.type();
    }

    /**
     * Registers the next frame; its pixels are copied.
     *
     * @throws EndoramaException if it cannot be kept, or the device fails; the frames kept so far can still be finished
     */
    public LivePlace put(Object pixels, String label) {
        double[] reals = new double[NativeLive.FRAME_REALS];
        long[] numbers = new long[NativeLive.FRAME_NUMBERS];
        engine.live().put(kept.width(), kept.height(), kept.type().code(), pixels, reals, numbers);
        LivePlace place = new LivePlace(reals, numbers);
        if (place.kept || place.state == LivePlace.State.STARTING) {
            kept.add((int) place.number, label, place.kept);
        }
        return place;
    }

    /** Numbers of frames, panoramas and bytes that the session holds now. */
    public LiveCounts counts() {
        long[] counts = new long[NativeLive.COUNTS];
        engine.live().describe(new double[NativeLive.VIEW_REALS], new long[NativeLive.VIEW_NUMBERS], counts);
        return new LiveCounts(counts);
    }

    /** The growing panorama; null if nothing is painted, or nothing has changed since those changes. */
    public LivePicture picture(long since) {
        double[] reals = new double[NativeLive.VIEW_REALS];
        long[] numbers = new long[NativeLive.VIEW_NUMBERS];
        for (int i = 0; i < TRIES; i++) {
            engine.live().describe(reals, numbers, new long[NativeLive.COUNTS]);
            int room = (int) Math.min(Integer.MAX_VALUE - 8, numbers[0] * numbers[1]);
            if (room == 0 || numbers[4] == since) {
                return null;
            }
            Object pixels = kept.type().array(room);
            // The picture may grow between describe and read: one of another shape is described and read again.
            if (engine.live().read(kept.type().code(), room, pixels, reals, numbers) && numbers[0] * numbers[1] == room) {
                return new LivePicture(reals, numbers, pixels);
            }
        }
        return null;
    }

    /** The frames that were kept; their pixels cannot be read. */
    public FrameSource kept() {
        return kept;
    }

    /**
     * Makes the panorama of the kept frames, which the session no longer closes.
     *
     * @return null if no two frames fit together
     * @throws IllegalArgumentException if an option does not go with the frames
     */
    public MosaicResult finish() throws FrameReadException {
        long start = System.nanoTime();
        RuntimeException ended = engine.finish();
        if (engine.mosaic() == null) {
            return null;
        }
        MosaicResult result = new MosaicResult(engine, kept, Collections.<String>emptyList(), true, RunTimes.since(start), ended);
        result.log(progress.lines());
        kept.retain(result.rows());
        finished = true;
        return result;
    }

    /** Frees everything, unless {@link #finish} made a result, which then has to be closed. */
    @Override
    public void close() {
        if (!finished) {
            engine.close();
        }
    }
}
