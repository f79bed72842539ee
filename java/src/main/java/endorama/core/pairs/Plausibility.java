package endorama.core.pairs;

import endorama.core.transforms.Transform;
import java.util.Arrays;

/**
 * When frames that were registered do not show the same: by the share of their tiles that differ
 * ({@link PairMatch#differing}), against what is usual in this sequence. A share alone accuses nobody: an instrument
 * that moves in differs, too. Of three frames one is the odd one out if the other two agree where both of them differ
 * from it.
 *
 * <p>Of 120 pairs of real clips, motion, smoke, highlights and an instrument gave shares up to 0.12, and a frame that is
 * torn, noise, black or green in its lower half 0.21 and more. Genuine frames that were suspicious differed from their
 * neighbours at most 1.2 times as much as those from each other, damaged ones at least 2.4 times.
 */
public final class Plausibility {
    /** So much may the shares of frames differ that are damaged in the same way. */
    private static final double ALIKE = 0.1;
    /** From this share on tiles see noise, however much: of frames that were registered with each other. */
    private static final double NOISE = 0.5;
    /** Shares from which a frame is suspicious, and from which it is not believed without a witness. */
    private static final double SUSPICIOUS = 0.1;
    private static final double WILD = 0.3;
    /** And so many times what is usual. */
    private static final double UNUSUAL = 2;
    /** The odd one out differs so many times as much as the others from each other; */
    private static final double ODD = 1.75;
    /** shares below which nobody differs, unless one tile is more. */
    private static final double NOTHING = 0.01;
    /** Frames that say what is usual. */
    private static final int MEMORY = 15;

    private final double[] recent = new double[MEMORY];
    private int count;

    /** The share of a pair that was accepted. */
    public void add(double differing) {
        recent[count++ % MEMORY] = differing;
    }

    /**
     * The shares of three first frames, each registered with both others: if they are alike, or all of them see noise, of which
     * homographies that are bent show less, and nothing is known yet, that is how the sequence is.
     */
    public void addFirst(double one, double other, double third) {
        double least = Math.min(one, Math.min(other, third));
        double most = Math.max(one, Math.max(other, third));
        if (count == 0 && (most - least <= ALIKE || least > NOISE)) {
            add(one);
            add(other);
            add(third);
        }
    }

    private double usual() {
        double[] sorted = Arrays.copyOf(recent, Math.min(count, MEMORY));
        Arrays.sort(sorted);
        return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
    }

    /** It turns by more than a right angle, as no scope does from one frame to the next, or mirrors. */
    public static boolean isLeap(Transform step) {
        Transform near = step.tangent(0, 0);
        return near.m00 + near.m11 < 0 || near.determinant() < 0;
    }

    /** Another frame should be asked. */
    public boolean isSuspicious(double differing) {
        return differing > Math.max(SUSPICIOUS, UNUSUAL * usual());
    }

    /** Not to be believed unless another frame says the same. */
    public boolean isWild(double differing) {
        return differing > Math.max(WILD, UNUSUAL * usual());
    }

    /**
     * A frame differs from two others by these shares, and those differ from each other by the next one.
     *
     * @param tile share of a tile: in small frames one more or less differs by chance
     */
    public static boolean isOddOneOut(double fromOne, double fromOther, double others, double tile) {
        double nothing = Math.max(NOTHING, tile);
        return Math.min(fromOne, fromOther) + nothing > ODD * (others + nothing);
    }
}
