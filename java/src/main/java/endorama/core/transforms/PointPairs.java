package endorama.core.transforms;

import java.util.ArrayList;
import java.util.List;

/** Places that two frames show, and the transform that takes those of the second frame to those of the first. */
public final class PointPairs {
    /** Most pairs: three say all of an affine map. */
    public static final int MOST = 3;
    /** Least distance of two places, and of a third from the line through them, px. */
    private static final double LEAST = 2;

    /** In the first and in the second frame: x, y, px. */
    private final List<double[]> first = new ArrayList<double[]>();
    private final List<double[]> second = new ArrayList<double[]>();

    /** Takes a place in the first frame; one that waits for its partner is replaced. */
    public void inFirst(double x, double y) {
        put(first, second, x, y);
    }

    /** Takes a place in the second frame; one that waits for its partner is replaced. */
    public void inSecond(double x, double y) {
        put(second, first, x, y);
    }

    private static void put(List<double[]> places, List<double[]> others, double x, double y) {
        if (places.size() > others.size()) {
            places.remove(places.size() - 1);
        }
        if (places.size() < MOST) {
            places.add(new double[] {x, y});
        }
    }

    /** Takes the last place or pair away. */
    public void removeLast() {
        int most = Math.max(first.size(), second.size());
        for (int i = 0; i < 2 && most > 0; i++) {
            List<double[]> places = i == 0 ? first : second;
            if (places.size() == most) {
                places.remove(most - 1);
            }
        }
    }

    public void clear() {
        first.clear();
        second.clear();
    }

    /** Places in the first frame, the last of them perhaps without a partner. */
    public List<double[]> first() {
        return first;
    }

    /** Places in the second frame, the last of them perhaps without a partner. */
    public List<double[]> second() {
        return second;
    }

    /** Number of whole pairs. */
    public int pairs() {
        return Math.min(first.size(), second.size());
    }

    /**
     * Second -&gt; first, px: with one pair the transform as it was, shifted; with two a similarity; with three an affine map.
     *
     * @throws IllegalArgumentException if there is no pair, or places are too near to each other, or on a line
     */
    public Transform transform(Transform before) {
        switch (pairs()) {
            case 0: throw new IllegalArgumentException("no place is marked in both frames");
            case 1: return shifted(before);
            case 2: return similarity();
            default: return affine();
        }
    }

    private Transform shifted(Transform before) {
        double[] to = first.get(0);
        double[] from = second.get(0);
        return Transform.translation(to[0] - before.applyX(from[0], from[1]), to[1] - before.applyY(from[0], from[1]))
                .multiply(before);
    }

    /** Side i of the triangle of places, from the first of them. */
    private static double[] side(List<double[]> places, int i) {
        return new double[] {places.get(i)[0] - places.get(0)[0], places.get(i)[1] - places.get(0)[1]};
    }

    private Transform similarity() {
        double[] to = side(first, 1);
        double[] from = side(second, 1);
        double square = from[0] * from[0] + from[1] * from[1];
        if (Math.hypot(to[0], to[1]) < LEAST || Math.sqrt(square) < LEAST) {
            throw new IllegalArgumentException("the two places of a frame are less than " + LEAST + " px apart");
        }
        double c = (from[0] * to[0] + from[1] * to[1]) / square;
        double s = (from[0] * to[1] - from[1] * to[0]) / square;
        return onFirst(c, -s, s, c);
    }

    private Transform affine() {
        double[] to1 = side(first, 1);
        double[] to2 = side(first, 2);
        double[] from1 = side(second, 1);
        double[] from2 = side(second, 2);
        double d = checkedArea(from1, from2);
        checkedArea(to1, to2);
        return onFirst((to1[0] * from2[1] - to2[0] * from1[1]) / d, (to2[0] * from1[0] - to1[0] * from2[0]) / d,
                (to1[1] * from2[1] - to2[1] * from1[1]) / d, (to2[1] * from1[0] - to1[1] * from2[0]) / d);
    }

    /** The linear part, shifted so that the first places meet. */
    private Transform onFirst(double m00, double m01, double m10, double m11) {
        double x = second.get(0)[0];
        double y = second.get(0)[1];
        return Transform.of(new double[] {m00, m01, first.get(0)[0] - m00 * x - m01 * y, m10, m11,
            first.get(0)[1] - m10 * x - m11 * y});
    }

    private static double checkedArea(double[] u, double[] v) {
        double area = u[0] * v[1] - u[1] * v[0];
        double third = Math.hypot(u[0] - v[0], u[1] - v[1]);
        double longest = Math.max(third, Math.max(Math.hypot(u[0], u[1]), Math.hypot(v[0], v[1])));
        if (!(Math.abs(area) >= LEAST * longest)) {
            throw new IllegalArgumentException("the three places of a frame lie on a line; take one aside of it");
        }
        return area;
    }
}
