package endorama.core.chains;

import endorama.core.chains.ChainRow.Status;
import endorama.core.common.Progress;
import endorama.core.common.RunResult;
import endorama.core.frames.Frames;
import endorama.core.transforms.Transforms;
import java.util.ArrayList;
import java.util.List;

/** The result of a chain, complete or not: everything that was computed before it ended. */
public abstract class ChainResult extends RunResult {
    private final List<ChainRow> rows;
    private final String field;
    private final String done;

    protected ChainResult(ChainRun run, String done) {
        super(run.backend(), run.seconds(), run.isCancelled(), run.failure());
        this.rows = run.rows();
        this.field = run.field();
        this.done = done;
    }

    /** One row a frame, up to the last one reached. */
    public final List<ChainRow> rows() {
        return rows;
    }

    /** The transforms with the metadata of their file; frames without a measured pose are not registered there. */
    public Transforms saved() {
        Transforms transforms = new Transforms();
        for (ChainRow row : rows) {
            transforms.put(row.frame, row.transform, row.registered);
        }
        return transforms;
    }

    /** The participle of the summary, "aligned". */
    public final String done() {
        return done;
    }

    /** Description of the field of view, for people. */
    public final String field() {
        return field;
    }

    /** Number of frames whose pose is an estimate, the first one or the reference included. */
    public final int registered() {
        int n = 0;
        for (ChainRow row : rows) {
            n += row.registered ? 1 : 0;
        }
        return n;
    }

    /** No frame is registered with another one or with the other image. */
    public boolean isEmpty() {
        return registered() < 2;
    }

    /** One line for people: "12 of 14 frames aligned; not aligned: frames 4-5 (no content)". */
    public final String summary() {
        List<String> missing = new ArrayList<String>();
        for (Status status : Status.values()) {
            if (status != Status.OK && status != Status.NEW_START && !frames(status).isEmpty()) {
                missing.add(frames(status) + " (" + status + ")");
            }
        }
        String starts = frames(Status.NEW_START);
        return registered() + " of " + rows.size() + (rows.size() == 1 ? " frame " : " frames ") + done
                + (missing.isEmpty() ? "" : "; not " + done + ": " + String.join(", ", missing))
                + (starts.isEmpty() ? "" : "; pose not measured: " + starts + " (" + Status.NEW_START + ")");
    }

    /** Every frame is registered. */
    public final boolean complete() {
        return registered() == rows.size() && frames(Status.NEW_START).isEmpty();
    }

    /** Logs the frames that are missing from a run that came to its end. */
    public final void tell(Progress progress) {
        if (!complete() && !isEmpty() && !cancelled() && failure() == null) {
            progress.lost("not every frame is " + done + ": " + summary());
        }
    }

    private String frames(Status status) {
        return Frames.ranges(rows.size(), i -> rows.get(i).frame, i -> rows.get(i).status == status);
    }
}
