package endorama.core.places;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.pairs.FrameRow;
import endorama.core.pairs.Link;
import endorama.core.pairs.Perspective;
import endorama.core.transforms.Transform;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether pairs say that a plane is seen aslant, and how far that moves frames of 201 x 161 px. */
class PerspectiveWatchTest {
    private static final int W = 201;
    private static final int H = 161;

    private final List<FrameRow> rows = new ArrayList<FrameRow>();
    private final List<Link> links = new ArrayList<Link>();

    /** A frame of a chain behind the last one. step: null for the first one of the chain. */
    private void frame(Transform step, Perspective said) {
        FrameRow row = new FrameRow(rows.size() + 1);
        row.registered = true;
        row.reference = step == null ? row.frame : row.frame - 1;
        rows.add(row);
        if (step != null) {
            links.add(new Link(row.frame - 2, row.frame - 1, step, 0.1, false, said, null));
        }
    }

    /** Frames that move by 4 px, of whose pairs each says so many deviations of perspective along x. */
    private void frames(double... deviations) {
        frame(null, null);
        for (double d : deviations) {
            frame(Transform.translation(4, 0), new Perspective(d * 1e-6, 0, 1e-6));
        }
    }

    private static double[] alike(int n, double value) {
        double[] all = new double[n];
        java.util.Arrays.fill(all, value);
        return all;
    }

    private PerspectiveWatch watch() {
        PerspectiveWatch watch = new PerspectiveWatch(rows, links, W, H);
        watch.follow(0);
        return watch;
    }

    /** Of n pairs that say the same, each with three before its neighbour: 48 / sqrt(140) deviations of 19, 45 / sqrt(131) of 18. */
    @Test
    void fourDeviationsAreSure() {
        frames(alike(18, 1));
        assertEquals(0, watch().distance(18));
        frame(Transform.translation(4, 0), new Perspective(1e-6, 0, 1e-6));
        assertTrue(watch().distance(19) > 0);
        assertEquals(0, watch().distance(0));
    }

    /** Every third pair says much, so that it matters that three are looked at; some say a hundred, and count as three. */
    @Test
    void noPairDecidesAlone() {
        double[] said = alike(60, 0.2);
        for (int i = 0; i < said.length; i += 3) {
            said[i] = 2;
        }
        for (int i = 0; i < said.length; i += 9) {
            said[i] = 100;
        }
        frames(said);
        double sum = 0;
        double squares = 0;
        for (int i = 0; i < said.length; i++) {
            double product = 0;
            for (int before = Math.max(0, i - 4); before < i - 1; before++) {
                product += Math.min(3, said[i]) * Math.min(3, said[before]);
            }
            sum += product;
            squares += product * product;
        }
        assertEquals(sum / Math.sqrt(squares), watch().evidence(), 1e-9);
    }

    /** What a pair errs by the next one takes back: the frame between them is seen a little aslant, and lies where it is. */
    @Test
    void neighboursThatTakeEachOtherBackDoNotHideIt() {
        double[] said = new double[200];
        for (int i = 0; i < said.length; i++) {
            said[i] = 0.5 + (i % 2 == 0 ? 1 : -1);
        }
        frames(said);
        assertTrue(watch().distance(200) > 0);
    }

    @Test
    void independentPairsSayNothing() {
        Random random = new Random(7);
        double[] said = new double[2000];
        for (int i = 0; i < said.length; i++) {
            said[i] = 5 * random.nextGaussian();
        }
        frames(said);
        assertEquals(0, watch().distance(2000));
        assertNull(watch().warning());
    }

    @Test
    void pairsThatAreDoubtfulOrSayNothingDoNotCount() {
        frames(alike(40, 1));
        for (int i = 0; i < links.size(); i++) {
            Link link = links.get(i);
            links.set(i, new Link(i, i + 1, link.step, 0.1, i % 2 == 0, i % 2 == 0 ? link.perspective : null,
                    null));
        }
        assertEquals(0, watch().distance(40));
    }

    // ----------------------------------------------------------------- few pairs

    /** Frames that move by 4 px and grow by a twentieth, each pair with so much perspective, in deviations of 1e-5. */
    private double[] growing(double... deviations) {
        rows.clear();
        links.clear();
        frame(null, null);
        for (double d : deviations) {
            frame(Transform.of(new double[] {1.05, 0, 4, 0, 1.05, 0}), new Perspective(d * 1e-5, 0, 1e-5));
        }
        PerspectiveWatch watch = watch();
        Transform[] straight = new Transform[rows.size()];
        Transform bent = Transform.IDENTITY;
        straight[0] = bent;
        double surest = 0;
        for (int k = 1; k < straight.length; k++) {
            Link link = links.get(k - 1);
            straight[k] = straight[k - 1].multiply(link.step);
            bent = bent.multiply(watch.bent(link, link.perspective));
            double variance = 0;
            for (int j = 1; j <= k; j++) {
                double deviation = Math.max(1, deviations[j - 1] / 3) * 1e-5;
                double dx = straight[k].applyX(100, 80) - straight[j].applyX(100, 80);
                double dy = straight[k].applyY(100, 80) - straight[j].applyY(100, 80);
                double square = dx * dx + dy * dy + Math.pow(1.05, 2 * k) * (W * W + H * H) / 12.0;
                variance += Math.pow(deviation * square / Math.pow(1.05, j), 2);
            }
            surest = Math.max(surest, exact(straight[k], bent) / Math.sqrt(variance));
        }
        return new double[] {surest, watch.evidence()};
    }

