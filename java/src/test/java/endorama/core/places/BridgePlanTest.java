package endorama.core.places;

import static org.junit.jupiter.api.Assertions.assertEquals;

import endorama.core.pairs.FrameRow;
import endorama.core.pairs.Link;
import endorama.core.transforms.Transform;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BridgePlanTest {
    private static final double POOR = 0.2;
    private static final double GOOD = 0.15;

    private final List<FrameRow> rows = new ArrayList<FrameRow>();
    private final List<Link> links = new ArrayList<Link>();

    /** A frame that was registered against that one, both counted from 0; against itself: a chain begins. */
    private void frame(int reference, double deviation, boolean doubtful) {
        FrameRow row = new FrameRow(rows.size() + 1);
        row.reference = reference + 1;
        row.registered = true;
        if (reference < rows.size()) {
            links.add(link(reference, rows.size(), deviation, doubtful));
        }
        rows.add(row);
    }

    private void chain(int frames, double deviation) {
        frame(rows.size(), Double.NaN, false);
        for (int i = 1; i < frames; i++) {
            frame(rows.size() - 1, deviation, false);
        }
    }

    private static Link link(int reference, int current, double deviation, boolean doubtful) {
        return new Link(reference, current, Transform.translation(0, 0), deviation, doubtful);
    }

    private String plan() {
        StringBuilder pairs = new StringBuilder();
        for (int[] pair : BridgePlan.of(rows, links)) {
            pairs.append(pair[0]).append('-').append(pair[1]).append(' ');
        }
        return pairs.toString().trim();
    }

    @Test
    void framesThatOnlyNeighboursTieAreBridgedTwoAndThreeApart() {
        chain(6, POOR);
        assertEquals("0-2 1-3 0-3 2-4 1-4 3-5 2-5", plan());
    }

    @Test
    void fourStepsAreEnoughAndThreeAreNot() {
        chain(4, POOR);
        assertEquals("", plan());
        frame(3, POOR, false);
        assertEquals("0-2 1-3 0-3 2-4 1-4", plan());
    }

    /** Beyond a pair with a key frame the steps are counted anew. */
    @Test
    void whatAnotherPairSpansIsNotBridged() {
        chain(8, POOR);
        links.add(link(0, 4, GOOD, false));
        assertEquals("", plan());
        frame(7, POOR, false);
        assertEquals("4-6 5-7 4-7 6-8 5-8", plan());
    }

    @Test
    void preciseNeighboursAreNotBridged() {
        chain(6, GOOD);
        assertEquals("", plan());
    }

    /** The step from 4 to 5 alone. */
    @Test
    void onlyPairsAcrossAWeakStepArePlanned() {
        chain(5, GOOD);
        frame(4, POOR, false);
        frame(5, GOOD, false);
        frame(6, GOOD, false);
        assertEquals("3-5 2-5 4-6 3-6 4-7", plan());
    }

    @Test
    void whatIsDoubtfulIsWeak() {
        chain(5, GOOD);
        frame(4, GOOD, true);
        assertEquals("3-5 2-5", plan());
    }

    /** Frame 3 was left out: frame 4 was registered with frame 2. */
    @Test
    void framesThatWereLeftOutAreNoStep() {
        chain(3, POOR);
        frame(2, POOR, false);
        rows.get(3).registered = false;
        links.remove(links.size() - 1);
        frame(2, POOR, false);
        frame(4, POOR, false);
        assertEquals("0-2 1-4 0-4 2-5 1-5", plan());
    }

    @Test
    void nothingIsBridgedFromOneChainToAnother() {
        chain(4, POOR);
        chain(5, POOR);
        links.add(link(0, 7, GOOD, false));
        assertEquals("4-6 5-7 4-7 6-8 5-8", plan());
    }
}
