package endorama.core.places;

import endorama.core.common.Length;
import endorama.core.pairs.FrameRow;
import endorama.core.pairs.Link;
import endorama.core.pairs.Perspective;
import endorama.core.transforms.Horizon;
import endorama.core.transforms.Transform;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/**
 * Looks whether the pairs of a sequence say together that a plane is seen aslant, which the transforms leave out: each pair
 * fits, all of them err alike, and no loop shows it. Then a frame's place deviates by as much as it moves where the way to it
 * leads through the homographies in place of the transforms.
 *
 * <p>What a pair says of perspective is mostly noise, which the next one does not repeat; a scope moves steadily, and what it
 * sees aslant changes slowly. So each pair along a chain is multiplied with the few before it, but not with the next one, which
 * has a frame in common with it and errs to the other side: of independent errors the sum of these products, over the root of
 * the sum of their squares, is a normal deviate.
 *
 * <p>A few pairs have few products. Their errors would move the frames that they lead to by so much: where perspective moves
 * one by several times that, it is no chance either. And a plane that is passed at an angle that stays is seen by what it
 * shears long before any perspective shows ({@link PassedPlane}).
 */
public final class PerspectiveWatch {
    /** Pairs before a pair that it is compared with: from the one before the last on. */
    private static final int BEFORE = 3;
    /** A pair counts as if it were so many of its deviations, at most. */
    private static final double MOST = 3;
    /** The sequence says that there is perspective from so many deviations on; */
    private static final double SURE = 4;
    /** and people are told where it moves a frame by so much, px of the first one. */
    private static final double TOLD = 3;

    /** Pairs that are few: there what moves a frame by much decides. */
    private static final int FEW = 30;

    /** Means over a frame by Gauss and Legendre: three places along each side, in halves of it from the middle. */
    private static final double GAUSS = Math.sqrt(0.6);
    private static final double[] GAUSS_WEIGHTS = {5 / 18.0, 8 / 18.0, 5 / 18.0};

    private final List<FrameRow> rows;
    private final List<Link> links;
    private final int width;
    private final int height;
    private final Horizon horizon;
    /** Of each frame the pair by which it joined its chain, where that says something of perspective; else null. */
    private final Link[] steps;
    /** How many deviations the pairs along the chains are from being independent; 0 where nothing is said. */
    private final double agreement;
    private final PassedPlane plane;
    /** Few pairs say something. */
    private final boolean isShort;
    /** How far perspective moves a frame, in what the errors of the pairs on the way to it would: of the surest frame. */
    private double surest;
    /** px of the first frame of a part. */
    private final double[] distance;
    /** The same where perspective follows from {@link PassedPlane}. */
    private final double[] passed;

    /** rows: one a frame; links: all pairs; of frames of width x height px. */
    PerspectiveWatch(List<FrameRow> rows, List<Link> links, int width, int height) {
        this.rows = rows;
        this.links = links;
        this.width = width;
        this.height = height;
        horizon = new Horizon(width, height);
        steps = new Link[rows.size()];
        distance = new double[rows.size()];
        passed = new double[rows.size()];
        int says = 0;
        for (Link link : links) {
            if (isStep(link) && says(link)) {
                says += steps[link.current] == null ? 1 : 0;
                steps[link.current] = link;
            }
        }
        isShort = says <= FEW;
        agreement = agreement();
        plane = new PassedPlane(links, width, height);
    }

    private boolean isStep(Link link) {
        return rows.get(link.current).reference - 1 == link.reference;
    }

    private static boolean says(Link link) {
        return link.perspective != null && !link.doubtful && !link.step.isHomography();
    }

    // ---------------------------------------------------------------- evidence

    private double agreement() {
        double sum = 0;
        double squares = 0;
        for (Link step : steps) {
            if (step != null) {
                double product = withThoseBefore(step);
                sum += product;
                squares += product * product;
            }
        }
        return squares > 0 ? sum / Math.sqrt(squares) : 0;
    }

    private double withThoseBefore(Link step) {
        double[] own = inDeviations(step.perspective);
        double sum = 0;
        Link neighbour = steps[step.reference];
        Link before = neighbour == null ? null : steps[neighbour.reference];
        for (int i = 0; i < BEFORE && before != null; i++) {
            double[] other = inDeviations(before.perspective);
            sum += own[0] * other[0] + own[1] * other[1];
            before = steps[before.reference];
        }
        return sum;
    }

    private static double[] inDeviations(Perspective p) {
        double length = Length.of(p.x, p.y) / p.deviation;
        double factor = Math.min(1, MOST / length) / p.deviation;
        return length > 0 ? new double[] {p.x * factor, p.y * factor} : new double[2];
    }

    /** The pairs' own perspective, beyond doubt. */
    private boolean isSeen() {
        return Math.max(agreement, surest) >= SURE;
    }

    /** How many deviations the sequence is from showing no perspective. */
    double evidence() {
        return isSeen() || !plane.isSure() ? Math.max(agreement, surest) : plane.evidence();
    }

    // --------------------------------------------------------------- distances

    /** A way to a frame, through the transforms of pairs and through their homographies. */
    private static final class Way {
        final Transform straight;
        final Transform bent;
        final Way before;
        /** Of the last pair's perspective, 1/px of its current frame, so that none decides alone; 0: nothing is said. */
        final double deviation;

        Way(Transform straight, Transform bent, Way before, double deviation) {
            this.straight = straight;
            this.bent = bent;
            this.before = before;
            this.deviation = deviation;
        }
    }

