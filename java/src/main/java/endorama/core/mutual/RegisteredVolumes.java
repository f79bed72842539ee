package endorama.core.mutual;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelType;
import endorama.core.frames.SizedFrames;
import endorama.jni.NativeContext;
import endorama.jni.NativeVolume;
import java.util.Arrays;

/**
 * The moving image resampled in the grid of the fixed one, with its grey values or colours, one volume after another; 0 outside
 * it, and all 0 where it could not be registered. One volume is in memory.
 */
public final class RegisteredVolumes extends SizedFrames implements AutoCloseable {
    private final MutualOutcome outcome;
    private final int interpolation;
    private final NativeContext context;
    private final int depth;
    private NativeVolume resampled;
    private int resampledOf = -1;

    /** Computes on the CPU, with the threads of the parameters. */
    public RegisteredVolumes(MutualOutcome outcome, MutualParameters parameters) {
        super(outcome.rows().size() * outcome.grid().depth, outcome.grid().width, outcome.grid().height,
                outcome.moving().type());
        this.outcome = outcome;
        this.interpolation = parameters.interpolation();
        this.depth = outcome.grid().depth;
        this.context = NativeContext.create(NativeContext.CPU, parameters.threads());
    }

    /** The label of a slice; of a black one the reason. */
    @Override
    public String label(int index) {
        MutualRow row = outcome.rows().get(index / depth);
        String own = outcome.planar() ? outcome.pair(index / depth).moving.label(0) : "";
        return row.isRegistered() ? own : row.status + (own.isEmpty() ? "" : ": " + own);
    }

    @Override
    public Object pixels(int index) throws FrameReadException {
        int row = index / depth;
        Object pixels = type().array(width() * height());
        if (!outcome.rows().get(row).isShown()) {
            if (pixels instanceof int[]) {
                Arrays.fill((int[]) pixels, 0xff000000);
            }
            return pixels;
        }
        if (resampledOf != row) {
            forget();
            MutualPair pair = outcome.pair(row);
            resampled = resample(context, pair, outcome.rows().get(row).world(), interpolation);
            resampledOf = row;
        }
        resampled.get(index % depth, pixels);
        return pixels;
    }

    /** The moving volume of a pair in the grid of the fixed one. */
    static NativeVolume resample(NativeContext context, MutualPair pair, double[] world, int interpolation)
            throws FrameReadException {
        try (NativeVolume grid = NativeVolumes.empty(pair.fixed.grid(), PixelType.GREY8);
                NativeVolume moving = NativeVolumes.empty(pair.moving.grid(), pair.moving.type())) {
            NativeVolumes.fill(moving, pair.moving, Progress.NONE);
            return moving.resample(context, grid, world, interpolation);
        }
    }

    private void forget() {
        if (resampled != null) {
            resampled.close();
            resampled = null;
            resampledOf = -1;
        }
    }

    @Override
    public void close() {
        forget();
        context.close();
    }
}
