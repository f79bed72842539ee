package endorama.core.fourier;

import endorama.core.chains.ChainResult;
import endorama.core.chains.ChainRow;
import endorama.core.chains.ChainRun;
import endorama.core.engine.AlignedFrames;
import endorama.core.frames.FrameSource;
import endorama.core.transforms.Rect;
import endorama.core.transforms.Transform;
import endorama.core.transforms.Transforms;
import java.util.ArrayList;
import java.util.List;

/** The result of Fourier registration, complete or not. */
public final class FourierResult extends ChainResult {
    private final FrameSource reference;
    private final boolean other;

    /** reference: a source of the size of the reference; other: the reference is another image. */
    FourierResult(ChainRun run, FrameSource reference, boolean other) {
        super(run, "registered");
        this.reference = reference;
        this.other = other;
    }

    @Override
    public Transforms saved() {
        Transforms transforms = super.saved();
        transforms.onto(reference.width(), reference.height());
        return transforms;
    }

    /** The aligned frames that have rows, in the size of their reference; frames that are not registered are all 0. */
    public AlignedFrames aligned(FrameSource source, int threads) {
        return new AlignedFrames(source, poses(), new Rect(0, 0, reference.width(), reference.height()), threads);
    }

    /** Frame -&gt; reference, one a frame; null where it is not registered. */
    private List<Transform> poses() {
        List<Transform> poses = new ArrayList<Transform>();
        for (ChainRow row : rows()) {
            poses.add(row.registered ? row.transform : null);
        }
        return poses;
    }

    @Override
    public boolean isEmpty() {
        return registered() < (other ? 1 : 2);
    }
}