    /** Finds out how far frames are that can be reached from the first one of their part. */
    void follow(int first) {
        if (isShort || isSeen()) {
            Way[] ways = follow(first, false, distance);
            for (int i = 0; isShort && i < ways.length; i++) {
                double chance = ways[i] == null ? 0 : chance(ways[i]);
                surest = chance > 0 ? Math.max(surest, distance[i] / chance) : surest;
            }
        }
        if (plane.isSure()) {
            follow(first, true, passed);
        }
    }

    /** By what the pairs say themselves, or by the plane that is passed. */
    private Way[] follow(int first, boolean byPlane, double[] distance) {
        Way[] ways = new Way[rows.size()];
        ways[first] = new Way(Transform.IDENTITY, Transform.IDENTITY, null, 0);
        List<List<Link>> of = linksOfFrames();
        Deque<Integer> reached = new ArrayDeque<Integer>();
        Deque<Integer> left = new ArrayDeque<Integer>();
        reached.add(first);
        // The pairs of the chains before the others.
        while (!reached.isEmpty() || !left.isEmpty()) {
            boolean along = !reached.isEmpty();
            int frame = along ? reached.remove() : left.remove();
            for (Link link : of.get(frame)) {
                int next = link.reference == frame ? link.current : link.reference;
                if (isStep(link) == along && ways[next] == null) {
                    ways[next] = way(ways[frame], link, next == link.current, byPlane);
                    distance[next] = between(ways[next], distance[frame]);
                    reached.add(next);
                }
            }
            if (along) {
                left.add(frame);
            }
        }
        return ways;
    }

    private List<List<Link>> linksOfFrames() {
        List<List<Link>> of = new ArrayList<List<Link>>();
        for (int i = 0; i < rows.size(); i++) {
            of.add(new ArrayList<Link>());
        }
        for (Link link : links) {
            of.get(link.reference).add(link);
            of.get(link.current).add(link);
        }
        return of;
    }

    private Way way(Way to, Link link, boolean onward, boolean byPlane) {
        Perspective said = byPlane ? byPlane(link) : says(link) ? link.perspective : null;
        Transform bent = said == null ? link.step : bent(link, said);
        return new Way(to.straight.multiply(onward ? link.step : link.step.inverse()),
                to.bent.multiply(onward ? bent : bent.inverse()), to, said == null ? 0 : cautious(said));
    }

    private static double cautious(Perspective p) {
        return Math.max(p.deviation, Length.of(p.x, p.y) / MOST);
    }

    private Perspective byPlane(Link link) {
        return link.step.isHomography() ? null : plane.of(link);
    }

    /**
     * How far the errors of the pairs on a way move the frame at its end, px of the first frame: perspective g of a frame that
     * is s as large as the first one moves what lies d px of that from its middle by g d^2 / s.
     */
    private double chance(Way to) {
        double scale = horizon.scale(to.straight);
        double within = scale * scale * (width * width + height * height) / 12.0;
        double variance = 0;
        for (Way way = to; way.before != null; way = way.before) {
            double x = middleX(way) - middleX(to);
            double y = middleY(way) - middleY(to);
            double moves = way.deviation * (x * x + y * y + within) / horizon.scale(way.straight);
            variance += moves * moves;
        }
        return Math.sqrt(variance);
    }

    private double middleX(Way way) {
        return way.straight.applyX((width - 1) / 2.0, (height - 1) / 2.0);
    }

    private double middleY(Way way) {
        return way.straight.applyY((width - 1) / 2.0, (height - 1) / 2.0);
    }

    /**
     * The homography of a pair. Its transform was fitted to what it shows: a plane that is seen aslant is on the whole nearer
     * to where g points, by the mean of q (g.q) over the frame.
     */
    Transform bent(Link link, Perspective said) {
        double x = said.x;
        double y = said.y;
        Transform mean = Transform.translation(x * width * width / 12, y * height * height / 12);
        return link.step.multiply(mean).multiply(Transform.perspective(x, y, (width - 1) / 2.0, (height - 1) / 2.0));
    }

    /** Root mean square over the frame; across the horizon a frame's diagonal, or as far as the frame before. */
    private double between(Way way, double before) {
        if (!horizon.isBefore(way.bent)) {
            return Math.max(before, Length.of(width, height));
        }
        double sum = 0;
        for (int k = 0; k < 9; k++) {
            double x = (width - 1) / 2.0 + (k % 3 - 1) * GAUSS * width / 2;
            double y = (height - 1) / 2.0 + (k / 3 - 1) * GAUSS * height / 2;
            double dx = way.straight.applyX(x, y) - way.bent.applyX(x, y);
            double dy = way.straight.applyY(x, y) - way.bent.applyY(x, y);
            sum += GAUSS_WEIGHTS[k % 3] * GAUSS_WEIGHTS[k / 3] * (dx * dx + dy * dy);
        }
        return Math.sqrt(sum);
    }

    /** By how much perspective moves a frame, px of the first frame of its part; 0 where the sequence says nothing of it. */
    double distance(int frame) {
        return isSeen() ? distance[frame] : passed[frame];
    }

    /** By how much frames are off, for people; null if there is nothing to say. */
    String warning() {
        int farthest = -1;
        for (int i = 0; i < distance.length; i++) {
            if (distance(i) > (farthest < 0 ? TOLD : distance(farthest))) {
                farthest = i;
            }
        }
        return farthest < 0 ? null : String.format(Locale.ROOT, "%s: frame %d lies about %.0f px off, others less", seen(),
                farthest + 1, distance(farthest));
    }

    /** What is seen, and how surely, for people. */
    String seen() {
        return String.format(Locale.ROOT, "a plane is seen aslant (%.1f deviations)", evidence());
    }
}
