package endorama.core.places;

import endorama.core.common.Length;
import endorama.core.pairs.Link;
import endorama.core.pairs.Perspective;
import endorama.core.transforms.Transform;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * A plane that a scope passes at an angle that stays. What lies nearer moves further from frame to frame: frames are sheared
 * in proportion to their motion, each pair the same way, long before any pair shows perspective. With t a pair's motion and
 * g, 1/px, how much nearer the plane is along x and y, the shear is t g^T, of which nothing but its part without a turn and
 * growth is used (scopes turn and withdraw by themselves): two numbers of each pair, and two unknown ones.
 */
final class PassedPlane {
    /** Of fewer pairs that shear nothing is said. */
    private static final int LEAST = 8;
    /** Parts of the sequence, of so many pairs at least; each is left out once (jackknife). */
    private static final int PARTS = 8;
    private static final int PART = 4;
    /** Without all of these parts the deviation that pairs tell is multiplied by this. */
    private static final double FEW = 5 / 3.0;
    /** There is such a plane from so many deviations on. */
    private static final double SURE = 5;

    /** Sums over pairs. */
    private static final class Sums {
        double x, y, weights;

        void add(Sums other, double times) {
            x += times * other.x;
            y += times * other.y;
            weights += times * other.weights;
        }
    }

    private final double centreX;
    private final double centreY;
    /** Root mean square over a frame of one coordinate, px. */
    private final double spread;
    private double x;
    private double y;
    private double deviation = Double.NaN;

    /** Of all pairs of a sequence of frames of width x height px. */
    PassedPlane(List<Link> links, int width, int height) {
        centreX = (width - 1) / 2.0;
        centreY = (height - 1) / 2.0;
        spread = Math.sqrt((width * width + height * height) / 24.0);
        List<Link> sheared = new ArrayList<Link>();
        for (Link link : links) {
            if (!link.doubtful && link.step.kind == Transform.Kind.AFFINE) {
                sheared.add(link);
            }
        }
        Collections.sort(sheared,
                Comparator.comparingInt((Link link) -> link.current).thenComparingInt(link -> link.reference));
        if (sheared.size() >= LEAST) {
            estimate(sheared);
        }
    }

    // ---------------------------------------------------------------- one pair

    /** Scale times cosine and sine of the turn, and the motion of the middle, px of the reference. */
    private double[] motion(Transform step) {
        return new double[] {(step.m00 + step.m11) / 2, (step.m10 - step.m01) / 2,
            step.applyX(centreX, centreY) - centreX, step.applyY(centreX, centreY) - centreY};
    }

    /** What one pair says, by its precision. */
    private Sums sums(Link link) {
        Transform step = link.step;
        double[] m = motion(step);
        double square = m[0] * m[0] + m[1] * m[1];
        double tx = (m[0] * m[2] + m[1] * m[3]) / square;
        double ty = (m[0] * m[3] - m[1] * m[2]) / square;
        double p = (step.m00 - step.m11) / 2;
        double q = (step.m01 + step.m10) / 2;
        double along = (m[0] * p + m[1] * q) / square;
        double across = (m[0] * q - m[1] * p) / square;
        double weight = spread * spread / (link.deviation * link.deviation);
        Sums sums = new Sums();
        sums.x = weight * (tx * along + ty * across) / 2;
        sums.y = weight * (tx * across - ty * along) / 2;
        sums.weights = weight * (tx * tx + ty * ty) / 4;
        return sums;
    }

    // --------------------------------------------------------------- all pairs

    private void estimate(List<Link> links) {
        int parts = Math.min(PARTS, links.size() / PART);
        Sums[] of = new Sums[parts];
        Sums all = new Sums();
        for (int i = 0; i < parts; i++) {
            of[i] = new Sums();
            for (Link link : links.subList(links.size() * i / parts, links.size() * (i + 1) / parts)) {
                of[i].add(sums(link), 1);
            }
            all.add(of[i], 1);
        }
        if (all.weights > 0) {
            x = all.x / all.weights;
            y = all.y / all.weights;
            double own = (parts < PARTS ? FEW : 1) / Math.sqrt(all.weights);
            deviation = Math.max(own, jackknife(of, all));
        }
    }

    /** Standard deviation of one of the two numbers, by what they become without each of the parts. */
    private static double jackknife(Sums[] of, Sums all) {
        int n = of.length;
        double[] x = new double[n];
        double[] y = new double[n];
        double meanX = 0;
        double meanY = 0;
        for (int i = 0; i < n; i++) {
            Sums rest = new Sums();
            rest.add(all, 1);
            rest.add(of[i], -1);
            x[i] = rest.x / rest.weights;
            y[i] = rest.y / rest.weights;
            meanX += x[i] / n;
            meanY += y[i] / n;
        }
        double squares = 0;
        for (int i = 0; i < n; i++) {
            squares += (x[i] - meanX) * (x[i] - meanX) + (y[i] - meanY) * (y[i] - meanY);
        }
        return Math.sqrt(squares * (n - 1) / n / 2);
    }

    /** In deviations; 0 where nothing is said. */
    double evidence() {
        return deviation > 0 ? Length.of(x, y) / deviation : 0;
    }

    /** There is one beyond doubt. */
    boolean isSure() {
        return evidence() >= SURE;
    }

    /**
     * The perspective of a pair of views of the plane, px of its current frame. With M its turn and growth and t its motion
     * the pair takes q to (M q + t (1 + g.q)) / (1 + g.q - g.(M q + t (1 + g.q))): the middle to t / (1 - g.t), and what is
     * seen of M is shared with t g^T.
     */
    Perspective of(Link link) {
        double[] m = motion(link.step);
        double keeps = 1 / (1 + x * m[2] + y * m[3]);
        double tx = keeps * m[2];
        double ty = keeps * m[3];
        double c = keeps * m[0] - (tx * x + ty * y) / 2;
        double s = keeps * m[1] - (ty * x - tx * y) / 2;
        double gx = x * keeps - (c * x + s * y);
        double gy = y * keeps - (c * y - s * x);
        return new Perspective(gx / keeps, gy / keeps, deviation);
    }
}
