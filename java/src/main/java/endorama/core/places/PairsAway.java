package endorama.core.places;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;

/** How many pairs of neighbours lie between a frame and all others, the shortest way. */
final class PairsAway {
    private final List<List<int[]>> ways = new ArrayList<List<int[]>>();

    /** Of so many frames, numbered from 0, that nothing connects. */
    PairsAway(int frames) {
        for (int i = 0; i < frames; i++) {
            ways.add(new ArrayList<int[]>());
        }
    }

    /** Two frames are connected, as far apart as so many pairs of neighbours; 0 or more. */
    void connect(int a, int b, int pairs) {
        ways.get(a).add(new int[] {b, pairs});
        ways.get(b).add(new int[] {a, pairs});
    }

    /** One number a frame; infinite where no way leads. After Dijkstra. */
    double[] from(int frame) {
        double[] away = new double[ways.size()];
        Arrays.fill(away, Double.POSITIVE_INFINITY);
        away[frame] = 0;
        PriorityQueue<double[]> next = new PriorityQueue<double[]>((a, b) -> Double.compare(a[1], b[1]));
        next.add(new double[] {frame, 0});
        while (!next.isEmpty()) {
            double[] nearest = next.remove();
            for (int[] way : ways.get((int) nearest[0])) {
                double pairs = nearest[1] + way[1];
                if (pairs < away[way[0]]) {
                    away[way[0]] = pairs;
                    next.add(new double[] {way[0], pairs});
                }
            }
        }
        return away;
    }
}
