package endorama.core.mosaic;

import endorama.core.common.Progress;
import endorama.core.frames.Frames;
import endorama.core.pairs.FrameRow;
import endorama.core.pairs.FrameRow.Status;
import java.util.ArrayList;
import java.util.List;

/** The frames of a chain that failed since its last good one, and the stretches of such frames; what is said of them. */
final class ChainFailures {
    private final Progress progress;
    /** First and last frame of each. */
    private final List<int[]> gaps = new ArrayList<int[]>();
    /** Of the first of them; null: none. */
    private FrameRow row;
    private int count;

    ChainFailures(Progress progress) {
        this.progress = progress;
    }

    /** One frame more. */
    void add(FrameRow failed) {
        count++;
        if (row == null) {
            row = failed;
        }
    }

    boolean any() {
        return row != null;
    }

    int count() {
        return count;
    }

    /** The first of them, from 0. */
    int first() {
        return row.frame - 1;
    }

    /** A frame is good. */
    void clear() {
        count = 0;
        row = null;
    }

    /** Stretches that failed between good frames, or at the end: numbers of the first and the last. */
    List<int[]> gaps() {
        return gaps;
    }

    // ----------------------------------------------------------------- words

    /** In words, why the first of them failed. */
    private String reason() {
        return row.status == Status.NO_TEXTURE ? "no texture"
                : row.status == Status.FEW_LANDMARKS ? "too few landmarks fit"
                : row.status == Status.OUTLIER ? "a part of it does not show what the frames around it show"
                : "jump to another scene";
    }

    /** A good frame follows the last good one over them. */
    void close(int last, int frame) {
        if (any()) {
            gaps.add(new int[] {first(), frame - 1});
            progress.log(Frames.range(first(), frame - 1) + ": not registered (" + reason() + "); frame "
                    + (frame + 1) + " continues from frame " + (last + 1));
        }
    }

    /** There is no frame after `end`; the chain holds the frames from..last. */
    void closeLast(int end, int from, int last) {
        gaps.add(new int[] {first(), end});
        progress.log(Frames.range(first(), end) + ": not registered (" + reason() + "); the chain holds "
                + Frames.range(from, last));
        row = null;
    }

    /** They are too many; the chain holds the frames from..last. */
    void logEnd(int from, int last) {
        progress.log("frame " + row.frame + ": " + reason() + "; the chain from frame " + (from + 1)
                + " ends with frame " + (last + 1));
    }
}
