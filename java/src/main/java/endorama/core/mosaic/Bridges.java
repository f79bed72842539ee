package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.pairs.FrameRow;
import endorama.core.pairs.GuidedPairs;
import endorama.core.pairs.Link;
import endorama.core.places.BridgePlan;
import endorama.core.places.Places;
import endorama.core.transforms.Horizon;
import endorama.core.transforms.Transform;
import endorama.jni.RegisterOptions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Registers the pairs of a {@link BridgePlan}, from where the chain puts them. */
final class Bridges {
    /** Pairs a step registers. */
    private static final int BATCH = 16;

    private final FrameSource source;
    private final MosaicResources with;
    private final RegisterOptions options;
    private final Places places;
    private final LoggedProgress progress;
    private final Deque<int[]> waiting;

    /** links: those that there are; places: that the pairs are looked for from. */
    Bridges(FrameSource source, MosaicResources with, RegisterOptions options, List<FrameRow> rows, List<Link> links,
            Places places, LoggedProgress progress) {
        this.source = source;
        this.with = with;
        this.options = options;
        this.places = places;
        this.progress = progress;
        waiting = new ArrayDeque<int[]>(BridgePlan.of(rows, links));
    }

    boolean done() {
        return waiting.isEmpty();
    }

    /** The next few, as many as find room in the store; those that were found. */
    List<Link> step() {
        GuidedPairs pairs = new GuidedPairs();
        int[] first = waiting.peek();
        with.store().keepOnly(first);
        for (int n = 0; n < BATCH && !done(); n++) {
            int[] pair = waiting.peek();
            if (n > 0 && !with.store().canHold(pair[0], pair[1])) {
                break;
            }
            add(pairs, waiting.remove());
        }
        return pairs.size() == 0 ? new ArrayList<Link>()
                : pairs.near(with.store().frames(), options, source, KeyedFrames.ASTRAY);
    }

    private void add(GuidedPairs pairs, int[] pair) {
        if (places.part(pair[0]) == 0 || places.part(pair[0]) != places.part(pair[1])) {
            return;
        }
        Transform start = places.place(pair[0]).inverse().multiply(places.place(pair[1]));
        if (!new Horizon(source.width(), source.height()).shows(start)) {
            return;
        }
        try {
            int reference = with.store().ask(pair[0]);
            int current = with.store().ask(pair[1]);
            pairs.add(pair[0], reference, pair[1], current, start);
        } catch (FrameReadException e) {
            progress.log(e.getMessage() + " again");
        }
    }
}
