package endorama.core.places;

import endorama.core.common.Length;
import endorama.core.pairs.Link;
import endorama.core.transforms.Transform;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

/**
 * What a lens that is not taken out does to the places of frames. A pair of bent frames is registered wrong by what of the
 * bending its class of transforms takes for motion; along the sequence that adds up. Places are chained once as they are
 * and once without it, over the pairs that lie nearest to each other.
 */
public final class LensDrift {
    /** Places along a side of the frame. */
    private static final int GRID = 9;
    /** Of the frame's side, where two frames share less. */
    private static final double LEAST = 0.25;

    private final double lambda;
    private final double middleX;
    private final double middleY;
    /** Half of the longer side, px. */
    private final double unit;
    /** Half of a square that reaches as far from the middle as the field does, px. */
    private final double reach;

    /**
     * Of a lens.
     *
     * @param spread root mean square distance of the field's pixels from the frame's middle, px
     */
    public LensDrift(double lambda, int width, int height, double spread) {
        this.lambda = lambda;
        middleX = (width - 1) / 2.0;
        middleY = (height - 1) / 2.0;
        unit = Math.max(width, height) / 2.0;
        reach = spread * Math.sqrt(1.5);
    }

    private double at(int i) {
        return within(0, 1, i);
    }

    // ---------------------------------------------------------------- one pair

    /** Sums over places of a frame: where they lie in the other one, and how far the lens puts them off. */
    private static final class Sums {
        int n;
        final double[] y = new double[2];
        final double[] e = new double[2];
        final double[][] yy = new double[2][2];
        final double[][] ey = new double[2][2];

        void add(double[] place, double[] off) {
            n++;
            for (int i = 0; i < 2; i++) {
                y[i] += place[i];
                e[i] += off[i];
                for (int j = 0; j < 2; j++) {
                    yy[i][j] += place[i] * place[j];
                    ey[i][j] += off[i] * place[j];
                }
            }
        }

        /** About the means. */
        void centre() {
            for (int i = 0; i < 2; i++) {
                for (int j = 0; j < 2; j++) {
                    yy[i][j] -= y[i] * y[j] / n;
                    ey[i][j] -= e[i] * y[j] / n;
                }
            }
        }
    }

    /** A step as it would be without the lens; it was registered in a class of transforms. */
    Transform straight(Transform step, Transform.Kind kind) {
        Sums sums = sums(step);
        double[] linear = linear(sums, kind);
        double[] y = {sums.y[0] / sums.n, sums.y[1] / sums.n};
        double[] m = {1 - lambda * linear[0], -lambda * linear[1], 0, -lambda * linear[2], 1 - lambda * linear[3], 0, 0, 0, 1};
        for (int i = 0; i < 2; i++) {
            double middle = i == 0 ? middleX : middleY;
            double mean = sums.e[i] / sums.n - linear[2 * i] * y[0] - linear[2 * i + 1] * y[1];
            m[3 * i + 2] = middle - lambda * mean - m[3 * i] * middleX - m[3 * i + 1] * middleY;
        }
        return Transform.of(Transform.Kind.AFFINE, m).multiply(step);
    }

    /** Over what both frames show: about the middle of that a shift alone grows nothing. */
    private Sums sums(Transform step) {
        Transform back = step.inverse();
        double[] middle = moved(back, 0, 0);
        double across = shrinks(back, reach, 0);
        double down = shrinks(back, 0, reach);
        Sums sums = new Sums();
        for (int i = 0; i < GRID * GRID; i++) {
            double x = within(middle[0], across, i % GRID);
            double y = within(middle[1], down, i / GRID);
            double[] there = moved(step, x, y);
            sums.add(there, off(step, x, y, there));
        }
        sums.centre();
        return sums;
    }

    /** How far a way from the middle to both sides leads on the way back, of what it was. */
    private double shrinks(Transform back, double x, double y) {
        double[] one = moved(back, x, y);
        double[] other = moved(back, -x, -y);
        return Length.of(one[0] - other[0], one[1] - other[1]) / (2 * reach);
    }

    /**
     * Place i along a side, of those that lie within the side and within that of the other frame, or of a part where none
     * does.
     */
    private double within(double middle, double shrinks, int i) {
        double from = Math.max(-reach, middle - shrinks * reach);
        double to = Math.min(reach, middle + shrinks * reach);
        double half = Math.max(LEAST * reach, (to - from) / 2);
        return (from + to) / 2 + half * ((2.0 * i + 1) / GRID - 1);
    }

