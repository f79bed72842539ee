package endorama.core.fourier;

import endorama.core.exposures.ExposureParameters;
import endorama.core.fourier.FourierPairs.Match;
import endorama.core.fourier.FourierRow.Status;
import endorama.core.frames.FrameReadException;
import endorama.core.transforms.Transform;
import java.util.ArrayList;
import java.util.List;

/**
 * From pairs to the transform of each frame. A frame that cannot be registered stays out of the chain: the next one is
 * compared with the last that could. The first frame with content begins it; where nothing can be registered with that
 * one, but two frames after it with each other, the chain begins there.
 */
final class FourierChain {
    private final int fixed;
    private final List<FourierRow> rows = new ArrayList<FourierRow>();
    /** The last registered frame, and the last one that could be read; -1 if none. */
    private int last = -1;
    private int before = -1;
    private int registered;

    /**
     * An empty chain.
     *
     * @param fixed number of the frame that all are compared with, which may lie behind the last one, or
     *     {@link ExposureParameters#PREVIOUS}
     */
    FourierChain(int fixed) {
        this.fixed = fixed;
    }

    /** One row a frame, as far as frames were added. */
    List<FourierRow> rows() {
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

    /** The pairs that {@link #add} will ask for if every frame can be registered: reference, frame ... */
    List<Integer> expected(List<Integer> frames) {
        List<Integer> pairs = new ArrayList<Integer>();
        int reference = fixed < 0 ? last : fixed;
        for (int frame : frames) {
            pairs.add(reference < 0 ? frame : reference);
            pairs.add(frame);
            reference = fixed < 0 ? frame : fixed;
        }
        return pairs;
    }

    /** A frame that could not be read. */
    void skip() {
        rows.add(row());
    }

    /** With the transform of the last registered frame. */
    private FourierRow row() {
        FourierRow row = new FourierRow(rows.size() + 1);
        if (fixed < 0 && last >= 0) {
            row.transform = rows.get(last).transform;
        }
        return row;
    }

    /** The next frame; source: how many frames there are, without another image behind them. */
    void add(FourierPairs pairs, int source, String backend) throws FrameReadException {
        FourierRow row = row();
        int frame = rows.size();
        row.backend = backend;
        if (frame == fixed || fixed < 0 && last < 0) {
            begin(row, pairs.get(frame, frame));
        } else {
            int reference = fixed < 0 ? last : fixed;
            row.reference = reference < source ? reference + 1 : 0;
            follow(row, reference, pairs);
        }
        rows.add(row);
        before = frame;
    }

    /** Compared with itself: is there anything to compare? */
    private void begin(FourierRow row, Match self) {
        row.reference = row.frame;
        row.transform = Transform.IDENTITY;
        self.describe(row);
        if (self.ok()) {
            register(row);
        }
    }

    private void register(FourierRow row) {
        row.registered = true;
        last = row.frame - 1;
        registered++;
    }

    private void follow(FourierRow row, int reference, FourierPairs pairs) throws FrameReadException {
        int frame = row.frame - 1;
        Match match = pairs.get(reference, frame);
        match.describe(row);
        if (match.ok()) {
            measured(row, match);
        } else if (fixed < 0 && registered == 1 && before != last && pairs.get(before, frame).ok()
                && pairs.get(before, before).ok()) {
            beginAgain(pairs);
            row.reference = before + 1;
            pairs.get(before, frame).describe(row);
            measured(row, pairs.get(before, frame));
        }
    }

    private void measured(FourierRow row, Match match) {
        Transform place = fixed < 0 ? rows.get(row.reference - 1).transform : Transform.IDENTITY;
        row.transform = place.multiply(match.transform());
        register(row);
    }

    /** With the frame before: the one that it began with goes with no other. */
    private void beginAgain(FourierPairs pairs) throws FrameReadException {
        FourierRow lost = rows.get(last);
        lost.registered = false;
        lost.reference = before + 1;
        pairs.get(before, last).describe(lost);
        lost.status = lost.status == Status.OK ? Status.LOW_CERTAINTY : lost.status;
        registered = 0;
        begin(rows.get(before), pairs.get(before, before));
    }
}
