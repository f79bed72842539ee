package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.pairs.GuidedPairs;
import endorama.core.pairs.Link;
import endorama.core.places.SequenceClass;
import endorama.core.transforms.Transform;
import endorama.jni.RegisterOptions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Registers pairs once more that were given a simpler class of transform than the sequence asks for. */
final class SecondLook {
    /** Pairs a step registers. */
    private static final int BATCH = 16;
    /** A pair that comes to lie further from where it was than this, px, stays as it was; */
    private static final double SAME = 0.5;
    /** and one that becomes a homography: its corners lie where no other class takes them. */
    private static final double SAME_ASLANT = 12;

    private final FrameSource source;
    private final MosaicResources with;
    private final RegisterOptions options;
    private final LoggedProgress progress;
    private final List<Link> links;
    private final double distance;
    /** Their numbers. */
    private final Deque<Integer> waiting = new ArrayDeque<Integer>();

    /**
     * Looks which pairs those are.
     *
     * @param options with which they were registered
     * @param links all pairs, of which some will be replaced
     */
    SecondLook(FrameSource source, MosaicResources with, RegisterOptions options, List<Link> links,
            LoggedProgress progress) {
        this(source, with, options, links, progress, SAME);
        if (chooses(options)) {
            find(SequenceClass.of(links));
        }
    }

    private SecondLook(FrameSource source, MosaicResources with, RegisterOptions options, List<Link> links,
            LoggedProgress progress, double distance) {
        this.source = source;
        this.with = with;
        this.options = options.copy();
        this.links = links;
        this.progress = progress;
        this.distance = distance;
    }

    /** At all pairs of a sequence that sees a plane aslant, as homographies; at none where another class was asked for. */
    static SecondLook aslant(FrameSource source, MosaicResources with, RegisterOptions options, List<Link> links,
            LoggedProgress progress) {
        SecondLook look = new SecondLook(source, with, options, links, progress, SAME_ASLANT);
        if (chooses(options)) {
            look.find(Transform.Kind.HOMOGRAPHY);
        }
        return look;
    }

    /** The class is to be chosen by what the pairs say. */
    static boolean chooses(RegisterOptions options) {
        return options.method == RegisterOptions.BEST && options.transform == RegisterOptions.AUTO;
    }

    private void find(Transform.Kind kind) {
        options.transform = kind.ordinal();
        for (int i = 0; i < links.size(); i++) {
            if (!links.get(i).doubtful && links.get(i).step.kind.compareTo(kind) < 0) {
                waiting.add(i);
            }
        }
    }

    boolean done() {
        return waiting.isEmpty();
    }

    /** The next few, as many as find room in the store. */
    void step() {
        GuidedPairs pairs = new GuidedPairs();
        List<Integer> taken = new ArrayList<Integer>();
        Link first = links.get(waiting.peek());
        with.store().keepOnly(first.reference, first.current);
        for (int i : waiting) {
            Link link = links.get(i);
            if (taken.size() == BATCH
                    || !taken.isEmpty() && !with.store().canHold(link.reference, link.current)) {
                break;
            }
            add(pairs, link);
            taken.add(i);
        }
        if (pairs.size() > 0) {
            replace(taken, pairs.near(with.store().frames(), options, source, distance));
        }
        for (int i = 0; i < taken.size(); i++) {
            waiting.remove();
        }
    }

    private void add(GuidedPairs pairs, Link link) {
        try {
            int reference = with.store().ask(link.reference);
            int current = with.store().ask(link.current);
            pairs.add(link.reference, reference, link.current, current, link.step);
        } catch (FrameReadException e) {
            progress.log(e.getMessage() + " again");
        }
    }

    private void replace(List<Integer> taken, List<Link> made) {
        for (int i : taken) {
            for (Link link : made) {
                if (link.reference == links.get(i).reference && link.current == links.get(i).current) {
                    links.set(i, link);
                }
            }
        }
    }
}