    /** About the middle, as everything here. */
    private double[] moved(Transform step, double x, double y) {
        double px = middleX + x;
        double py = middleY + y;
        return new double[] {step.applyX(px, py) - middleX, step.applyY(px, py) - middleY};
    }

    private double square(double x, double y) {
        return (x * x + y * y) / (unit * unit);
    }

    /** How far lambda 1 puts off what a step takes from x, y to there: both frames are bent. */
    private double[] off(Transform step, double x, double y, double[] there) {
        double bent = 1 + square(x, y);
        double[] from = moved(step, bent * x, bent * y);
        double to = 1 + square(there[0], there[1]);
        return new double[] {to * there[0] - from[0], to * there[1] - from[1]};
    }

    /** What of that a class takes for motion, beside a shift: four numbers, row by row. A lens turns nothing. */
    private static double[] linear(Sums s, Transform.Kind kind) {
        double grow = (s.ey[0][0] + s.ey[1][1]) / (s.yy[0][0] + s.yy[1][1]);
        switch (kind) {
            case TRANSLATION:
            case RIGID: return new double[4];
            case SIMILARITY: return new double[] {grow, 0, 0, grow};
            default: return affine(s);
        }
    }

    private static double[] affine(Sums s) {
        double d = s.yy[0][0] * s.yy[1][1] - s.yy[0][1] * s.yy[1][0];
        double[] linear = new double[4];
        for (int i = 0; i < 2; i++) {
            linear[2 * i] = (s.ey[i][0] * s.yy[1][1] - s.ey[i][1] * s.yy[0][1]) / d;
            linear[2 * i + 1] = (s.ey[i][1] * s.yy[0][0] - s.ey[i][0] * s.yy[0][1]) / d;
        }
        return linear;
    }

    // ---------------------------------------------------------------- all of it

    /** A pair that leads on from a frame that is reached. */
    private static final class Way {
        final Link link;
        final int from;
        final double cost;

        Way(Link link, int from, double cost) {
            this.link = link;
            this.from = from;
            this.cost = cost;
        }
    }

    /**
     * How far each frame is put off against the first one of its part, px of that one, root mean square over the frame.
     *
     * @param place of each frame in its part
     * @param part number of each frame's part; 0: none
     */
    double[] of(List<Link> links, Transform[] place, int[] part) {
        List<List<Link>> ofFrame = new ArrayList<List<Link>>();
        for (int i = 0; i < place.length; i++) {
            ofFrame.add(new ArrayList<Link>());
        }
        for (Link link : links) {
            ofFrame.get(link.reference).add(link);
            ofFrame.get(link.current).add(link);
        }
        Transform[] straight = new Transform[place.length];
        for (int i = 0; i < place.length; i++) {
            if (part[i] > 0 && straight[i] == null) {
                straight[i] = place[i];
                spread(i, ofFrame, place, straight);
            }
        }
        double[] off = new double[place.length];
        for (int i = 0; i < place.length; i++) {
            off[i] = straight[i] == null ? 0 : distance(place[i], straight[i]);
        }
        return off;
    }

    /** To all frames that pairs tie to one, over the nearest ones first. */
    private void spread(int root, List<List<Link>> ofFrame, Transform[] place, Transform[] straight) {
        PriorityQueue<Way> ways = new PriorityQueue<Way>((a, b) -> Double.compare(a.cost, b.cost));
        addWays(root, ofFrame, place, straight, ways);
        while (!ways.isEmpty()) {
            Way way = ways.remove();
            int to = way.link.reference == way.from ? way.link.current : way.link.reference;
            if (straight[to] == null) {
                Link link = way.link;
                Transform step = straight(place[link.reference].inverse().multiply(place[link.current]), link.step.kind);
                straight[to] = straight[way.from].multiply(to == link.current ? step : step.inverse());
                addWays(to, ofFrame, place, straight, ways);
            }
        }
    }

    private void addWays(int from, List<List<Link>> ofFrame, Transform[] place, Transform[] straight, PriorityQueue<Way> ways) {
        for (Link link : ofFrame.get(from)) {
            int to = link.reference == from ? link.current : link.reference;
            if (straight[to] == null) {
                ways.add(new Way(link, from, distance(place[from], place[to])));
            }
        }
    }

    private double distance(Transform a, Transform b) {
        double sum = 0;
        for (int i = 0; i < GRID * GRID; i++) {
            double[] p = moved(a, at(i % GRID), at(i / GRID));
            double[] q = moved(b, at(i % GRID), at(i / GRID));
            sum += (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]);
        }
        return Math.sqrt(sum / (GRID * GRID));
    }
}