    /** How far perspective moves a frame, over what the errors of the pairs before it would. */
    @Test
    void fewPairsAreSureByWhatTheyMove() {
        double[] seven = growing(alike(7, 2.5));
        assertEquals(seven[0], seven[1], 0.01 * seven[0]);
        assertTrue(seven[0] > 4 && watch().distance(7) > 0);
        double[] little = growing(alike(7, 1.5));
        assertEquals(little[0], little[1], 0.01 * little[0]);
        assertTrue(little[0] < 4 && watch().distance(7) == 0);
    }

    /** Its own error counts as a third of what it says. */
    @Test
    void noneOfFewPairsDecidesAlone() {
        double[] wild = new double[7];
        wild[3] = 100;
        double[] one = growing(wild);
        assertEquals(one[0], one[1], 0.02 * one[0]);
        assertTrue(one[1] < 4, one[1] + " deviations");
    }

    /** From 31 on their products decide: of so many that say the same 87 - 3 over the root of 9 * 27 + 4 + 1. */
    @Test
    void thirtyPairsAreFew() {
        frames(alike(30, 1.3));
        double thirty = watch().evidence();
        frame(Transform.translation(4, 0), new Perspective(1.3e-6, 0, 1e-6));
        double products = 84 / Math.sqrt(9 * 27 + 4 + 1);
        assertEquals(products, watch().evidence(), 1e-9);
        assertTrue(thirty > 1.05 * products, thirty + " deviations");
    }

    /** Shear that follows the motion is enough, and as much as perspective does it moves frames. */
    @Test
    void aPlaneThatIsPassedIsSeenByItsShear() {
        List<Transform> truth = new ArrayList<Transform>();
        List<Transform> chained = new ArrayList<Transform>();
        for (int k = 0; k <= 60; k++) {
            truth.add(view(5 * k, 3 * Math.sin(0.3 * k), Math.toRadians(20), true));
            if (k == 0) {
                frame(null, null);
                chained.add(Transform.IDENTITY);
                continue;
            }
            Transform step = affine(truth.get(k - 1).inverse().multiply(truth.get(k)));
            frame(step, null);
            chained.add(chained.get(k - 1).multiply(step));
        }
        PerspectiveWatch watch = watch();
        for (int k = 1; k <= 60; k++) {
            double error = distance(chained.get(k), truth.get(0).inverse().multiply(truth.get(k)));
            assertEquals(error, watch.distance(k), 0.15 * error + 0.02, "frame " + (k + 1));
        }
        assertTrue(watch.warning().contains("seen aslant"), watch.warning());
    }

    // ------------------------------------------------------------------- planes

    /** Frame -> plane of a camera that looks down from 300 px, turned about x (or y) by so many radians, over (x, y). */
    static Transform view(double x, double y, double turned, boolean aboutY) {
        double s = Math.sin(turned);
        double c = Math.cos(turned);
        double f = 300;
        // The ray (u, v, f) about x: v' = c v - s f, z' = s v + c f; it meets the plane at f (u, v') / z'.
        double mx = (W - 1) / 2.0;
        double my = (H - 1) / 2.0;
        double[] m = aboutY ? new double[] {f * c, 0, -f * (c * mx + s * f), 0, f, -f * my, s, 0, c * f - s * mx}
                : new double[] {f, 0, -f * mx, 0, f * c, -f * (c * my + s * f), 0, s, c * f - s * my};
        double w = m[8];
        for (int i = 0; i < 9; i++) {
            m[i] /= w;
        }
        return Transform.translation(x, y).multiply(Transform.of(Transform.Kind.HOMOGRAPHY, m));
    }

    /** What fits a homography best over a frame, of the affine maps. */
    static Transform affine(Transform h) {
        double[] m = new double[6];
        double[] squares = new double[2];
        int n = 0;
        for (double y = -79; y <= 79; y += 2) {
            for (double x = -99; x <= 99; x += 2) {
                double u = h.applyX(100 + x, 80 + y);
                double v = h.applyY(100 + x, 80 + y);
                double[] add = {u * x, u * y, u, v * x, v * y, v};
                for (int i = 0; i < 6; i++) {
                    m[i] += add[i];
                }
                squares[0] += x * x;
                squares[1] += y * y;
                n++;
            }
        }
        double a = m[0] / squares[0];
        double b = m[1] / squares[1];
        double d = m[3] / squares[0];
        double e = m[4] / squares[1];
        return Transform.of(new double[] {a, b, m[2] / n - a * 100 - b * 80, d, e, m[5] / n - d * 100 - e * 80});
    }

