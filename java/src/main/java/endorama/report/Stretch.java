package endorama.report;

import endorama.core.frames.Frames;
import endorama.core.mosaic.FrameRow;
import endorama.jni.NativeMosaic;
import java.util.ArrayList;
import java.util.List;

/** Consecutive frames that fared alike. */
final class Stretch {
    /** How a frame fared. */
    enum Fate {
        /** In a panorama. */
        PLACED,
        /** In a panorama, with an uncertain position. */
        UNCERTAIN,
        /** In no panorama. */
        MISSING
    }

    /** Indices of the first and the last frame, from 0. */
    final int first, last;
    final Fate fate;
    /** Number of the panorama; 0: none. */
    final int part;
    private final FrameRow.Status status;
    private final String name;

    private Stretch(int first, int last, FrameRow row, String name) {
        this.name = name;
        this.first = first;
        this.last = last;
        fate = fate(row);
        part = part(row);
        status = row.status;
    }

    private static Fate fate(FrameRow row) {
        return !row.registered ? Fate.MISSING : row.isUncertain() ? Fate.UNCERTAIN : Fate.PLACED;
    }

    private static int part(FrameRow row) {
        return row.registered ? row.part : 0;
    }

    /** The stretches of a run, in order; together all of its frames. */
    static List<Stretch> of(List<FrameRow> rows) {
        List<Stretch> stretches = new ArrayList<Stretch>();
        for (int first = 0; first < rows.size();) {
            FrameRow row = rows.get(first);
            int end = first + 1;
            while (end < rows.size() && fate(rows.get(end)) == fate(row) && part(rows.get(end)) == part(row)
                    && (rows.get(end).status == row.status || row.registered)) {
                end++;
            }
            stretches.add(new Stretch(first, end - 1, row, Frames.range(row.frame, rows.get(end - 1).frame)));
            first = end;
        }
        return stretches;
    }

    /** "frames 4-9". */
    String name() {
        return name;
    }

    /** The frame that stands for all of them. */
    int middle() {
        return (first + last) / 2;
    }

    /** Why the frames have to be looked at, in a sentence; events: what the run told. */
    String reason(List<NativeMosaic.Event> events) {
        for (NativeMosaic.Event event : events) {
            boolean isTorn = event.kind == NativeMosaic.LAYERS && event.level == NativeMosaic.LOST;
            if (fate == Fate.UNCERTAIN && isTorn && event.first <= last && event.last >= first) {
                return "Position uncertain: two motions are seen, perhaps of an instrument and of the scene, and nothing"
                        + " says which is the scene's.";
            }
        }
        if (fate == Fate.UNCERTAIN) {
            return "Position uncertain: few matching points, or contradicting ones, tie it to the other frames. It is painted only"
                    + " where no other frame is.";
        }
        switch (status) {
            case FEW_LANDMARKS: return "Too few of its details match the frames around it; often it is blurred, noisy or covered.";
            case NO_TEXTURE: return "It has no details to match: black, overexposed or out of focus.";
            case OUTLIER: return "A part of it shows something else than the frames around it, which agree with each other.";
            case OBLIQUE: return "It looks at the scene from so far aside that it cannot be painted.";
            case NOT_PLACED: return "All its links to other frames are switched off.";
            case SKIPPED: return "It could not be read, or the run ended before it.";
            default: return "It does not fit the frames around it: another scene, a step too far, or too much blur or noise.";
        }
    }
}
