package endorama.core.mosaic;

import static org.junit.jupiter.api.Assertions.assertNull;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.options.MosaicParameters;

/** Whole runs that nothing may end early. */
public final class TestRuns {
    private TestRuns() {
    }

    /** A run with default options. */
    public static MosaicResult run(FrameSource source) throws FrameReadException {
        return run(source, MosaicParameters.defaults());
    }

    public static MosaicResult run(FrameSource source, MosaicParameters parameters) throws FrameReadException {
        MosaicResult result = new MosaicSession(source, parameters, Progress.NONE).run();
        assertNull(result.failure());
        return result;
    }
}
