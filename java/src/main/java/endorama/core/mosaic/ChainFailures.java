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
        switch (row.status) {
            case NO_TEXTURE:
                return "no texture";
            case FEW_LANDMARKS:
                return "too few landmarks fit";
            case OUTLIER:
                return "a part of it does not show what the frames around it show";
            case ASLANT:
                return "too far aslant to be painted";
            default:
                return "another scene, or moved too far";
        }
    }

    /** The same of several frames, up to end: they need not all have failed by it. */
    private String reason(int end) {
        return end == first() ? reason() : "frame " + row.frame + ": " + reason();
    }

    /** What one chain leaves out another may take in: so each is named, by its first frame. */
    private static String chain(int from) {
        return "the chain from frame " + (from + 1);
    }

    /** A good frame follows over them. */
    void close(int from, int frame) {
        if (any()) {
            gaps.add(new int[] {first(), frame - 1});
            progress.log(chain(from) + " leaves out " + Frames.range(first(), frame - 1) + " (" + reason(frame - 1)
                    + ") and goes on with frame " + (frame + 1));
        }
    }

    /** There is no frame after `end`; the chain holds the frames from..last. */
    void closeLast(int end, int from, int last) {
        gaps.add(new int[] {first(), end});
        progress.log((from == last ? "no frame up to frame " + (end + 1) + " goes on from frame " + (from + 1)
                : chain(from) + " ends with frame " + (last + 1) + ", and leaves out " + Frames.range(first(), end))
                + " (" + reason(end) + ")");
        row = null;
    }

    /** They are too many; the chain holds the frames from..last. */
    void logEnd(int from, int last) {
        progress.log(chain(from) + " ends with frame " + (last + 1) + " (frame " + row.frame + ": " + reason() + ")");
    }
}
