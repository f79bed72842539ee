package endorama.core.mosaic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.mosaic.Verdict.Grade;
import endorama.core.transforms.Transform;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The verdict on a run: never good where anything is missing, uncertain or unchecked. */
class VerdictTest {
    /** Frames by letters: a, b, c in panorama 1, 2, 3; capital: uncertain; - missing; ? unchecked. */
    private static List<FrameRow> rows(String frames) {
        List<FrameRow> rows = new ArrayList<FrameRow>();
        for (char c : frames.toCharArray()) {
            FrameRow row = new FrameRow(rows.size() + 1);
            if (c != '-') {
                row.register(Transform.IDENTITY);
                row.part = c == '?' ? 1 : Character.toLowerCase(c) - 'a' + 1;
                row.doubtful = Character.isUpperCase(c);
                row.deviation = c == '?' ? Double.NaN : 0;
            }
            rows.add(row);
        }
        return rows;
    }

    private static Verdict of(String frames, String... warnings) {
        return Verdict.of(rows(frames), Arrays.asList(warnings), null, false, false);
    }

    @Test
    void wholeIsGood() {
        assertEquals("good: all 4 frames are in one panorama", of("aaaa").toString());
    }

    @Test
    void nothingIsGoodThatIsNotWhole() {
        for (String frames : new String[] {"aaa-", "aaaA", "aaab", "aaa?"}) {
            assertEquals(Grade.LOOK, of(frames).grade(), frames);
            assertTrue(!of(frames).next().isEmpty(), frames);
        }
        assertEquals(Grade.LOOK, of("aaaa", "a lens").grade());
        assertEquals(Grade.LOOK, Verdict.of(rows("aaaa"), Collections.emptyList(), "full", false, false).grade());
        assertEquals(Grade.LOOK, Verdict.of(rows("aaaa"), Collections.emptyList(), null, true, false).grade());
        assertEquals(Grade.BROKEN, Verdict.of(rows("aaaa"), Collections.emptyList(), null, false, true).grade());
        assertEquals(Grade.BROKEN, of("----").grade());
        assertEquals(Grade.BROKEN, of("a").grade());
    }

    @Test
    void fewerThanHalfSureIsBroken() {
        assertEquals(Grade.LOOK, of("aaaaa-----").grade());
        assertEquals(Grade.BROKEN, of("aaaa------").grade());
        assertEquals(Grade.BROKEN, of("aaaaAAAAAA").grade());
    }

    @Test
    void piecesAreBroken() {
        assertEquals(Grade.LOOK, of("aabbccdd").grade());
        assertEquals(Grade.BROKEN, of("aabbccdde").grade());
    }

    @Test
    void sentenceNamesFrames() {
        assertEquals("look at these: 2 of 9 frames (frames 3-4) are of uncertain position; 1 of 9 frames (frame 8) is missing."
                + " Next: compare the panorama with these frames", of("aaAAaaa-a").toString());
        assertEquals("6 of 14 frames (frame 2, frame 4, frame 6, frame 8 and 2 more) are missing",
                of("a-a-a-a-a-a-aa").sentence());
        assertEquals("there are 2 warnings", of("aaaa", "a lens", "a tilt").sentence());
    }
}
