package endorama.core.mosaic;

import endorama.core.transforms.Rect;
import endorama.core.transforms.Transform;
import endorama.jni.NativeCanvas;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which of some frames, whose transforms come from a file, have one that no panorama can show: a single one would leave no
 * room for all behind it. Which these are does not depend on their order.
 */
final class WildFrames {
    /** A frame is wild where it reaches so many times as far from the middle of all as they do on the median. */
    private static final double FAR = 50;

    private final Rect frame;
    private final long limit;
    private final Map<Integer, Rect> reached = new TreeMap<Integer, Rect>();
    private final Map<Integer, String> wild = new TreeMap<Integer, String>();

    /** No frame so far. width, height: of a frame, px; limit: area of the largest panorama, px. */
    WildFrames(int width, int height, long limit) {
        frame = new Rect(0, 0, width, height);
        this.limit = limit;
    }

    void add(int number, Transform transform) {
        Rect there = frame.transformed(transform);
        if (there == null) {
            wild.put(number, "its transform takes it across its horizon, or more than 2^29 px away");
        } else {
            reached.put(number, there);
        }
    }

    /** Numbers of the wild ones, and why; the others fit, or are as far from one another as all of them. */
    Map<Integer, String> find() {
        if (!fit()) {
            double x = median(true);
            double y = median(false);
            List<Double> distances = new ArrayList<Double>();
            for (Rect one : reached.values()) {
                distances.add(distance(one, x, y));
            }
            double usual = middle(distances);
            for (Map.Entry<Integer, Rect> one : reached.entrySet()) {
                double far = distance(one.getValue(), x, y);
                if (far > FAR * usual) {
                    wild.put(one.getKey(), String.format(Locale.ROOT, "its transform takes it %.0f px from the middle of the others,"
                            + " which are %.0f px from it", far, usual));
                }
            }
        }
        return wild;
    }

    private boolean fit() {
        Rect all = null;
        for (Rect one : reached.values()) {
            all = all == null ? one : all.union(one);
        }
        return all == null || all.area() <= limit && Math.max(all.width(), all.height()) <= NativeCanvas.LONGEST;
    }

    /** Median of where the middles of the frames lie, px of the first one: across, or down. */
    private double median(boolean across) {
        List<Double> middles = new ArrayList<Double>();
        for (Rect one : reached.values()) {
            middles.add(across ? (one.left + (double) one.right) / 2 : (one.top + (double) one.bottom) / 2);
        }
        return middle(middles);
    }

    private static double middle(List<Double> numbers) {
        Collections.sort(numbers);
        return numbers.get(numbers.size() / 2);
    }

    /** From (x, y) to the farthest corner of a rectangle, px. */
    private static double distance(Rect one, double x, double y) {
        return Math.hypot(Math.max(Math.abs(one.left - x), Math.abs(one.right - x)),
                Math.max(Math.abs(one.top - y), Math.abs(one.bottom - y)));
    }
}
