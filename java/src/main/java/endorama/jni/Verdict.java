package endorama.jni;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Verdict on the panoramas of a run, {@code endo_mosaic_verdict}, for somebody who has to decide whether to use them. */
public final class Verdict {
    /** How far a panorama can be used, {@code endo_mosaic_grade}. */
    public enum Grade {
        /** Every frame is in one panorama, surely placed, and nothing is warned of. */
        GOOD,
        /** Usable, but something has to be looked at before. */
        LOOK,
        /** Most of the sequence is not surely in a panorama, or it is in too many pieces. */
        BROKEN
    }

    /** Number of texts at most: the word, why, what is next, and the advice. */
    static final int WORDS = 6;

    public final Grade grade;
    /** The grade in words: "look at these". */
    public final String word;
    /** Why: "4 of 40 frames (frames 10-13) are missing". */
    public final String why;
    /** The first thing to do; "" if there is none. */
    public final String next;
    /** What may help, in sentences, the most helpful first. */
    public final List<String> advice;

    Verdict(int grade, byte[][] words) {
        List<String> texts = new ArrayList<String>();
        for (byte[] text : words) {
            if (text != null) {
                texts.add(new String(text, StandardCharsets.UTF_8));
            }
        }
        this.grade = Grade.values()[grade];
        word = texts.get(0);
        why = texts.get(1);
        next = texts.get(2);
        advice = Collections.unmodifiableList(texts.subList(3, texts.size()));
    }

    /** Nothing has to be looked at. */
    public boolean isGood() {
        return grade == Grade.GOOD;
    }

    /** One line: "look at these: 4 of 40 frames (frames 10-13) are missing. Next: ...". */
    @Override
    public String toString() {
        return word + ": " + why + (next.isEmpty() ? "" : ". Next: " + next);
    }
}
