package endorama.core.exposures;

import endorama.core.chains.ChainRun;
import endorama.core.common.Progress;
import endorama.core.engine.BackEnd;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.jni.EndoramaException;
import endorama.jni.NativeChain;

/** Finds the shifts between differently exposed frames. */
public final class ExposureSession {
    private final FrameSource source;
    private final ExposureParameters parameters;
    private final Progress progress;

    /** A run that reports to progress (which may be {@link Progress#NONE}). */
    public ExposureSession(FrameSource source, ExposureParameters parameters, Progress progress) {
        this.source = source;
        this.parameters = parameters;
        this.progress = progress;
    }

    /**
     * Runs to the end, or until it is cancelled or fails; the result holds everything up to then.
     *
     * @throws FrameReadException if the sequence as a whole, or the frame that all are compared with, cannot be used
     * @throws EndoramaException if the library or the device cannot start
     * @throws IllegalArgumentException if an option does not go with these frames
     */
    public ExposureResult run() throws FrameReadException {
        Frames.checkSequence(source);
        int reference = parameters.reference(source);
        ExposureResult result = new ExposureResult(new ChainRun(source, null, progress,
                caller -> NativeChain.exposures(BackEnd.options(parameters.common()), reference, parameters.options(),
                        parameters.period(), parameters.kalman(), caller)));
        result.tell(progress);
        return result;
    }
}
