package endorama.core.places;

import endorama.core.common.Length;
import endorama.core.pairs.FrameRow;
import endorama.core.pairs.Link;
import endorama.core.transforms.Horizon;
import endorama.core.transforms.Transform;
import endorama.jni.NativeContext;
import endorama.jni.NativeGraph;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Where the frames lie: the parts of the panorama, which accepted pairs tie together, and in each the places of its
 * frames against its first one. Parts are numbered by their size, from 1.
 */
public final class Places {
    /** Weight at which a contradicting pair counts half, in its deviations. */
    private static final double ROBUST = 3;
    /** Deviation of a pair, px, up to which it says well where a frame lies. */
    private static final double WELL = 1;

    private final List<FrameRow> rows;
    private final List<Link> links;
    private final int[] part;
    private final Transform[] place;
    private final double[] deviation;
    private final double[] support;
    private final Transform[] chained;
    /** Of each frame the place along its own chain. */
    private final Transform[] chain;
    private final Horizon horizon;
    private final PerspectiveWatch perspective;
    /** They lie too far aslant to be painted, in no part. */
    private final boolean[] aslant;
    private int[] canvas;
    private int parts;
    /** Frames that were stopped before they went to infinity. */
    private int cut;

    /** The same of transforms that are no homographies. */
    public Places(List<FrameRow> rows, List<Link> links) {
        this(rows, links, 1, 1);
    }

    /** As the chains say it, and the pairs that tie them; frames of width x height px. */
    public Places(List<FrameRow> rows, List<Link> links, int width, int height) {
        this.rows = rows;
        horizon = new Horizon(width, height);
        aslant = new boolean[rows.size()];
        this.links = links;
        part = new int[rows.size()];
        place = new Transform[rows.size()];
        deviation = new double[rows.size()];
        support = new double[rows.size()];
        Arrays.fill(deviation, Double.NaN);
        chain = ChainedPlaces.of(rows, links);
        tie();
        number();
        perspective = new PerspectiveWatch(rows, links, width, height);
        for (int p = 1; p <= parts; p++) {
            perspective.follow(frames(p).get(0));
        }
        chained = place.clone();
        findSupport();
    }

    /** As they were solved for before, and written into the rows. */
    public Places(List<FrameRow> rows) {
        this.rows = rows;
        horizon = new Horizon(1, 1);
        perspective = null;
        chain = null;
        aslant = new boolean[rows.size()];
        links = Collections.emptyList();
        part = new int[rows.size()];
        place = new Transform[rows.size()];
        chained = new Transform[rows.size()];
        deviation = new double[rows.size()];
        support = new double[rows.size()];
        for (int i = 0; i < part.length; i++) {
            FrameRow row = rows.get(i);
            part[i] = row.part;
            place[i] = row.transform;
            chained[i] = row.chained == null ? row.transform : row.chained;
            deviation[i] = row.deviation;
            support[i] = row.doubtful ? Double.POSITIVE_INFINITY : 0;
            parts = Math.max(parts, row.part);
        }
        canvas = new int[parts + 1];
        for (int p = 1; p <= parts; p++) {
            canvas[p] = p;
        }
    }

    /** A frame without a pair stands alone, and is not wrong. */
    private void findSupport() {
        for (Link link : links) {
            double of = link.doubtful ? Double.POSITIVE_INFINITY : link.deviation;
            for (int frame : new int[] {link.reference, link.current}) {
                support[frame] = support[frame] == 0 ? of : Math.min(support[frame], of);
            }
        }
    }

    // ------------------------------------------------------------------ parts

    private void tie() {
        ChainTies ties = new ChainTies(rows, links, chain, horizon);
        for (int i = 0; i < part.length; i++) {
            FrameRow row = rows.get(i);
            part[i] = row.registered ? ties.root(row.part) : -1;
            place[i] = row.registered ? ties.place(i) : row.transform;
        }
    }

