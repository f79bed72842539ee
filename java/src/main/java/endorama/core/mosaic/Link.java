package endorama.core.mosaic;

import endorama.core.transforms.Transform;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** How one frame lies in another: a row of the table of {@link Links}. Immutable. */
public final class Link {
    /** Origin: frame b was registered against frame a as it came. */
    public static final String CHAIN = "chain";
    /** Origin: the frames lie further apart in the sequence, and show the same. */
    public static final String LOOP = "loop";
    /** Origin: set by hand. */
    public static final String HAND = "hand";
    /** All origins. */
    static final List<String> ORIGINS = Collections.unmodifiableList(Arrays.asList(CHAIN, LOOP, HAND));

    /** Error of numbers that a spreadsheet has rounded, relative to them, or to 1 where they are smaller. */
    private static final double ROUNDED = 1e-6;

    /** Numbers of the frames in the sequence, from 1. */
    public final int a, b;
    /** The link counts; one that does not is as if it were not there. */
    public final boolean use;
    /** Pixels of b -&gt; pixels of a. */
    public final Transform transform;
    /** Standard deviation of where the transform takes a point of the frame, px; above 0. */
    public final double deviation;
    /** {@link #CHAIN}, {@link #LOOP} or {@link #HAND}. */
    public final String origin;

    public Link(int a, int b, boolean use, Transform transform, double deviation, String origin) {
        this.a = a;
        this.b = b;
        this.use = use;
        this.transform = transform;
        this.deviation = deviation;
        this.origin = origin;
    }

    /** A link that is set by hand, and counts. */
    public static Link byHand(int a, int b, Transform transform, double deviation) {
        return new Link(a, b, true, transform, deviation, HAND);
    }

    /** A copy of this link that is switched on (it counts in solving) or off. */
    public Link use(boolean on) {
        return new Link(a, b, on, transform, deviation, origin);
    }

    /** Numbers of the frames. */
    List<Integer> frames() {
        return Arrays.asList(a, b);
    }

    /** The links are of the same frames and say the same, whatever digits a spreadsheet has left of the numbers. */
    boolean isLike(Link other) {
        double[] one = transform.toArray();
        double[] two = other.transform.toArray();
        boolean isLike = a == other.a && b == other.b && isNear(deviation / other.deviation, 1);
        for (int i = 0; i < one.length; i++) {
            isLike &= isNear(one[i], two[i]);
        }
        return isLike;
    }

    private static boolean isNear(double one, double two) {
        return Math.abs(one - two) <= ROUNDED * Math.max(1, Math.abs(two));
    }
}
