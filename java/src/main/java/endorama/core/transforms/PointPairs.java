package endorama.core.transforms;

import endorama.jni.NativeTransforms;
import java.util.ArrayList;
import java.util.List;

/** Places that two frames show, and the transform that takes those of the second frame to those of the first. */
public final class PointPairs {
    /** Most pairs: three say all of an affine map. */
    public static final int MOST = 3;
    /** Least distance of two places, and of a third from the line through them, px. */
    private static final double LEAST = 2;
    /** Class of the transform that 1, 2 and 3 pairs tell. */
    private static final int[] CLASSES = {NativeTransforms.TRANSLATION, NativeTransforms.SIMILARITY, NativeTransforms.AFFINE};

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
        int n = pairs();
        if (n == 0) {
            throw new IllegalArgumentException("no place is marked in both frames");
        }
        check(first, n);
        check(second, n);
        Transform kept = n == 1 ? before : Transform.IDENTITY;
        double[] places = new double[4 * n];
        for (int i = 0; i < n; i++) {
            double[] from = second.get(i);
            places[2 * i] = kept.applyX(from[0], from[1]);
            places[2 * i + 1] = kept.applyY(from[0], from[1]);
            System.arraycopy(first.get(i), 0, places, 2 * (n + i), 2);
        }
        double[] fitted = NativeTransforms.fit(n, places, CLASSES[n - 1]);
        if (fitted == null) {
            throw onLine();
        }
        return Transform.of(fitted).multiply(kept);
    }

    /** Side i of the triangle of places, from the first of them. */
    private static double[] side(List<double[]> places, int i) {
        return new double[] {places.get(i)[0] - places.get(0)[0], places.get(i)[1] - places.get(0)[1]};
    }

    /** Refuses two places that are nearly one, and three that are nearly on a line. */
    private static void check(List<double[]> places, int n) {
        double[] u = side(places, n > 1 ? 1 : 0);
        double length = Math.hypot(u[0], u[1]);
        if (n == 2 && length < LEAST) {
            throw new IllegalArgumentException("the two places of a frame are less than " + LEAST + " px apart");
        }
        if (n < MOST) {
            return;
        }
        double[] v = side(places, 2);
        double area = u[0] * v[1] - u[1] * v[0];
        double longest = Math.max(Math.hypot(u[0] - v[0], u[1] - v[1]), Math.max(length, Math.hypot(v[0], v[1])));
        if (!(Math.abs(area) >= LEAST * longest)) {
            throw onLine();
        }
    }

    private static IllegalArgumentException onLine() {
        return new IllegalArgumentException("the three places of a frame lie on a line; take one aside of it");
    }
}
