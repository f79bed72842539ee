package endorama.core.places;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.pairs.Link;
import endorama.core.transforms.Drift;
import endorama.core.transforms.Transform;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a lens does to pairs and places. */
class LensDriftTest {
    private static final int W = 640;
    private static final int H = 480;
    private static final double CX = 319.5;
    private static final double CY = 239.5;
    private static final double SPREAD = 180;
    private static final double LAMBDA = -0.02;

    /** A point about the middle, bent (or bent back) exactly. */
    private static double[] bend(double x, double y, boolean back) {
        double r2 = (x * x + y * y) / (320.0 * 320);
        double factor = back ? 1 / (1 + LAMBDA * r2) : 2 / (1 + Math.sqrt(1 - 4 * LAMBDA * r2));
        return new double[] {x * factor, y * factor};
    }

    private static double[] moved(Transform t, double[] p) {
        return new double[] {t.applyX(CX + p[0], CY + p[1]) - CX, t.applyY(CX + p[0], CY + p[1]) - CY};
    }

    /** What registering bent frames gives: least squares over a square of that spread, of a class, by the simplest means. */
    private static Transform registered(Transform truth, Transform.Kind kind) {
        double s = SPREAD * Math.sqrt(1.5);
        List<double[]> from = new ArrayList<double[]>();
        List<double[]> to = new ArrayList<double[]>();
        for (double x = -s; x <= s; x += 6) {
            for (double y = -s; y <= s; y += 6) {
                double[] there = moved(truth, bend(x, y, true));
                double[] straight = moved(truth, new double[] {x, y});
                there = bend(there[0], there[1], false);
                if (Math.abs(there[0]) <= s && Math.abs(there[1]) <= s) {
                    from.add(kind == Transform.Kind.HOMOGRAPHY ? straight : new double[] {x, y});
                    to.add(there);
                }
            }
        }
        double[] p = mean(from);
        double[] q = mean(to);
        double[] a = linear(kind, from, to, p, q);
        Transform fitted = Transform.of(kind, new double[] {a[0], a[1], CX + q[0] - a[0] * (CX + p[0]) - a[1] * (CY + p[1]), a[2], a[3],
            CY + q[1] - a[2] * (CX + p[0]) - a[3] * (CY + p[1]), 0, 0, 1});
        return kind == Transform.Kind.HOMOGRAPHY ? fitted.multiply(truth) : fitted;
    }

    private static double[] mean(List<double[]> points) {
        double[] mean = new double[2];
        for (double[] p : points) {
            mean[0] += p[0] / points.size();
            mean[1] += p[1] / points.size();
        }
        return mean;
    }

    private static double[] linear(Transform.Kind kind, List<double[]> from, List<double[]> to, double[] p, double[] q) {
        double[] pp = new double[4];
        double[] qp = new double[4];
        for (int k = 0; k < from.size(); k++) {
            for (int i = 0; i < 4; i++) {
                double b = from.get(k)[i % 2] - p[i % 2];
                pp[i] += (from.get(k)[i / 2] - p[i / 2]) * b;
                qp[i] += (to.get(k)[i / 2] - q[i / 2]) * b;
            }
        }
        double c = (qp[0] + qp[3]) / (pp[0] + pp[3]);
        double s = (qp[2] - qp[1]) / (pp[0] + pp[3]);
        double d = pp[0] * pp[3] - pp[1] * pp[2];
        switch (kind) {
            case TRANSLATION: return new double[] {1, 0, 0, 1};
            case RIGID: return new double[] {c / Math.hypot(c, s), -s / Math.hypot(c, s), s / Math.hypot(c, s), c / Math.hypot(c, s)};
            case SIMILARITY: return new double[] {c, -s, s, c};
            default: return new double[] {(qp[0] * pp[3] - qp[1] * pp[2]) / d, (qp[1] * pp[0] - qp[0] * pp[1]) / d,
                (qp[2] * pp[3] - qp[3] * pp[2]) / d, (qp[3] * pp[0] - qp[2] * pp[1]) / d};
        }
    }

    private static Transform similarity(double scale, double degrees, double dx, double dy) {
        double c = scale * Math.cos(Math.toRadians(degrees));
        double s = scale * Math.sin(Math.toRadians(degrees));
        return Transform.of(Transform.Kind.SIMILARITY,
                new double[] {c, -s, CX + dx - c * CX + s * CY, s, c, CY + dy - s * CX - c * CY, 0, 0, 1});
    }

