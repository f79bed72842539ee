package endorama.core.exposures;

import endorama.core.common.RunResult;
import endorama.core.engine.AlignedFrames;
import endorama.core.engine.FieldOfView;
import endorama.core.exposures.ExposureRow.Status;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.transforms.Rect;
import endorama.core.transforms.Transform;
import endorama.core.transforms.Transforms;
import java.util.ArrayList;
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

    /**
     * The frames that there are rows for, in their places.
     *
     * @param source of the run
     * @throws IllegalArgumentException if they have nothing in common and only that is wanted
     */
    public AlignedFrames aligned(FrameSource source, ExposureParameters parameters) {
        List<Transform> places = new ArrayList<Transform>();
        for (ExposureRow row : rows) {
            places.add(row.status == Status.SKIPPED ? null : row.transform());
        }
        Rect shown = parameters.crop() ? common(source, places) : new Rect(0, 0, source.width(), source.height());
        return new AlignedFrames(source, places, shown, parameters.threads());
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
