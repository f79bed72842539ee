package endorama.core.places;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import endorama.core.pairs.FrameRow;
import endorama.core.transforms.Transform;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TearWatchTest {
    /** Three frames 10 px apart, of which the last lies further than it was registered. */
    private static List<FrameRow> rows(double further) {
        List<FrameRow> rows = new ArrayList<FrameRow>();
        for (int i = 1; i <= 3; i++) {
            FrameRow row = new FrameRow(i);
            row.reference = Math.max(1, i - 1);
            row.part = 1;
            row.registered = true;
            row.chained = Transform.translation(10 * i, 0);
            row.transform = Transform.translation(10 * i + (i == 3 ? further : 0), 3);
            rows.add(row);
        }
        return rows;
    }

    private static String warning(List<FrameRow> rows) {
        return TearWatch.warning(rows, 320, 240);
    }

    @Test
    void saysWhereAndHowWide() {
        assertNull(warning(rows(7.9)));
        assertNull(warning(rows(-7.9)));
        assertEquals("frame 3: lies 8 px from where it was registered with frame 2, since other frames contradict that: the"
                + " panorama is torn between the two; register it in parts (option frames)", warning(rows(8.1)));
        List<FrameRow> both = rows(20);
        both.get(1).transform = Transform.translation(20 + 9, 3);
        assertEquals("frame 3: lies 11 px", warning(both).substring(0, 19));
    }

    private static double half(double further) {
        FrameRow[] rows = rows(further).toArray(new FrameRow[0]);
        return TearWatch.half(rows[1].transform, rows[2].transform, rows[1].chained, rows[2].chained, 320, 240);
    }

    /** Narrow ones are not told, but known of. */
    @Test
    void halfOfATearMayBeWrong() {
        assertEquals(0, half(0.9));
        assertEquals(0.55, half(-1.1), 1e-9);
        assertEquals(4.5, half(9), 1e-9);
    }

    /** A frame that is only predicted or doubtful, the first one, one of another part or without a chain says nothing. */
    @Test
    void looksOnlyAtWhatWasRegistered() {
        List<FrameRow> rows = rows(100);
        rows.get(2).registered = false;
        assertNull(warning(rows));
        rows = rows(100);
        rows.get(1).doubtful = true;
        assertNull(warning(rows));
        rows = rows(100);
        rows.get(2).part = 2;
        assertNull(warning(rows));
        rows = rows(100);
        rows.get(2).chained = null;
        assertNull(warning(rows));
        rows = rows(100);
        rows.get(2).reference = 0;
        assertNull(warning(rows));
        assertNull(warning(rows(0).subList(0, 1)));
    }
}
