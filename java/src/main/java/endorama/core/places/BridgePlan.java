package endorama.core.places;

import endorama.core.pairs.FrameRow;
import endorama.core.pairs.Link;
import java.util.ArrayList;
import java.util.List;

/**
 * Pairs across one or two frames of a chain, where nothing but pairs of neighbours ties its frames: over tissue that moves
 * against itself no frame may go with its key frame, and what one pair of neighbours errs by would then stay in all frames
 * after it. Frames with key frames that they go with need no more pairs, and get none; nor do precise neighbours, to which
 * frames further away, seen from elsewhere, would add what moves against itself.
 */
public final class BridgePlan {
    /** So many pairs of neighbours in a row that no other pair spans: one frame in so many was registered with its key frame. */
    static final int LEAST = 4;
    /** Deviation of a pair of neighbours, px, from which on it is bridged: half of what a pair that is sure may have. */
    static final double WEAK = 0.175;
    /** Pairs of neighbours that one spans, at least and at most. */
    private static final int SHORTEST = 2;
    private static final int LONGEST = 3;

    private final List<FrameRow> rows;
    /** A pair further apart spans the step from a frame's reference to the frame. */
    private final boolean[] spanned;
    /** The pair of a frame and its reference says too little where the frame lies. */
    private final boolean[] weak;

    private BridgePlan(List<FrameRow> rows, List<Link> links) {
        this.rows = rows;
        spanned = new boolean[rows.size()];
        weak = new boolean[rows.size()];
        for (Link link : links) {
            if (before(link.current) == link.reference) {
                weak[link.current] = link.doubtful || link.deviation >= WEAK;
            } else {
                span(link);
            }
        }
    }

    /** Numbers of frames, the reference first, in the order of the sequence. */
    public static List<int[]> of(List<FrameRow> rows, List<Link> links) {
        BridgePlan plan = new BridgePlan(rows, links);
        List<int[]> pairs = new ArrayList<int[]>();
        int[] run = plan.runs();
        for (int frame = 0; frame < run.length; frame++) {
            plan.add(frame, run[frame], pairs);
        }
        return pairs;
    }

    /** The frame that it was registered with as the chain grew; -1: there is none. */
    private int before(int frame) {
        FrameRow row = rows.get(frame);
        int reference = row.reference - 1;
        return row.registered && reference >= 0 && reference < frame ? reference : -1;
    }

    /** All steps from one frame of the pair to the other, if the chain leads there. */
    private void span(Link link) {
        int end = link.current;
        while (end > link.reference) {
            end = before(end);
        }
        for (int frame = link.current; end == link.reference && frame > end; frame = before(frame)) {
            spanned[frame] = true;
        }
    }

    /** Of each frame the length of the run of steps that nothing spans, counted up to it; 0 of frames in shorter runs. */
    private int[] runs() {
        int[] run = new int[spanned.length];
        boolean[] isLong = new boolean[spanned.length];
        for (int frame = 0; frame < run.length; frame++) {
            int before = before(frame);
            run[frame] = before < 0 || spanned[frame] ? 0 : run[before] + 1;
            for (int at = frame; run[frame] >= LEAST && run[at] > 0 && !isLong[at]; at = before(at)) {
                isLong[at] = true;
            }
        }
        for (int frame = 0; frame < run.length; frame++) {
            run[frame] = isLong[frame] ? run[frame] : 0;
        }
        return run;
    }

    private void add(int frame, int run, List<int[]> pairs) {
        int reference = frame;
        boolean isWeak = false;
        for (int steps = 1; steps <= Math.min(run, LONGEST); steps++) {
            isWeak |= weak[reference];
            reference = before(reference);
            if (isWeak && steps >= SHORTEST) {
                pairs.add(new int[] {reference, frame});
            }
        }
    }
}