    /** Numbers parts by size, and puts each into the coordinates of its first frame. */
    private void number() {
        int most = 0;
        for (int p : part) {
            most = Math.max(most, p + 1);
        }
        final int[] sizes = new int[most];
        Transform[] origin = new Transform[most];
        for (int i = 0; i < part.length; i++) {
            if (part[i] >= 0 && sizes[part[i]]++ == 0) {
                origin[part[i]] = place[i].inverse();
            }
        }
        List<Integer> order = new ArrayList<Integer>();
        for (int p = 0; p < most; p++) {
            if (sizes[p] > 0) {
                order.add(p);
            }
        }
        Collections.sort(order, (a, b) -> sizes[b] - sizes[a]);
        parts = order.size();
        canvas = new int[parts + 1];
        for (int p = 1; p <= parts; p++) {
            canvas[p] = order.get(p - 1);
        }
        for (int i = 0; i < part.length; i++) {
            if (part[i] >= 0) {
                place[i] = origin[part[i]].multiply(place[i]);
                part[i] = order.indexOf(part[i]) + 1;
            } else {
                part[i] = 0;
            }
            leaveOutAslant(i);
        }
    }

    private void leaveOutAslant(int frame) {
        if (part[frame] > 0 && !horizon.shows(place[frame])) {
            aslant[frame] = true;
            part[frame] = 0;
        }
    }

    /** How many there are. */
    public int parts() {
        return parts;
    }

    /** The number of the canvas of a part: of the first chain in it. */
    public int canvas(int number) {
        return canvas[number];
    }

    /** The part of a frame; 0: none. */
    public int part(int frame) {
        return part[frame];
    }

    public Transform place(int frame) {
        return place[frame];
    }

    /** Standard deviation of a frame's place, px of the first frame of its part; NaN where it was not solved for. */
    public double deviation(int frame) {
        return deviation[frame];
    }

    /** Pixels of the first frame of its part that a frame's pixel is wide, root mean square over all directions. */
    double scale(int frame) {
        return horizon.scale(place[frame]);
    }

    /** No pair with another frame says well where this one lies. */
    public boolean isDoubtful(int frame) {
        return part[frame] > 0 && support[frame] > WELL;
    }

    /** Frames of the parts where no pair says well where they lie. */
    public int doubtful() {
        int n = 0;
        for (int i = 0; i < part.length; i++) {
            n += isDoubtful(i) ? 1 : 0;
        }
        return n;
    }

    /**
     * What is wrong with all of them together, for people; null if nothing is.
     *
     * @param remedy what takes perspective in, where the transforms leave it out
     */
    public String warning(String remedy) {
        String aslant = seesAslant() ? perspective.warning() + "; " + remedy : null;
        return cut == 0 ? aslant : aslant == null ? stopped() : aslant + "; " + stopped();
    }

    private String stopped() {
        return cut + (cut == 1 ? " frame was" : " frames were") + " stopped before the horizon of the first one, where"
                + " pairs put them beyond it: register the sequence in parts (option frames)";
    }

    /** The pairs agree that a plane is seen aslant, and the transforms leave that out. */
    public boolean seesAslant() {
        return perspective != null && perspective.warning() != null;
    }

    /** How surely, in words. */
    public String aslant() {
        return perspective.seen();
    }

    /** The frames of a part. */
    public List<Integer> frames(int wanted) {
        List<Integer> frames = new ArrayList<Integer>();
        for (int i = 0; i < part.length; i++) {
            if (part[i] == wanted) {
                frames.add(i);
            }
        }
        return frames;
    }

    /** Takes the places along the chains in place of those that were solved for, in one part. */
    public void keepChained(int number) {
        for (int frame : frames(number)) {
            place[frame] = chained[frame];
        }
    }

    /** A part has doubtful frames. */
    public boolean hasDoubts(int number) {
        for (int frame : frames(number)) {
            if (isDoubtful(frame)) {
                return true;
            }
        }
        return false;
    }

    /** Writes them into the rows. */
    public void put() {
        for (int i = 0; i < part.length; i++) {
            FrameRow row = rows.get(i);
            row.part = part[i];
            row.registered &= !aslant[i];
            row.status = aslant[i] ? FrameRow.Status.ASLANT : row.status;
            row.deviation = deviation[i];
            row.doubtful = isDoubtful(i);
            row.chained = chained[i];
            row.transform = place[i];
        }
    }

