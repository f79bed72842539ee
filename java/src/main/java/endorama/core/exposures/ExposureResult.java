package endorama.core.exposures;

import endorama.core.chains.ChainResult;
import endorama.core.chains.ChainRow;
import endorama.core.chains.ChainRun;
import endorama.core.engine.AlignedFrames;
import endorama.core.frames.FrameSource;
import endorama.core.transforms.Rect;
import endorama.core.transforms.Transform;
import java.util.ArrayList;
import java.util.List;

/** The result of aligning exposures, complete or not. */
public final class ExposureResult extends ChainResult {
    ExposureResult(ChainRun run) {
        super(run, "aligned");
    }

    /**
     * The aligned frames that have rows.
     *
     * @param source of the run
     * @throws IllegalArgumentException if they have nothing in common and only that is wanted
     */
    public AlignedFrames aligned(FrameSource source, ExposureParameters parameters) {
        List<Transform> poses = new ArrayList<Transform>();
        for (ChainRow row : rows()) {
            poses.add(row.status == ChainRow.Status.SKIPPED ? null : row.transform);
        }
        Rect shown = parameters.crop() ? common(source, poses) : new Rect(0, 0, source.width(), source.height());
        return new AlignedFrames(source, poses, shown, parameters.threads());
    }

    private static Rect common(FrameSource source, List<Transform> shifts) {
        double left = 0;
        double top = 0;
        double right = source.width() - 1;
        double bottom = source.height() - 1;
        for (Transform shift : shifts) {
            if (shift != null) {
                left = Math.max(left, shift.m02);
                top = Math.max(top, shift.m12);
                right = Math.min(right, shift.m02 + source.width() - 1);
                bottom = Math.min(bottom, shift.m12 + source.height() - 1);
            }
        }
        Rect common = new Rect((int) Math.ceil(left), (int) Math.ceil(top), (int) Math.floor(right) + 1,
                (int) Math.floor(bottom) + 1);
        if (common.width() < 1 || common.height() < 1) {
            throw new IllegalArgumentException("output Crop to common: the frames have no part in common; use Aligned"
                    + " stack");
        }
        return common;
    }
}
