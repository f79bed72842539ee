package endorama.core.mosaic;

import endorama.core.transforms.Transform;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Links that somebody mends: which of them to doubt first, and edits that can be undone. A link keeps its index, whatever
 * happens to it; links that are added come last. Knows no window.
 */
public final class Mending {
    /** Standard deviation of a link that was placed by eye, px. */
    public static final double BY_EYE = 2;

    /** Numbers of the frames, in their order. */
    private final int[] frames;
    private final int width;
    private final int height;
    /** Read by the thread that draws while another one solves. */
    private volatile List<Link> links;
    /** The links before each edit, the last edit first. */
    private final Deque<List<Link>> undone = new ArrayDeque<List<Link>>();
    /** The links before each undo, the last undo first; empty after an edit. */
    private final Deque<List<Link>> redone = new ArrayDeque<List<Link>>();
    private List<Link> saved;
    /** The index whose placing goes on, so that one movement of the hand is one edit; -1: none. */
    private int placing = -1;
    /** The frames in the last solution, in their order; empty: nothing was solved. */
    private volatile List<FrameRow> rows = Collections.emptyList();

    /**
     * The links of a sequence.
     *
     * @param frames numbers of the frames, in their order, of width x height px
     * @param links may be of other frames, too, which were left out: they are kept, and not among those by doubt
     */
    public Mending(int[] frames, int width, int height, Links links) {
        this.frames = frames.clone();
        this.width = width;
        this.height = height;
        this.links = Collections.unmodifiableList(new ArrayList<Link>(links.all()));
        saved = this.links;
    }

    private boolean has(int a, int b) {
        return Arrays.binarySearch(frames, a) >= 0 && Arrays.binarySearch(frames, b) >= 0;
    }

    private void checkFrames(int a, int b) {
        if (!has(a, b) || a == b) {
            throw new IllegalArgumentException("frames " + a + " and " + b + ": must be two different ones of the "
                    + frames.length + " frames " + frames[0] + "-" + frames[frames.length - 1]);
        }
    }

    /** Number of links. */
    public int size() {
        return links.size();
    }

    public Link link(int index) {
        return links.get(index);
    }

    /** The links as a table. */
    public Links links() {
        return new Links(links);
    }

    // ------------------------------------------------------------------- edits

    private void change(List<Link> changed) {
        undone.push(links);
        redone.clear();
        links = Collections.unmodifiableList(changed);
        placing = -1;
    }

    private void set(int index, Link link) {
        List<Link> changed = new ArrayList<Link>(links);
        changed.set(index, link);
        change(changed);
    }

    /** Switches a link on or off. */
    public void use(int index, boolean on) {
        if (link(index).use != on) {
            set(index, link(index).use(on));
        }
    }

    /** Places frame b by hand; the link then counts. Calls up to {@link #placed} are one edit. */
    public void place(int index, Transform transform) {
        Link link = Link.byHand(link(index).a, link(index).b, transform, BY_EYE);
        if (placing == index) {
            List<Link> changed = new ArrayList<Link>(links);
            changed.set(index, link);
            links = Collections.unmodifiableList(changed);
        } else {
            set(index, link);
            placing = index;
        }
    }

    /** Ends a movement of the hand. */
    public void placed() {
        placing = -1;
    }

    /** Takes what a registration made of a link. */
    public void refine(int index, Transform transform, double deviation) {
        set(index, Link.byHand(link(index).a, link(index).b, transform, deviation));
    }

    /**
     * The index of the link of two frames, which is added by hand where there is none: where the solution has them, else one
     * over the other. It counts as soon as it is placed.
     *
     * @throws IllegalArgumentException unless they are two frames of the sequence
     */
    public int add(int a, int b) {
        checkFrames(a, b);
        for (int i = 0; i < links.size(); i++) {
            if (link(i).a == a && link(i).b == b || link(i).a == b && link(i).b == a) {
                return i;
            }
        }
        Transform start = between(a, b);
        List<Link> changed = new ArrayList<Link>(links);
        changed.add(Link.byHand(a, b, start == null ? Transform.IDENTITY : start, BY_EYE).use(false));
        change(changed);
        return links.size() - 1;
    }

