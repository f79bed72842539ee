package endorama.core.exposures;

import endorama.core.common.RunResult;
import endorama.core.engine.FieldOfView;
import endorama.core.exposures.ExposureRow.Status;
import endorama.core.frames.Frames;
import endorama.core.transforms.Transforms;
import java.util.Collections;
import java.util.List;

/** What aligning exposures gave, complete or not: everything that was computed before it ended is here. */
public final class ExposureResult extends RunResult {
    private final List<ExposureRow> rows;
    private final FieldOfView field;

    ExposureResult(List<ExposureRow> rows, FieldOfView field, String backend, double seconds, boolean cancelled,
            RuntimeException failure) {
        super(backend, seconds, cancelled, failure);
        this.rows = Collections.unmodifiableList(rows);
        this.field = field;
    }

    /** One row a frame, up to where the run came. */
    public List<ExposureRow> rows() {
        return rows;
    }

    /** What a transforms file needs to know; frames whose place is not measured are not registered there. */
    public Transforms saved() {
        Transforms transforms = new Transforms();
        for (ExposureRow row : rows) {
            transforms.put(row.frame, row.transform(), row.registered);
        }
        return transforms;
    }

    /** Which pixels of a frame counted. */
    public FieldOfView field() {
        return field;
    }

    /** Frames whose place is an estimate, the first one included. */
    public int registered() {
        int n = 0;
        for (ExposureRow row : rows) {
            n += row.registered ? 1 : 0;
        }
        return n;
    }

    /** One line for people: "12 of 14 frames aligned; no content: frames 4-5". */
    public String summary() {
        StringBuilder line = new StringBuilder();
        line.append(registered()).append(" of ").append(rows.size()).append(" frames aligned");
        for (Status status : Status.values()) {
            if (status != Status.OK) {
                String frames = frames(status);
                String what = status == Status.NEW_START ? status + ", place not measured" : status.toString();
                line.append(frames.isEmpty() ? "" : "; " + what + ": ").append(frames);
            }
        }
        return line.toString();
    }

    /** Every frame is aligned. */
    public boolean complete() {
        return registered() == rows.size() && frames(Status.NEW_START).isEmpty();
    }

    private String frames(Status status) {
        return Frames.ranges(rows.size(), i -> rows.get(i).status == status);
    }
}
