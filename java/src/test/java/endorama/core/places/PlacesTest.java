package endorama.core.places;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.pairs.FrameRow;
import endorama.core.pairs.Link;
import endorama.core.transforms.Transform;
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

    /** The last frame of three reaches the horizon of the first one. */
    @Test
    void framesAcrossTheHorizonAreLeftOutAndSaid() {
        frame(0, 0);
        frame(0, 10);
        frame(0, 20);
        rows.get(2).status = FrameRow.Status.OK;
        rows.get(2).transform = Transform.perspective(-0.021, 0, 50, 40);
        Places places = new Places(rows, links, 101, 81);
        assertEquals(Arrays.asList(0, 1), places.frames(1));
        assertEquals(0, places.part(2));
        places.put();
        assertFalse(rows.get(2).registered);
        assertEquals("aslant", rows.get(2).status.toString());
        assertTrue(rows.get(1).registered);
    }

    /** Chain 1 would lie across the horizon of chain 0. */
    @Test
    void partsAreNotTiedAcrossTheHorizon() {
        frame(0, 0);
        frame(1, 0);
        frame(1, 1);
        Transform[] steps = {Transform.perspective(-0.019, 0, 50, 40), Transform.perspective(-0.005, 0, 50, 40)};
        links.add(new Link(0, 1, steps[0], 0.1, false));
        assertEquals(2, new Places(rows, links, 101, 81).parts());
        links.add(new Link(0, 1, steps[1], 0.1, false));
        Places tied = new Places(rows, links, 101, 81);
        assertEquals(1, tied.parts());
        assertEquals(steps[1].multiply(Transform.translation(1, 0)).m02, tied.place(2).m02, 1e-9);
        assertTrue(tied.scale(1) > 1.01);
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
        Places places = solved();
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

    private Places solved() {
        Places places = new Places(rows, links);
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1)) {
            places.solve(context, 100, 80);
        }
        return places;
    }

    /** Frames of 320 x 240 px that fly along a slanted plane, each pair the same homography. */
    private Places flown(int frames) {
        Transform step = Transform.translation(40, 0).multiply(Transform.perspective(1.25e-4, 0, 159.5, 119.5));
        for (int i = 0; i < frames; i++) {
            frame(0, 0);
            rows.get(i).transform = Transform.of(Transform.Kind.HOMOGRAPHY, Transform.IDENTITY.toArray());
            if (i > 0) {
                links.add(new Link(i - 1, i, step, 0.05, false));
            }
        }
        Places places = new Places(rows, links, 320, 240);
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1)) {
            places.solve(context, 320, 240);
        }
        return places;
    }

    @Test
    void framesBeyondTheHorizonAreTold() {
        String said = flown(40).warning("");
        assertTrue(said.matches("[0-9]+ frames? (was|were) stopped before the horizon of the first one.*"), said);
    }

    @Test
    void framesBeforeTheHorizonAreNotTold() {
        assertNull(flown(5).warning(""));
    }

    /** A step of 0.1 px of a frame that is three times as large as the next one, and of that 0.1 px more. */
    @Test
    void deviationsAreInPixelsOfTheFirstFrame() {
        frame(0, 0);
        frame(0, 10);
        frame(0, 10);
        links.add(new Link(0, 1, Transform.of(new double[] {3, 0, 10, 0, 3, 0}), 0.1, false));
        links.add(new Link(1, 2, Transform.of(new double[] {1, 0, 10, 0, 1, 0}), 0.1, false));
        rows.get(1).transform = links.get(0).step;
        rows.get(2).transform = links.get(0).step.multiply(links.get(1).step);
        Places places = solved();
        assertEquals(0.1, places.deviation(1), 1e-3);
        // The centre of the last frame lies beside that of the one before: its turns count a little more.
        assertEquals(Math.hypot(0.1, 0.3), places.deviation(2), 0.01);
        assertEquals(3, places.scale(2), 1e-6);
    }

    /** The root of the weighted squares of all contradictions over the pairs beyond the one that it takes. */
    @Test
    void contradictionsWidenDeviations() {
        frame(0, 0);
        frame(0, 10);
        link(0, 1, 10, 1);
        assertEquals(1, solved().deviation(1), 1e-9);
        link(0, 1, 11, 1);
        assertEquals(Math.sqrt(0.5), solved().deviation(1), 0.01);
        link(0, 1, 40, 1);
        Places places = solved();
        double squares = 0;
        double weights = 0;
        for (double said : new double[] {10, 11, 40}) {
            double square = Math.pow(said - x(places, 1), 2) / 2;
            double weight = 1 / (1 + square / 9);
            squares += weight * square;
            weights += weight;
        }
        assertTrue(squares > 2 * 2, "contradictions " + squares);
        assertEquals(Math.sqrt(squares / 2 / weights), places.deviation(1), 1e-6);
    }

    /** A pair of the chain that three others contradict by so many px is given up. */
    private Places torn(double tear) {
        rows.clear();
        links.clear();
        for (int i = 0; i < 4; i++) {
            frame(0, i < 2 ? 10 * i : 10 * i - tear);
            rows.get(i).reference = Math.max(1, i);
        }
        link(0, 1, 10, 0.01);
        link(1, 2, 10 - tear, 0.5);
        link(2, 3, 10, 0.01);
        link(0, 2, 20, 0.01);
        link(0, 3, 30, 0.01);
        link(1, 3, 20, 0.01);
        return solved();
    }

    @Test
    void framesBesideATearDeviateByHalfOfIt() {
        Places places = torn(8.1);
        assertEquals(20, x(places, 2), 1e-2);
        assertEquals(8.1 / 2, places.deviation(1), 1e-2);
        assertEquals(8.1 / 2, places.deviation(2), 1e-2);
        assertTrue(places.deviation(3) < 0.1);
        assertEquals(1.1 / 2, torn(1.1).deviation(1), 1e-2);
        places = torn(0.9);
        assertTrue(places.deviation(1) < 0.1 && places.deviation(2) < 0.1);
    }

    /** After a first frame that is half as large, 10 px of the others are 20 px of it. */
    @Test
    void tearsCountInPixelsOfTheFirstFrame() {
        torn(0);
        for (int i = 1; i < 4; i++) {
            double[] at = {2, 0, i == 1 ? 0 : 20 * i - 40, 0, 2, 0};
            rows.get(i).transform = Transform.of(at);
        }
        for (int i = 0; i < links.size(); i++) {
            Link l = links.get(i);
            Transform step = l.reference > 0 ? l.step : Transform.of(new double[] {2, 0, 20 * l.current - 20, 0, 2, 0});
            links.set(i, new Link(l.reference, l.current, step, l.deviation, false));
        }
        Places places = solved();
        assertEquals(20, x(places, 2), 0.1);
        assertEquals(10, places.deviation(1), 0.1);
        assertEquals(10, places.deviation(2), 0.1);
    }

    /** The first frame lies where it is said to. */
    @Test
    void onlyTheSecondFrameDeviatesBesideATearAtTheFirst() {
        torn(0);
        for (int i = 1; i < 4; i++) {
            rows.get(i).transform = Transform.translation(10 * i + 20, 0);
        }
        links.set(0, new Link(0, 1, Transform.translation(30, 0), 0.5, false));
        Places places = solved();
        assertEquals(0, places.deviation(0));
        assertEquals(10, places.deviation(1), 1e-2);
        assertTrue(places.deviation(2) < 0.1);
    }

    @Test
    void doubtfulFramesAreNotTorn() {
        torn(30);
        links.removeIf(l -> l.current == 2 || l.reference == 2);
        links.add(new Link(1, 2, Transform.translation(20, 0), 1.01, false));
        links.add(new Link(0, 2, Transform.translation(20, 0), 1.01, false));
        assertTrue(solved().deviation(1) < 0.1);
    }

    /** A chain of five with steps of 10 px; pairs of its first frame with those after the next say so much more. */
    private void stretch(double more) {
        for (int i = 0; i < 5; i++) {
            frame(0, 10 * i);
            rows.get(i).reference = Math.max(1, i);
            rows.get(i).keyFrame = i == 0;
        }
        for (int i = 1; i < 5; i++) {
            link(i - 1, i, 10, 1);
        }
        for (int i = 2; i < 5; i++) {
            link(0, i, 10 * i + more, 1);
        }
    }

    private double factor() {
        return pairs().factor(links);
    }

    private StretchPairs pairs() {
        Transform[] chained = new Transform[rows.size()];
        for (int i = 0; i < chained.length; i++) {
            chained[i] = rows.get(i).transform;
        }
        return new StretchPairs(rows, chained, links, 100, 80);
    }

    /** Of three pairs over 2, 3 and 4 steps, with variances of 3, 4 and 5 px^2, that of the greatest share; 24 / 3 - 1. */
    @Test
    void errorsThatPairsHaveInCommonAreFound() {
        stretch(Math.sqrt(48));
        assertEquals((24 / 3.0 - 1) / 2, pairs().common(links), 1e-9);
        link(0, 4, 40 + Math.sqrt(48), 1);
        link(0, 4, 40 + Math.sqrt(48), 1);
        assertEquals((24 / 4.0 - 1) / 3, pairs().common(links), 1e-9);
        links.subList(6, links.size()).clear();
        assertEquals(0, pairs().common(links));
        assertEquals(1, pairs().steps(links.get(1)));
        assertEquals(3, pairs().steps(links.get(5)));
    }

    @Test
    void errorsThatDeviationsAllowAreNotCommon() {
        stretch(2);
        assertEquals(0, pairs().common(links));
    }

    /** The last of five lies four steps away, and pairs within the stretch are no shorter way. */
    @Test
    void commonErrorsAddUp() {
        stretch(Math.sqrt(48));
        double near = solved().deviation(1);
        double far = solved().deviation(4);
        double common = pairs().common(links);
        rows.get(0).keyFrame = false;
        // Nothing is within a stretch: the same pairs but for their factor, which is 24 / 4 / 2^2.
        double factor = factorOf(24 / 4.0);
        for (int i = 4; i < links.size(); i++) {
            Link l = links.get(i);
            links.set(i, new Link(l.reference, l.current, l.step, l.deviation * factor, false));
        }
        Places plain = solved();
        double least = contradictionFactor(plain);
        assertEquals(plain.deviation(1) / least * Math.max(least, Math.sqrt(1 + common)), near, 1e-9);
        assertEquals(plain.deviation(4) / least * Math.sqrt(1 + 4 * common), far, 1e-9);
        assertTrue(Math.sqrt(1 + common) > least, "factor " + least);
    }

    private static double factorOf(double square) {
        return Math.max(1, Math.sqrt(square) / 2);
    }

    private double contradictionFactor(Places places) {
        double sum = 0;
        for (Link link : links) {
            double is = x(places, link.current) - x(places, link.reference);
            double square = Math.pow((is - link.step.m02) / link.deviation, 2) / 2;
            sum += square / (1 + square / 9);
        }
        return Math.max(1, Math.sqrt(sum / (links.size() - (rows.size() - 1))));
    }

    /** Variances of 3, 4 and 5 px^2; a shift along one axis is by the root of two less in both. */
    @Test
    void pairsThatContradictTheChainDeviateMore() {
        stretch(12);
        assertEquals(12 / Math.sqrt(2) / Math.sqrt(4) / 2, factor(), 1e-9);
        links.remove(links.size() - 1);
        assertEquals(1, factor());
    }

    @Test
    void pairsThatContradictTheChainByTwoDeviationsStay() {
        stretch(5.6);
        assertEquals(1, factor());
    }

    /** Those beyond the next key frame, to a frame before, or from one that is none. */
    @Test
    void onlyPairsWithinAStretchAreWeighed() {
        stretch(12);
        rows.get(3).keyFrame = true;
        assertEquals(1, factor());
        rows.get(3).keyFrame = false;
        rows.get(0).keyFrame = false;
        assertEquals(1, factor());
    }

    /** With deviations of 2.12 px in place of 1 px the pairs of the first frame move the last one less. */
    @Test
    void placesFollowTheChainWherePairsContradictIt() {
        stretch(12);
        Places places = solved();
        double deviation = 12 / Math.sqrt(2) / 2 / 2;
        assertEquals(0, pull(x(places, 4) - x(places, 3) - 10, 1) + pull(x(places, 4) - 52, deviation), 1e-4);
    }

    /** Of a pair that says so much less along one axis, by its weight. */
    private static double pull(double contradiction, double deviation) {
        double of = contradiction / deviation;
        return of / deviation / (1 + of * of / 2 / 9);
    }
}
