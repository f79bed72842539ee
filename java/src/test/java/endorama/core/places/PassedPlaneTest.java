package endorama.core.places;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.pairs.Link;
import endorama.core.pairs.Perspective;
import endorama.core.transforms.TestViews;
import endorama.core.transforms.Transform;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A plane that is passed, seen by what it shears, in frames of 201 x 161 px. */
class PassedPlaneTest {
    private static final int W = 201;
    private static final int H = 161;
    private static final double SPREAD = Math.sqrt((W * W + H * H) / 24.0);

    /** A pair that moves by (tx, ty) after it turned and grew, sheared by the motion times (gx, gy). */
    private static Link link(int frame, double tx, double ty, double gx, double gy, double deviation) {
        Transform turned = TestViews.map(2, 1.01, 0, 0, W, H);
        Transform back = Transform.translation(100, 80);
        Transform sheared = Transform.of(new double[] {1 + tx * gx, tx * gy, 0, ty * gx, 1 + ty * gy, 0});
        Transform about = back.multiply(sheared).multiply(back.inverse());
        Transform step = affine(turned.multiply(Transform.translation(tx, ty)).multiply(about));
        return new Link(frame, frame + 1, step, deviation, false);
    }

    private static Transform affine(Transform t) {
        return Transform.of(Transform.Kind.AFFINE, t.toArray());
    }

    private static List<Link> links(int n, double gx, double gy, double deviation) {
        List<Link> links = new ArrayList<Link>();
        for (int i = 0; i < n; i++) {
            links.add(link(i, 4, 3, gx, gy, deviation));
        }
        return links;
    }

    private static PassedPlane plane(List<Link> links) {
        return new PassedPlane(links, W, H);
    }

    /** Of n pairs that move by 5 px: each knows g to twice its deviation over the spread and the motion. */
    private static double evidence(int n, double g, double deviation) {
        return g * 5 / 2 * SPREAD / deviation * Math.sqrt(n);
    }

    @Test
    void whatIsCertainFollowsFromThePairs() {
        assertEquals(evidence(32, 3e-5, 0.1), plane(links(32, 1.8e-5, 2.4e-5, 0.1)).evidence(), 0.01);
        assertEquals(evidence(31, 3e-5, 0.1) * 3 / 5, plane(links(31, 1.8e-5, 2.4e-5, 0.1)).evidence(), 0.01);
        assertTrue(plane(links(8, 3e-4, 0, 0.01)).isSure());
        assertEquals(0, plane(links(7, 3e-4, 0, 0.01)).evidence());
    }

    @ParameterizedTest
    @CsvSource({"4.9, false", "5.1, true"})
    void fiveDeviationsAreSure(double deviations, boolean isSure) {
        double g = deviations / evidence(40, 1, 0.1);
        PassedPlane plane = plane(links(40, g, 0, 0.1));
        assertEquals(deviations, plane.evidence(), 0.02);
        assertEquals(isSure, plane.isSure());
    }

    /** Eight parts that say other things: the standard error of their mean. */
    @Test
    void partsThatDifferAreNoProof() {
        double[] of = {4e-4, -1e-4, 3e-4, 2e-4, -2e-4, 5e-4, 0.6e-4, 0.4e-4};
        double mean = 1.5e-4;
        double squares = 0;
        List<Link> links = new ArrayList<Link>();
        for (int i = 0; i < 8 * 5; i++) {
            links.add(link(i, 4, 3, of[i / 5], 0, 0.001));
            squares += i % 5 == 0 ? Math.pow(of[i / 5] - mean, 2) : 0;
        }
        // Of both numbers together, of which one is the same in all parts.
        assertEquals(mean / Math.sqrt(squares / (7 * 8) / 2), plane(links).evidence(), 0.02);
        List<Link> mixed = new ArrayList<Link>(links);
        Collections.shuffle(mixed, new Random(3));
        assertEquals(plane(links).evidence(), plane(mixed).evidence(), 1e-9);
    }

    @Test
    void onlyAffinePairsThatAreSureSaySomething() {
        List<Link> links = new ArrayList<Link>();
        for (Link l : links(40, 3e-4, 0, 0.01)) {
            links.add(new Link(l.reference, l.current, l.step, 0.01, true));
            links.add(new Link(l.reference, l.current, Transform.of(Transform.Kind.SIMILARITY, TestViews.map(3, 1, 4, 3, W, H)
                    .toArray()), 0.01, false));
        }
        assertEquals(0, plane(links).evidence());
        assertFalse(plane(links).isSure());
    }

    /** Scopes turn and withdraw: a growth and a turn are no shear. */
    @Test
    void turnsAndGrowthAreNoShear() {
        Random random = new Random(4);
        List<Link> links = new ArrayList<Link>();
        for (int i = 0; i < 40; i++) {
            Transform step = TestViews.map(5 * random.nextGaussian(), 1 + 0.05 * random.nextGaussian(), 4, 3, W, H);
            links.add(new Link(i, i + 1, affine(step), 0.01, false));
        }
        assertEquals(0, plane(links).evidence(), 1e-6);
    }

    /** Of a plane at 10 degrees that is passed in curves by a scope that turns: the perspective of its pairs. */
    @Test
    void thePerspectiveOfPairsFollows() {
        List<Link> links = new ArrayList<Link>();
        List<Transform> truth = new ArrayList<Transform>();
        for (int k = 0; k < 40; k++) {
            Transform turned = Transform.of(new double[] {Math.cos(0.01 * k * k / 40), -Math.sin(0.01 * k * k / 40), 0,
                Math.sin(0.01 * k * k / 40), Math.cos(0.01 * k * k / 40), 0});
            truth.add(Transform.translation(8 * k, 30 * Math.sin(0.3 * k)).multiply(turned)
                    .multiply(PerspectiveWatchTest.view(0, 0, Math.toRadians(10), false)));
            if (k > 0) {
                Transform step = truth.get(k - 1).inverse().multiply(truth.get(k));
                links.add(new Link(k - 1, k, PerspectiveWatchTest.affine(step), 0.02, false));
            }
        }
        PassedPlane plane = plane(links);
        assertTrue(plane.isSure());
        for (int k = 1; k < 40; k++) {
            Transform about = truth.get(k - 1).inverse().multiply(truth.get(k)).multiply(Transform.translation(100, 80));
            Perspective said = plane.of(links.get(k - 1));
            double x = about.m20 / about.m22;
            double y = about.m21 / about.m22;
            assertEquals(x, said.x, 0.05 * Math.hypot(x, y) + 5e-8, "pair " + k);
            assertEquals(y, said.y, 0.05 * Math.hypot(x, y) + 5e-8, "pair " + k);
        }
    }
}
