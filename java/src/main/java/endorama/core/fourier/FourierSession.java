package endorama.core.fourier;

import endorama.core.common.Progress;
import endorama.core.common.RunTimes;
import endorama.core.engine.ChunkedSession;
import endorama.core.engine.FieldOfView;
import endorama.core.engine.FrameStore;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.options.MosaicParameters;
import endorama.core.transforms.Selection;
import endorama.jni.EndoramaException;
import endorama.jni.FourierOptions;
import endorama.jni.FramesOptions;
import endorama.jni.NativeContext;
import java.util.List;

/** Finds rotation, scale and translation between frames, or between frames and another image, from their spectra. */
public final class FourierSession extends ChunkedSession {
    private final FrameSource source;
    private final FourierParameters parameters;
    private final ComparedFrames compared;
    private final FourierOptions options;
    private final Progress progress;
    private FieldOfView field;
    private FourierChain chain;
    private int fixed;

    /** A run that reports to progress (which may be {@link Progress#NONE}). */
    public FourierSession(FrameSource source, FourierParameters parameters, Progress progress) {
        this(source, parameters, progress, new ComparedFrames(source, parameters));
    }

    private FourierSession(FrameSource source, FourierParameters parameters, Progress progress,
            ComparedFrames compared) {
        super(compared, parameters.common(), progress);
        this.source = source;
        this.parameters = parameters;
        this.compared = compared;
        this.options = parameters.options();
        this.progress = progress;
    }

    /**
     * Runs to the end, or to where it is cancelled or fails; what was done until then is in the result.
     *
     * @throws FrameReadException if the sequence as a whole, or the image that all are compared with, cannot be used
     * @throws EndoramaException if the library or the device cannot start
     * @throws IllegalArgumentException if an option does not go with these frames
     */
    public FourierResult run() throws FrameReadException {
        Frames.checkSequence(compared);
        boolean other = parameters.onto() != null;
        if (other && (hasMask(parameters.part()) || hasMask(parameters.ontoPart()))) {
            throw new IllegalArgumentException("the selections in two images that are registered must be rectangles");
        }
        long start = System.nanoTime();
        fixed = parameters.reference(source.count());
        chain = new FourierChain(fixed);
        RuntimeException failure = go();
        boolean cancelled = failure == null && chain.next() < source.count();
        FourierResult result = new FourierResult(chain.rows(), other ? parameters.onto() : source, other, field,
                backends(), RunTimes.since(start), cancelled, failure);
        if (!result.complete() && !result.isEmpty() && !cancelled && failure == null) {
            progress.lost("not every frame is registered: " + result.summary());
        }
        return result;
    }

    private static boolean hasMask(Selection selection) {
        return selection != null && selection.mask != null;
    }

    /** What was selected; or an endoscope's circle, which does not turn with the scene. */
    @Override
    protected void prepare(NativeContext context) throws FrameReadException {
        MosaicParameters given = parameters.common();
        MosaicParameters whole = MosaicParameters.defaults().with("field", "Whole");
        if (hasMask(parameters.part())) {
            field = FieldOfView.find(context, compared, MosaicParameters.defaults().with("field", "Selection")
                    .withSelection(parameters.part().mask), progress);
        } else if (parameters.part() != null || parameters.ontoPart() != null || !compared.isOneSize()) {
            field = FieldOfView.find(context, compared, whole, progress);
        } else {
            field = FieldOfView.circle(context, compared, given, progress);
        }
    }

    @Override
    protected FramesOptions frames(int capacity) {
        FramesOptions frames = field.options(compared.type(), capacity);
        // They stand still with the scope as its circle does; in other images what is bright may be the scene.
        frames.highlights = field.isCircle();
        frames.flow = false;
        frames.keepPixels = false;
        return frames;
    }

    /** A processor takes about a tenth of a second for so many. */
    @Override
    protected int firstPixels() {
        return 200000;
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
        FourierPairs pairs = new FourierPairs(store, compared, source.width(), source.height(), options);
        pairs.compute(chain.expected(readable));
        while (chain.next() < end) {
            if (isUnreadable(chain.next())) {
                chain.skip();
            } else {
                chain.add(pairs, source.count(), name);
            }
        }
    }

    @Override
    protected int[] needed() {
        return chain.needed();
    }
}
