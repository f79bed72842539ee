package endorama.core.places;

import endorama.core.pairs.FrameRow;
import endorama.core.transforms.Drift;
import endorama.core.transforms.Transform;
import java.util.List;
import java.util.Locale;

/**
 * Looks whether the solution has put two frames far from where they were registered with each other. Where a loop cannot be
 * closed, in a hollow organ that is no plane or by a lens that distorts, the pairs contradict each other by more than they
 * know of, and the one that is given up is where the panorama is torn, though each pair by itself looks well.
 *
 * <p>Of six sequences the pair that was changed most was changed by 0.1 to 0.5 px; inside a ball by 375 px.
 * Along the edge between two walls it was 6 px, beside frames whose deviations were 0.1 px.
 */
public final class TearWatch {
    /** People are told of so much, root mean square over the corners of a frame, px; */
    private static final double TEAR = 8;
    /** and from so much on places are not believed to be more exact than that. */
    private static final double NOTICED = 1;

    private TearWatch() {
    }

    /** The widest tear between registered frames, for people; null if there is none. */
    public static String warning(List<FrameRow> rows, int width, int height) {
        FrameRow widest = null;
        double most = TEAR;
        for (FrameRow row : rows) {
            double tear = tear(row, rows, width, height);
            if (tear > most) {
                most = tear;
                widest = row;
            }
        }
        return widest == null ? null : String.format(Locale.ROOT, "frame %d: lies %.0f px from where it was registered with"
                + " frame %d, since other frames contradict that: the panorama is torn between the two; register it in parts"
                + " (option frames)", widest.frame, most, widest.reference);
    }

    /** 0 where a frame was not registered with another one of its part. */
    private static double tear(FrameRow row, List<FrameRow> rows, int width, int height) {
        if (!isSure(row) || row.reference < 1 || row.reference > rows.size()) {
            return 0;
        }
        FrameRow reference = rows.get(row.reference - 1);
        if (reference == row || !isSure(reference) || reference.part != row.part) {
            return 0;
        }
        return tear(reference.transform, row.transform, reference.chained, row.chained, width, height);
    }

    /**
     * How far a frame of width x height px was moved from where it was registered with another one, px of that: root mean
     * square over its corners.
     */
    private static double tear(Transform reference, Transform current, Transform chainedReference, Transform chained,
            int width, int height) {
        return Drift.rms(reference.inverse().multiply(current), chainedReference.inverse().multiply(chained), width, height);
    }

    /**
     * By how much each of two frames may be wrong whose pair is torn, px of the first of them: half of the tear, whichever
     * of the two is where it should be; 0 where there is hardly any.
     */
    static double half(Transform reference, Transform current, Transform chainedReference, Transform chained, int width,
            int height) {
        if (!reference.isInvertible() || !chainedReference.isInvertible()) {
            return 0;
        }
        double tear = tear(reference, current, chainedReference, chained, width, height);
        return tear > NOTICED ? tear / 2 : 0;
    }

    private static boolean isSure(FrameRow row) {
        return row.registered && !row.doubtful && row.chained != null && row.chained.isInvertible()
                && row.transform.isInvertible();
    }
}
