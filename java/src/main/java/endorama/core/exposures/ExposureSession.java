package endorama.core.exposures;

import endorama.core.common.Progress;
import endorama.core.common.RunTimes;
import endorama.core.engine.ChunkedSession;
import endorama.core.engine.FieldOfView;
import endorama.core.engine.FrameStore;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.frames.StretchedFrames;
import endorama.jni.EndoramaException;
import endorama.jni.ExposureOptions;
import endorama.jni.FramesOptions;
import endorama.jni.NativeContext;
import java.util.List;

/** Finds the shifts between differently exposed frames. */
public final class ExposureSession extends ChunkedSession {
    private final FrameSource source;
    private final ExposureParameters parameters;
    private final ExposureOptions options;
    private final Progress progress;
    private FieldOfView field;
    private ExposureChain chain;
    private int fixed;

    /** A run that reports to progress (which may be {@link Progress#NONE}). */
    public ExposureSession(FrameSource source, ExposureParameters parameters, Progress progress) {
        this(parameters, progress, StretchedFrames.of(source));
    }

    private ExposureSession(ExposureParameters parameters, Progress progress, FrameSource stretched) {
        super(stretched, parameters.common(), progress);
        this.source = stretched;
        this.parameters = parameters;
        this.options = parameters.options();
        this.progress = progress;
    }

    /**
     * Runs to the end, or to where it is cancelled or fails; what was done until then is in the result.
     *
     * @throws FrameReadException if the sequence as a whole, or the frame that all are compared with, cannot be used
     * @throws EndoramaException if the library or the device cannot start
     * @throws IllegalArgumentException if an option does not go with these frames
     */
    public ExposureResult run() throws FrameReadException {
        Frames.checkSequence(source);
        long start = System.nanoTime();
        fixed = parameters.reference(source.count());
        try (ExposurePath path = path()) {
            chain = new ExposureChain(fixed, path);
            RuntimeException failure = go();
            boolean cancelled = failure == null && chain.next() < source.count();
            ExposureResult result = new ExposureResult(chain.rows(), field, backends(), RunTimes.since(start), cancelled,
                    failure);
            if (!result.complete() && result.registered() > 1 && !cancelled && failure == null) {
                progress.lost("not every frame is aligned: " + result.summary());
            }
            return result;
        }
    }

    private ExposurePath path() {
        if (parameters.kalman() && parameters.period() > 0) {
            return new KalmanPath(parameters.period(), !options.subpixel);
        }
        if (parameters.kalman()) {
            progress.log("kalman: period is 0, a single bracket, in which there is no motion to follow; not used");
        }
        return new ExposurePath();
    }

    /** An endoscope's circle does not move with the scene; any other frame counts as a whole. */
    @Override
    protected void prepare(NativeContext context) throws FrameReadException {
        field = FieldOfView.circle(context, source, parameters.common(), progress);
    }

    @Override
    protected FramesOptions frames(int capacity) {
        FramesOptions frames = field.options(source.type(), capacity);
        frames.flow = false;
        frames.keepPixels = false;
        return frames;
    }

    @Override
    protected int firstPixels() {
        return 4000000;
    }

    @Override
    protected int count() {
        return source.count();
    }

    @Override
    protected int next() {
        return chain.next();
    }

    @Override
    protected int fixed() {
        return fixed;
    }

    @Override
    protected void align(FrameStore store, List<Integer> readable, int end, String name) throws FrameReadException {
        ExposurePairs pairs = new ExposurePairs(store, options);
        pairs.compute(chain.expected(readable));
        while (chain.next() < end) {
            if (isUnreadable(chain.next())) {
                chain.skip();
            } else {
                chain.add(pairs, name);
            }
        }
    }

    @Override
    protected int[] needed() {
        return chain.needed();
    }
}