    public boolean canUndo() {
        return !undone.isEmpty();
    }

    public boolean canRedo() {
        return !redone.isEmpty();
    }

    /** Takes the last edit back, if there is one. */
    public void undo() {
        step(undone, redone);
    }

    /** Does again what was taken back, if nothing was edited since. */
    public void redo() {
        step(redone, undone);
    }

    private void step(Deque<List<Link>> from, Deque<List<Link>> to) {
        if (!from.isEmpty()) {
            to.push(links);
            links = from.pop();
            placing = -1;
        }
    }

    /** The links were written. */
    public void saved() {
        saved = links;
    }

    /** The links are not those that were read, or written last. */
    public boolean isChanged() {
        return links != saved;
    }

    // ------------------------------------------------------------------- doubt

    /** The frame next to one that is in the first panorama, before it if there is one; else its neighbour. */
    public int nearestPlaced(int frame) {
        List<Integer> unplaced = unplaced();
        int at = Arrays.binarySearch(frames, frame);
        for (int away = 1; away < frames.length; away++) {
            for (int other = at - away; other <= at + away; other += 2 * away) {
                if (other >= 0 && other < frames.length && Collections.binarySearch(unplaced, frames[other]) < 0) {
                    return frames[other];
                }
            }
        }
        return frames[at > 0 ? at - 1 : 1];
    }

    /** Takes the poses of all frames from the links as they are. */
    public void solved(List<FrameRow> solution) {
        rows = Collections.unmodifiableList(new ArrayList<FrameRow>(solution));
    }

    /** Frame b -&gt; frame a in the solution; null: they are not in one panorama. */
    public Transform between(int a, int b) {
        FrameRow one = row(a);
        FrameRow other = row(b);
        boolean together = one != null && other != null && one.registered && other.registered && one.part == other.part;
        return together ? one.transform.inverse().multiply(other.transform) : null;
    }

    private FrameRow row(int frame) {
        int index = FrameRow.index(rows, frame);
        return index < 0 ? null : rows.get(index);
    }

    /** How far the solution puts frame b from where the link says, px, mean over its corners; NaN: it is not known. */
    public double off(int index) {
        Link link = link(index);
        Transform is = between(link.a, link.b);
        if (is == null) {
            return Double.NaN;
        }
        double[] said = link.transform.corners(width, height);
        double[] found = is.corners(width, height);
        double sum = 0;
        for (int i = 0; i < said.length; i += 2) {
            sum += Math.hypot(said[i] - found[i], said[i + 1] - found[i + 1]);
        }
        return sum / 4;
    }

    /** Numbers of the frames that are in no panorama, or, of several, not in the first. */
    public List<Integer> unplaced() {
        List<Integer> unplaced = new ArrayList<Integer>();
        for (FrameRow row : rows) {
            if (!row.registered || row.part > 1) {
                unplaced.add(row.frame);
            }
        }
        return unplaced;
    }

    /** The frame is in the first panorama, but nothing sure ties it to most frames there. */
    public boolean isUncertain(int frame) {
        return row(frame) != null && row(frame).isUncertain();
    }

    /**
     * Indices of the links, the most doubtful first: by what the solution contradicts or the registration does not know, the
     * larger of both, px, those of uncertain frames before others; last those that do not count.
     */
    public List<Integer> byDoubt() {
        final Map<Integer, Double> doubts = new HashMap<Integer, Double>();
        List<Integer> order = new ArrayList<Integer>();
        for (int i = 0; i < links.size(); i++) {
            if (has(link(i).a, link(i).b)) {
                order.add(i);
                doubts.put(i, doubt(i));
            }
        }
        Collections.sort(order, Comparator.comparing(doubts::get).reversed());
        return order;
    }

    private double doubt(int index) {
        Link link = link(index);
        double off = off(index);
        double px = Math.max(link.deviation, Double.isNaN(off) ? 0 : off);
        boolean uncertain = isUncertain(link.a) != isUncertain(link.b);
        return !link.use ? -1 / px : uncertain ? UNCERTAIN + px : px;
    }

    /** More than any distance in a panorama, px. */
    private static final double UNCERTAIN = 1e9;
}
