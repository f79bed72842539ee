package endorama.core.fourier;

import endorama.core.common.RunResult;
import endorama.core.engine.AlignedFrames;
import endorama.core.engine.FieldOfView;
import endorama.core.fourier.FourierRow.Status;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.transforms.Rect;
import endorama.core.transforms.Transform;
import endorama.core.transforms.Transforms;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What Fourier registration gave, complete or not: everything that was computed before it ended is here. */
public final class FourierResult extends RunResult {
    private final List<FourierRow> rows;
    private final FrameSource reference;
    private final boolean other;
    private final FieldOfView field;

    /** reference: what is of the size of the reference; other: it is another image. */
    FourierResult(List<FourierRow> rows, FrameSource reference, boolean other, FieldOfView field, String backend,
            double seconds, boolean cancelled, RuntimeException failure) {
        super(backend, seconds, cancelled, failure);
        this.rows = Collections.unmodifiableList(rows);
        this.reference = reference;
        this.other = other;
        this.field = field;
    }

    /** One row a frame, up to where the run came. */
    public List<FourierRow> rows() {
        return rows;
    }

    /** What a transforms file needs to know. */
    public Transforms saved() {
        Transforms transforms = new Transforms();
        transforms.onto(reference.width(), reference.height());
        for (FourierRow row : rows) {
            transforms.put(row.frame, row.transform, row.registered);
        }
        return transforms;
    }

    /** The frames that there are rows for, in the places and the size of what they were registered with; others are all 0. */
    public AlignedFrames aligned(FrameSource source, int threads) {
        return new AlignedFrames(source, places(), new Rect(0, 0, reference.width(), reference.height()), threads);
    }

    /** Frame -&gt; reference, of each; null where it is not registered. */
    private List<Transform> places() {
        List<Transform> places = new ArrayList<Transform>();
        for (FourierRow row : rows) {
            places.add(row.registered ? row.transform : null);
        }
        return places;
    }

    /** Which pixels counted. */
    public FieldOfView field() {
        return field;
    }

    /** Frames whose transform is an estimate, the one that is the reference included. */
    public int registered() {
        int n = 0;
        for (FourierRow row : rows) {
            n += row.registered ? 1 : 0;
        }
        return n;
    }

    /** No frame could be registered with another one, or with the other image. */
    public boolean isEmpty() {
        return registered() < (other ? 1 : 2);
    }

    /** Every frame is registered. */
    public boolean complete() {
        return registered() == rows.size();
    }

    /** One line for people: "12 of 14 frames registered; low certainty: frames 4-5". */
    public String summary() {
        StringBuilder line = new StringBuilder();
        line.append(registered()).append(" of ").append(rows.size()).append(" frames registered");
        for (Status status : Status.values()) {
            String frames = Frames.ranges(rows.size(), i -> rows.get(i).status == status);
            line.append(status == Status.OK || frames.isEmpty() ? "" : "; " + status + ": " + frames);
        }
        return line.toString();
    }
}
