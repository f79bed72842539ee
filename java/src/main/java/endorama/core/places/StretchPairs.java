package endorama.core.places;

import endorama.core.pairs.FrameRow;
import endorama.core.pairs.Link;
import endorama.core.transforms.Transform;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How far pairs with a key frame contradict the chain from that key frame on, beyond what their deviations allow. In
 * a scene that moves against itself, a frame further away shows another mean motion than the chain of neighbours does,
 * and shows it precisely: deviations say nothing of it.
 */
final class StretchPairs {
    /** Contradictions up to so many deviations, on the median, are what deviations say. */
    private static final double ALLOWED = 2;
    /** Of what pairs say of common errors, in their order from the least, the one at this share counts. */
    private static final double COMMON = 0.75;
    /** Of fewer pairs nothing is said. */
    private static final int LEAST = 3;

    private final List<FrameRow> rows;
    private final Transform[] chained;
    private final double centreX;
    private final double centreY;
    private final double across;
    private final double down;
    /** Of the neighbour's pair by which a frame joined its chain, px^2; NaN: there is none. */
    private final double[] variance;

    /** chained: the places along the chains, one a frame; links: those of one part; frames of width x height px. */
    StretchPairs(List<FrameRow> rows, Transform[] chained, List<Link> links, int width, int height) {
        this.rows = rows;
        this.chained = chained;
        centreX = (width - 1) / 2.0;
        centreY = (height - 1) / 2.0;
        across = width / Math.sqrt(12);
        down = height / Math.sqrt(12);
        variance = new double[rows.size()];
        Arrays.fill(variance, Double.NaN);
        for (Link link : links) {
            if (isStep(link)) {
                variance[link.current] = link.deviation * link.deviation;
            }
        }
    }

    /** A pair of the chain itself. */
    private boolean isStep(Link link) {
        return rows.get(link.current).reference - 1 == link.reference;
    }

    /** By what the deviations of pairs within a stretch are to be multiplied; 1 at least. */
    double factor(List<Link> links) {
        List<Double> contradictions = new ArrayList<Double>();
        for (Link link : links) {
            double contradiction = contradiction(link);
            if (!Double.isNaN(contradiction)) {
                contradictions.add(contradiction);
            }
        }
        if (contradictions.size() < LEAST) {
            return 1;
        }
        contradictions.sort(null);
        return Math.max(1, contradictions.get(contradictions.size() / 2) / ALLOWED);
    }

    /**
     * The variance of what the errors of neighbours' pairs have in common, as a share of theirs. Independent errors of n
     * pairs add up to n times the variance of one, common ones to n squared times it: then the squares of contradictions,
     * in deviations, are 1 and n times this. 0 at least, and where nothing is said.
     */
    double common(List<Link> links) {
        List<Double> shares = new ArrayList<Double>();
        for (Link link : links) {
            double contradiction = contradiction(link);
            if (!Double.isNaN(contradiction)) {
                shares.add((contradiction * contradiction - 1) / steps(link));
            }
        }
        if (shares.size() < LEAST) {
            return 0;
        }
        shares.sort(null);
        return Math.max(0, shares.get((int) (COMMON * shares.size())));
    }

    /** Of a pair within a stretch the number of pairs along the chain, as far as that leads; else 1. */
    int steps(Link link) {
        int steps = 0;
        int frame = isWithin(link) ? link.current : link.reference;
        while (frame > link.reference && rows.get(frame).reference - 1 != frame) {
            frame = rows.get(frame).reference - 1;
            steps++;
        }
        return Math.max(1, steps);
    }

    /** Of a pair within a stretch and the chain, in the deviations of both; NaN of others. */
    private double contradiction(Link link) {
        double along = isWithin(link) ? variance(link) : Double.NaN;
        return distance(link) / Math.sqrt(along + link.deviation * link.deviation);
    }

    /** From a key frame to one after it, up to the next key frame, but not a pair of the chain. */
    boolean isWithin(Link link) {
        if (isStep(link) || link.current <= link.reference || !rows.get(link.reference).keyFrame) {
            return false;
        }
        for (int frame = link.reference + 1; frame < link.current; frame++) {
            if (rows.get(frame).keyFrame) {
                return false;
            }
        }
        return true;
    }

    /** Of the way along the chain, px^2; NaN: the chain does not lead from one to the other. */
    private double variance(Link link) {
        double sum = 0;
        int frame = link.current;
        while (frame > link.reference && !Double.isNaN(variance[frame])) {
            sum += variance[frame];
            frame = rows.get(frame).reference - 1;
        }
        return frame == link.reference ? sum : Double.NaN;
    }

    /** Between where pair and chain put the frame, px: root mean square over the frame and both axes. */
    private double distance(Link link) {
        Transform along = chained[link.reference].inverse().multiply(chained[link.current]);
        double sum = 0;
        for (int k = 0; k < 4; k++) {
            double x = centreX + (k % 2 == 0 ? -across : across);
            double y = centreY + (k < 2 ? -down : down);
            double dx = along.applyX(x, y) - link.step.applyX(x, y);
            double dy = along.applyY(x, y) - link.step.applyY(x, y);
            sum += dx * dx + dy * dy;
        }
        return Math.sqrt(sum / 8);
    }
}
