package endorama.core.fourier;

import endorama.core.chains.ChainRun;
import endorama.core.common.Progress;
import endorama.core.engine.BackEnd;
import endorama.core.engine.LentFrames;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.transforms.Rect;
import endorama.core.transforms.Selection;
import endorama.jni.EndoramaException;
import endorama.jni.NativeChain;

/** Finds rotation, scale and translation between frames, or between frames and another image, from their spectra. */
public final class FourierSession {
    private final FrameSource source;
    private final FourierParameters parameters;
    private final Progress progress;

    /** A run that reports to progress (which may be {@link Progress#NONE}). */
    public FourierSession(FrameSource source, FourierParameters parameters, Progress progress) {
        this.source = source;
        this.parameters = parameters;
        this.progress = progress;
    }

    /**
     * Runs to the end, or until it is cancelled or fails; the result holds everything up to then.
     *
     * @throws FrameReadException if the sequence as a whole, or the image that all are compared with, cannot be used
     * @throws EndoramaException if the library or the device cannot start
     * @throws IllegalArgumentException if an option does not go with these frames
     */
    public FourierResult run() throws FrameReadException {
        FrameSource onto = parameters.onto();
        if (onto == null) {
            Frames.checkSequence(source);
        } else if (hasMask(parameters.region()) || hasMask(parameters.ontoRegion())) {
            throw new IllegalArgumentException("the selections in two images that are registered must be rectangles");
        }
        int reference = parameters.reference(source);
        FourierResult result = new FourierResult(new ChainRun(source, onto, progress,
                caller -> NativeChain.fourier(BackEnd.options(parameters.common()), reference, parameters.options(), regions(),
                        caller)), onto != null ? onto : source, onto != null);
        result.tell(progress);
        return result;
    }

    private static boolean hasMask(Selection selection) {
        return selection != null && selection.mask != null;
    }

    private NativeChain.Regions regions() {
        NativeChain.Regions regions = new NativeChain.Regions();
        regions.onto = parameters.onto() == null ? null : LentFrames.sequence(parameters.onto());
        regions.region = region(parameters.region());
        regions.ontoRegion = region(parameters.ontoRegion());
        regions.mask = parameters.region() == null ? null : parameters.region().mask;
        return regions;
    }

    private static int[] region(Selection selection) {
        Rect r = selection == null ? new Rect(0, 0, 0, 0) : selection.bounds;
        return new int[] {r.left, r.top, r.right, r.bottom};
    }
}
