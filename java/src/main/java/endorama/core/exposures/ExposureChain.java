package endorama.core.exposures;

import endorama.core.exposures.ExposurePairs.Shift;
import endorama.core.exposures.ExposureRow.Status;
import endorama.core.frames.FrameReadException;
import java.util.ArrayList;
import java.util.List;

/**
 * From shifts between frames to the place of each, and the rule for frames that cannot be aligned. Such a frame keeps
 * the place of the last aligned one, or gets the one that the motion model predicts; the frame after it is compared
 * with the last aligned one too. If that fails, but it can be aligned with the frame before it, a new start is made
 * there: the frames from there on are aligned with one another, at a place that is not measured.
 *
 * <p>The first frame with content begins the path. Where frames came before it, it says what it is compared with the
 * last of them, until another frame is aligned with it: nothing has been measured so far.
 */
final class ExposureChain {
    private final int fixed;
    private final ExposurePath path;
    private final List<ExposureRow> rows = new ArrayList<ExposureRow>();
    /** The last aligned frame, and the last one that could be read; -1 if none. */
    private int last = -1;
    private int before = -1;
    private int aligned;
    /** How a beginning after other frames sees itself, until a frame is aligned with it; or null. */
    private Shift unproven;

    /**
     * An empty chain.
     *
     * @param fixed number of the frame that all are compared with, or {@link ExposureParameters#PREVIOUS}
     */
    ExposureChain(int fixed, ExposurePath path) {
        this.fixed = fixed;
        this.path = path;
    }

    /** One row a frame, as far as frames were added. */
    List<ExposureRow> rows() {
        return rows;
    }

    /** Number of the next frame. */
    int next() {
        return rows.size();
    }

    /** Frames that later ones may be compared with; -1 for none. */
    int[] needed() {
        return new int[] {fixed, fixed < 0 ? last : -1, fixed < 0 ? before : -1};
    }

    /** The pairs that {@link #add} will ask for if every frame can be aligned: reference, frame ... */
    List<Integer> expected(List<Integer> frames) {
        List<Integer> pairs = new ArrayList<Integer>();
        int reference = fixed < 0 ? before : fixed;
        for (int frame : frames) {
            pairs.add(reference < 0 ? frame : reference);
            pairs.add(frame);
            reference = fixed < 0 ? frame : fixed;
        }
        return pairs;
    }

    /** A frame that could not be read. */
    void skip() {
        ExposureRow row = new ExposureRow(rows.size() + 1);
        path.hold(row);
        rows.add(row);
    }

    /** The next frame. */
    void add(ExposurePairs pairs, String backend) throws FrameReadException {
        int frame = rows.size();
        ExposureRow row = new ExposureRow(frame + 1);
        row.backend = backend;
        if (frame == fixed || fixed < 0 && last < 0) {
            start(row, pairs);
        } else {
            follow(row, pairs);
        }
        rows.add(row);
        before = frame;
    }

    /** Where the path begins, or passes the fixed reference: at (0, 0). Frames up to the first with content stay there. */
    private void start(ExposureRow row, ExposurePairs pairs) throws FrameReadException {
        if (fixed < 0 && before >= 0 && pairs.get(before, row.frame - 1).ok()) {
            beginBefore(row, pairs.get(before, row.frame - 1));
            return;
        }
        Shift self = pairs.get(row.frame - 1, row.frame - 1);
        self.describe(row);
        row.reference = row.frame;
        if (!self.hasContent()) {
            path.hold(row);
            return;
        }
        begin(row);
        if (fixed >= 0) {
            path.measured(row, 0, 0, self);
            return;
        }
        path.start(row);
        if (before >= 0) {
            unproven = self;
            pairs.get(before, row.frame - 1).describe(row);
            row.reference = before + 1;
            row.registered = false;
        }
    }

    /** Neither frame shows much by itself, but one is aligned with the other. */
    private void beginBefore(ExposureRow row, Shift shift) {
        begin(rows.get(before));
        path.start(rows.get(before));
        row.reference = before + 1;
        shift.describe(row);
        measured(row, shift);
    }

    private void begin(ExposureRow row) {
        row.status = Status.OK;
        row.registered = true;
        last = row.frame - 1;
        aligned++;
    }

    /** A frame is aligned with the beginning. */
    private void prove() {
        if (unproven != null) {
            ExposureRow row = rows.get(last);
            unproven.describe(row);
            row.reference = row.frame;
            row.status = Status.OK;
            row.registered = true;
            unproven = null;
        }
    }

    private void follow(ExposureRow row, ExposurePairs pairs) throws FrameReadException {
        int frame = row.frame - 1;
        int reference = fixed < 0 ? last : fixed;
        row.reference = reference + 1;
        Shift shift = pairs.get(reference, frame);
        shift.describe(row);
        if (shift.ok()) {
            measured(row, shift);
        } else if (fixed < 0 && before != last && pairs.get(before, frame).ok()) {
            startAgain(pairs.get(last, before));
            row.reference = before + 1;
            pairs.get(before, frame).describe(row);
            measured(row, pairs.get(before, frame));
        } else {
            path.hold(row);
            relate(row);
        }
    }

    private void measured(ExposureRow row, Shift shift) {
        double[] origin = fixed < 0 ? place(row.reference - 1) : new double[2];
        row.registered = path.measured(row, origin[0], origin[1], shift);
        if (row.registered) {
            prove();
            last = row.frame - 1;
            aligned++;
        } else {
            row.status = Status.LOW_CERTAINTY;
        }
        relate(row);
    }

    private double[] place(int frame) {
        return new double[] {rows.get(frame).x, rows.get(frame).y};
    }

    /** Says where the row lies in its reference. */
    private void relate(ExposureRow row) {
        double[] origin = fixed < 0 ? place(row.reference - 1) : new double[2];
        row.dx = row.x - origin[0];
        row.dy = row.y - origin[1];
    }

    /** With the frame before, whose place is not measured; a first frame that nothing was aligned with is given up. */
    private void startAgain(Shift failed) {
        ExposureRow row = rows.get(before);
        unproven = null;
        if (aligned == 1) {
            ExposureRow lost = rows.get(last);
            failed.describe(lost);
            lost.registered = false;
            row.status = Status.OK;
            row.reference = row.frame;
            row.predicted = false;
        } else {
            row.status = Status.NEW_START;
            aligned++;
        }
        row.registered = true;
        last = before;
        path.start(row);
    }
}
