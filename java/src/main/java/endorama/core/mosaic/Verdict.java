package endorama.core.mosaic;

import endorama.core.frames.Frames;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Verdict on the panorama of a run, for somebody who has to decide whether to use it: a grade, why, and what to do next. No
 * panorama is good while a frame is missing, uncertain or unchecked.
 */
public final class Verdict {
    /** How far a panorama can be used. */
    public enum Grade {
        /** Every frame is in one panorama, surely placed, and nothing is warned of. */
        GOOD("good"),
        /** Usable, but something has to be looked at before. */
        LOOK("look at these"),
        /** Most of the sequence is not surely in a panorama, or it is in too many pieces. */
        BROKEN("broken");

        private final String words;

        Grade(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    /** Least share of the frames that must be surely placed, and that the largest panorama must hold, in per cent. */
    private static final int SURE_PERCENT = 50;
    private static final int LARGEST_PERCENT = 25;

    private final List<FrameRow> rows;
    private final List<String> found = new ArrayList<String>();
    private final List<String> next = new ArrayList<String>();
    private final boolean failed;

    private Verdict(List<FrameRow> rows, boolean failed) {
        this.rows = rows;
        this.failed = failed;
    }

    /**
     * The verdict on the frames of a run.
     *
     * @param full why not all frames could be painted; null if all could
     * @param stopped the run was cancelled
     * @param failed the run ended with an error
     */
    static Verdict of(List<FrameRow> rows, List<String> warnings, String full, boolean stopped, boolean failed) {
        Verdict verdict = new Verdict(rows, failed);
        verdict.say(failed, "the run failed", "see the error, and run it again");
        verdict.say(stopped, "it was stopped after " + rows.size() + " frames", "run it to its end");
        verdict.say(verdict.count(r -> r.registered) < 2, "no frame could be matched with another",
                "see whether the frames follow each other and overlap, and whether the field of view is right");
        verdict.say(warnings.size() == 1, "there is a warning", "do what the warning says");
        verdict.say(warnings.size() > 1, "there are " + warnings.size() + " warnings", "do what the first warning says");
        verdict.say(full != null, "the panorama reached its largest size",
                "raise max_canvas, or look for frames that lie far off");
        verdict.sayFrames();
        return verdict;
    }

    private void say(boolean is, String what, String todo) {
        if (is) {
            found.add(what);
            next.add(todo);
        }
    }

    private void sayFrames() {
        int panoramas = panoramas();
        say(panoramas > 1, "the frames make " + panoramas + " panoramas, the largest of " + framesOf(1) + " frames",
                "look at each panorama; nothing was found that ties them together");
        say(count(FrameRow::isUncertain) > 0, named(FrameRow::isUncertain) + " of uncertain position",
                "compare the panorama with these frames");
        say(count(r -> !r.registered) > 0, named(r -> !r.registered) + " missing",
                "look at the missing frames: what they alone show is not in the panorama");
        boolean isUnchecked = count(r -> r.registered) > 1 && count(r -> r.registered && Double.isNaN(r.deviation)) > 0;
        say(isUnchecked, "positions were not checked against each other",
                "compare the panorama with the frames, or take solve=Global");
    }

    private int count(Predicate<FrameRow> meant) {
        return (int) rows.stream().filter(meant).count();
    }

    private int framesOf(int part) {
        return count(r -> r.registered && r.part == part);
    }

    private int panoramas() {
        int most = 0;
        for (FrameRow row : rows) {
            most = row.registered ? Math.max(most, row.part) : most;
        }
        return most;
    }

    /** "4 of 40 frames (frames 10-13) are". */
    private String named(Predicate<FrameRow> meant) {
        int n = count(meant);
        String which = Frames.fewRanges(rows.size(), i -> rows.get(i).frame, i -> meant.test(rows.get(i)));
        return n + " of " + rows.size() + " frames (" + which + ")"
                + (n == 1 ? " is" : " are");
    }

    public Grade grade() {
        int sure = count(r -> r.registered && !r.doubtful);
        boolean isBroken = failed || count(r -> r.registered) < 2 || 100 * sure < SURE_PERCENT * rows.size()
                || 100 * framesOf(1) < LARGEST_PERCENT * rows.size();
        return found.isEmpty() ? Grade.GOOD : isBroken ? Grade.BROKEN : Grade.LOOK;
    }

    /** Why: "4 of 40 frames (frames 10-13) are missing". */
    public String sentence() {
        return found.isEmpty() ? "all " + rows.size() + " frames are in one panorama" : String.join("; ", found);
    }

    /** The first thing to do about the run; "" if there is none. */
    public String next() {
        return next.isEmpty() ? "" : next.get(0);
    }

    /** One line: "look at these: 4 of 40 frames (frames 10-13) are missing. Next: ...". */
    @Override
    public String toString() {
        return grade() + ": " + sentence() + (next.isEmpty() ? "" : ". Next: " + next());
    }
}