    /** Deviations grow by what a lens does to places. */
    public void widen(LensDrift lens) {
        double[] off = lens.of(links, place, part);
        for (int i = 0; i < off.length; i++) {
            deviation[i] = Length.of(deviation[i], off[i]);
        }
    }

    // ------------------------------------------------------------------ solve

    /** Solves for the places of every part in turn. */
    public void solve(NativeContext context, int width, int height) {
        for (int p = 1; p <= parts; p++) {
            solve(context, width, height, p);
        }
    }

    private void solve(NativeContext context, int width, int height, int p) {
        int[] index = new int[part.length];
        int frames = 0;
        for (int i = 0; i < part.length; i++) {
            index[i] = part[i] == p ? frames++ : -1;
        }
        List<Link> inside = new ArrayList<Link>();
        Transform.Kind kind = Transform.Kind.TRANSLATION;
        for (Link link : links) {
            if (index[link.reference] >= 0 && index[link.current] >= 0) {
                inside.add(link);
                kind = link.step.kind.compareTo(kind) > 0 ? link.step.kind : kind;
            }
        }
        if (inside.isEmpty()) {
            return;
        }
        StretchPairs stretch = new StretchPairs(rows, chained, inside, width, height);
        NativeGraph graph = graph(inside, index, frames, stretch);
        for (int i = 0; i < part.length; i++) {
            if (index[i] >= 0) {
                place[i].put(graph.places(), index[i]);
            }
        }
        graph.solve(context, width, height, kind.ordinal(), 0, ROBUST);
        cut += graph.cut();
        double[] wider = wider(inside, index, frames, stretch, graph.contradictionFactor());
        for (int i = 0; i < part.length; i++) {
            if (index[i] >= 0) {
                place[i] = index[i] == 0 ? place[i]
                        : Transform.of(graph.places().kind(index[i]), graph.places().matrix(index[i]));
                deviation[i] = wider[index[i]] * scale(i) * graph.deviation(index[i]);
            }
        }
        widenAtTears(index, width, height);
        for (int i = 0; i < part.length; i++) {
            deviation[i] = index[i] > 0 ? Length.of(deviation[i], perspective.distance(i)) : deviation[i];
            leaveOutAslant(i);
        }
    }

    /** Frames beside a tear deviate by half of it at least, except the first one, which lies where it is said to. */
    private void widenAtTears(int[] index, int width, int height) {
        for (int i = 0; i < part.length; i++) {
            int of = rows.get(i).reference - 1;
            if (index[i] < 0 || of < 0 || of == i || index[of] < 0 || isDoubtful(i) || isDoubtful(of)) {
                continue;
            }
            double half = scale(of) * TearWatch.half(place[of], place[i], chained[of], chained[i], width, height);
            for (int frame : new int[] {of, i}) {
                if (index[frame] > 0) {
                    deviation[frame] = Math.max(deviation[frame], half);
                }
            }
        }
    }

    /** The pairs of a part, those within a stretch by what they are worth beside the chain. */
    private NativeGraph graph(List<Link> inside, int[] index, int frames, StretchPairs stretch) {
        NativeGraph graph = new NativeGraph(inside.size(), frames);
        double factor = stretch.factor(inside);
        for (int i = 0; i < inside.size(); i++) {
            Link link = inside.get(i);
            double deviates = stretch.isWithin(link) ? factor * link.deviation : link.deviation;
            graph.setPair(i, index[link.reference], index[link.current], link.step.kind.ordinal(),
                    link.step.toArray(), deviates);
        }
        return graph;
    }

    /** By what to multiply the deviations of a part's frames: by as much at least, and by what common errors add up to. */
    private static double[] wider(List<Link> inside, int[] index, int frames, StretchPairs stretch, double least) {
        double common = stretch.common(inside);
        double[] wider = new double[frames];
        Arrays.fill(wider, least);
        if (common > 0) {
            PairsAway pairs = new PairsAway(frames);
            for (Link link : inside) {
                pairs.connect(index[link.reference], index[link.current], stretch.steps(link));
            }
            double[] away = pairs.from(0);
            for (int i = 0; i < frames; i++) {
                wider[i] = Math.max(least, Math.sqrt(1 + common * away[i]));
            }
        }
        return wider;
    }
}