    /** Scaled by 1.3 across, and aslant. */
    private static Transform stretched(double slant) {
        Transform stretch = Transform.of(Transform.Kind.AFFINE, new double[] {1.3, 0.1, -0.3 * CX - 0.1 * CY, 0, 1, 0, 0, 0, 1});
        return slant == 0 ? stretch : stretch.multiply(Transform.of(Transform.Kind.HOMOGRAPHY,
                new double[] {1 + slant * CX, 0, -slant * CX * CX, slant * CY, 1, -slant * CX * CY, slant, 0, 1}));
    }

    @ParameterizedTest
    @CsvSource({"AFFINE, 0", "HOMOGRAPHY, 1.5e-4"})
    void stretchedFramesAreGivenBack(Transform.Kind kind, double slant) {
        Transform truth = stretched(slant);
        Transform bent = registered(truth, kind);
        double before = Drift.rms(truth, bent, W, H);
        double after = Drift.rms(truth, new LensDrift(LAMBDA, W, H, SPREAD).straight(bent, kind), W, H);
        assertTrue(before > 0.35, "before " + before);
        assertTrue(after < 0.2 * before, "after " + after + " of " + before);
    }

    /** The truth comes out again, to what is of second order in lambda. */
    @ParameterizedTest
    @CsvSource({"TRANSLATION, 1, 0, 40, 15", "RIGID, 1, 12, -60, 30", "SIMILARITY, 1.08, 5, 30, -70", "AFFINE, 1.05, -3, 50, 50",
        "AFFINE, 1, 0, 0, 90", "SIMILARITY, 1.3, 20, 10, 0", "AFFINE, 0.75, 0, 0, 10"})
    void whatAPairLosesToTheLensIsGivenBack(Transform.Kind kind, double scale, double degrees, double dx, double dy) {
        Transform truth = similarity(scale, degrees, dx, dy);
        Transform bent = registered(truth, kind);
        Transform straight = new LensDrift(LAMBDA, W, H, SPREAD).straight(bent, kind);
        double before = Drift.rms(truth, bent, W, H);
        double after = Drift.rms(truth, straight, W, H);
        assertTrue(before > 0.35, "before " + before);
        assertTrue(after < 0.3 * before, "after " + after + " of " + before);
    }

    /** Steps of 20 px to the right; a second part without pairs; a frame that the first one reaches only backwards. */
    @Test
    void errorsAddUpAlongTheSequence() {
        List<Link> links = new ArrayList<Link>();
        Transform[] place = new Transform[14];
        int[] part = new int[14];
        for (int i = 0; i < 12; i++) {
            place[i] = Transform.translation(20 * i, 0);
            part[i] = 1;
            if (i > 0) {
                boolean back = i == 7;
                links.add(new Link(back ? i : i - 1, back ? i - 1 : i, Transform.translation(back ? -20 : 20, 0), 0.1, false));
            }
        }
        place[12] = Transform.IDENTITY;
        part[12] = 2;
        place[13] = Transform.translation(5, 5);
        double[] off = new LensDrift(LAMBDA, W, H, SPREAD).of(links, place, part);
        // A square of that spread: means of 3x^2 + y^2 and of its own linear parts, over the half of the longer side.
        double side = SPREAD * Math.sqrt(1.5);
        double each = -LAMBDA * 20 * 4 * side * side / 3 / (320.0 * 320);
        assertEquals(0, off[0]);
        for (int i = 1; i < 12; i++) {
            assertEquals(i * each, off[i], 0.12 * i * each);
        }
        assertEquals(0, off[12]);
        assertEquals(0, off[13]);
    }

    /** A long pair is left aside where short ones lead to the same. */
    @Test
    void theNearestPairsLead() {
        List<Link> links = new ArrayList<Link>();
        Transform[] place = {Transform.IDENTITY, Transform.translation(100, 0), Transform.translation(200, 0)};
        int[] part = {1, 1, 1};
        links.add(new Link(0, 1, place[1], 0.1, false));
        links.add(new Link(1, 2, place[1], 0.1, false));
        double[] short2 = new LensDrift(LAMBDA, W, H, SPREAD).of(links, place, part);
        links.add(0, new Link(0, 2, place[2], 0.1, false));
        assertEquals(short2[2], new LensDrift(LAMBDA, W, H, SPREAD).of(links, place, part)[2]);
        links.remove(2);
        assertTrue(Math.abs(new LensDrift(LAMBDA, W, H, SPREAD).of(links, place, part)[2] - short2[2]) > 0.1);
    }
}
