package endorama.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.jni.NativeContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Parts of a panorama, and what pairs say of the places in them. */
class PlacesTest {
    private final List<FrameRow> rows = new ArrayList<FrameRow>();
    private final List<Link> links = new ArrayList<Link>();

    /** A registered frame of a chain, at x in its coordinates. */
    private void frame(int chain, double x) {
        FrameRow row = new FrameRow(rows.size() + 1);
        row.registered = true;
        row.part = chain;
        row.transform = Transform.translation(x, 0);
        rows.add(row);
    }

    private void link(int reference, int current, double x, double deviation) {
        links.add(new Link(reference, current, Transform.translation(x, 0), deviation, false));
    }

    private static double x(Places places, int frame) {
        return places.place(frame).m02;
    }

    @Test
    void partsAreNumberedByTheirSizeAndBeginAtTheirFirstFrame() {
        frame(0, 5);
        frame(1, 7);
        frame(1, 17);
        frame(0, 9);
        frame(1, 27);
        rows.get(3).registered = false;
        Places places = new Places(rows, links);
        assertEquals(2, places.parts());
        assertEquals(Arrays.asList(1, 2, 4), places.frames(1));
        assertEquals(Arrays.asList(0), places.frames(2));
        assertEquals(0, places.part(3));
        assertEquals(1, places.canvas(1));
        assertEquals(Arrays.asList(0.0, 10.0, 20.0), Arrays.asList(x(places, 1), x(places, 2), x(places, 4)));
    }

    /** The first of chain 1 lies at 100 in the last of chain 0. */
    @Test
    void aPairTiesTwoChains() {
        frame(0, 0);
        frame(0, 10);
        frame(1, 3);
        frame(1, 8);
        link(1, 2, 100, 0.1);
        Places places = new Places(rows, links);
        assertEquals(1, places.parts());
        assertEquals(110, x(places, 2), 1e-9);
        assertEquals(115, x(places, 3), 1e-9);
    }

    /** A pair says well where a frame lies if its deviation is 1 px at most; without any pair nothing is doubtful. */
    @Test
    void framesOfPoorPairsAreDoubtful() {
        frame(0, 0);
        frame(0, 10);
        frame(0, 20);
        frame(0, 30);
        frame(0, 40);
        link(0, 1, 10, 0.99);
        link(1, 2, 10, 1.01);
        links.add(new Link(1, 3, Transform.translation(20, 0), 0.01, true));
        Places places = new Places(rows, links);
        assertFalse(places.isDoubtful(0) || places.isDoubtful(1) || places.isDoubtful(4));
        assertTrue(places.isDoubtful(2) && places.isDoubtful(3));
        assertTrue(places.hasDoubts(1));
        places.put();
        assertTrue(rows.get(2).doubtful && rows.get(3).doubtful && !rows.get(1).doubtful);
    }

    /**
     * A pair that contradicts two others hardly counts: by weights 1 / (1 + (c / 3)^2), c its contradiction in
     * deviations, root mean square of both axes.
     */
    @Test
    void contradictionsHardlyCount() {
        frame(0, 0);
        frame(0, 10);
        link(0, 1, 10, 1);
        link(0, 1, 10, 1);
        link(0, 1, 40, 1);
        Places places = new Places(rows, links);
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1)) {
            places.solve(context, 100, 80);
        }
        double at = x(places, 1);
        double pull = 0;
        for (double said : new double[] {10, 10, 40}) {
            pull += (said - at) / (1 + (said - at) * (said - at) / 2 / 9);
        }
        assertEquals(0, pull, 1e-6);
        // The mean would be 20.
        assertEquals(10.3, at, 0.02);
        places.put();
        assertEquals(10, rows.get(1).chained.m02);
        places.keepChained(1);
        assertEquals(10, x(places, 1));
    }
}