    /** The same, of places all over the frame. */
    private static double exact(Transform a, Transform b) {
        double sum = 0;
        for (int i = 0; i < 80 * 80; i++) {
            double x = (i % 80 + 0.5) * W / 80 - 0.5;
            double y = (i / 80 + 0.5) * H / 80 - 0.5;
            sum += Math.pow(a.applyX(x, y) - b.applyX(x, y), 2) + Math.pow(a.applyY(x, y) - b.applyY(x, y), 2);
        }
        return Math.sqrt(sum / (80 * 80));
    }

    private static double distance(Transform a, Transform b) {
        double sum = 0;
        int n = 0;
        for (double y = 2; y < H; y += 8) {
            for (double x = 2; x < W; x += 8) {
                sum += Math.pow(a.applyX(x, y) - b.applyX(x, y), 2) + Math.pow(a.applyY(x, y) - b.applyY(x, y), 2);
                n++;
            }
        }
        return Math.sqrt(sum / n);
    }

    /** A plane at 20 degrees that is passed, and one over which the scope tilts: the distances are the chain's errors. */
    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void distancesAreTheErrorsOfTransformsWithoutPerspective(boolean tilts, boolean aboutY) {
        List<Transform> truth = new ArrayList<Transform>();
        List<Transform> chained = new ArrayList<Transform>();
        for (int k = 0; k <= 60; k++) {
            truth.add(view(4 * k, 3 * k, tilts ? 0.3 * Math.sin(k / 15.0) : Math.toRadians(20), aboutY));
            if (k == 0) {
                frame(null, null);
                chained.add(Transform.IDENTITY);
                continue;
            }
            Transform step = truth.get(k - 1).inverse().multiply(truth.get(k));
            Transform about = step.multiply(Transform.translation(100, 80));
            frame(affine(step), new Perspective(about.m20 / about.m22, about.m21 / about.m22, 1e-6));
            chained.add(chained.get(k - 1).multiply(affine(step)));
        }
        PerspectiveWatch watch = watch();
        for (int k = 1; k <= 60; k++) {
            double error = distance(chained.get(k), truth.get(0).inverse().multiply(truth.get(k)));
            assertEquals(error, watch.distance(k), (tilts ? 0.08 : 0.06) * error + 0.02, "frame " + (k + 1));
        }
        assertTrue(watch.distance(60) > 3, watch.distance(60) + " px");
        assertTrue(watch.warning().contains("frame 61 lies about " + Math.round(watch.distance(60)) + " px off"),
                watch.warning());
    }

    /** By the variance of a frame's columns and rows, in which the middle of a plane that is seen aslant lies nearer. */
    @Test
    void homographiesAreShiftedByWhatTransformsTookIn() {
        frames(0);
        Link link = new Link(0, 1, Transform.translation(4, 0), 0.1, false, new Perspective(3e-4, -2e-4, 1e-6), null);
        Transform bent = watch().bent(link, link.perspective);
        assertEquals(104 + 3e-4 * W * W / 12, bent.applyX(100, 80), 1e-9);
        assertEquals(80 - 2e-4 * H * H / 12, bent.applyY(100, 80), 1e-9);
        assertEquals(bent.applyX(100, 80) + 30 / (1 + 3e-4 * 30 + 2e-4 * 20), bent.applyX(130, 60), 1e-9);
    }

    /** A pair beside the chain does not lead, but where it alone ties a frame. */
    @Test
    void otherPairsLeadWhereTheChainDoesNot() {
        frames(alike(40, 3));
        double there = watch().distance(40);
        links.add(0, new Link(0, 40, Transform.translation(160, 0), 0.1, false, new Perspective(0, 0, 1e-6), null));
        assertEquals(there, watch().distance(40));
        frame(null, null);
        assertEquals(0, watch().distance(41));
        links.add(new Link(41, 40, Transform.translation(-4, 0), 0.1, false, new Perspective(0, 0, 1e-6), null));
        assertEquals(there, watch().distance(41), 0.1 * there);
    }

    /** 2.9 px are kept in mind, 3.1 px are told. */
    @Test
    void peopleAreToldFromThreePixelsOn() {
        frames(alike(40, 1));
        double grows = watch().distance(40);
        for (double px : new double[] {2.9, 3.1}) {
            double factor = Math.sqrt(px / grows);
            double least = factor;
            double most = 1000;
            PerspectiveWatch watch = null;
            for (int i = 0; i < 60; i++) {
                double g = Math.sqrt(least * most);
                rows.clear();
                links.clear();
                frame(null, null);
                for (int k = 0; k < 40; k++) {
                    frame(Transform.translation(4, 0), new Perspective(g * 1e-6, 0, 1e-6));
                }
                watch = watch();
                if (watch.distance(40) < px) {
                    least = g;
                } else {
                    most = g;
                }
            }
            assertEquals(px, watch.distance(40), 1e-6);
            assertEquals(px > 3, watch.warning() != null);
        }
    }
}
