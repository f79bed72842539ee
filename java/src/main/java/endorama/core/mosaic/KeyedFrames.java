package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.pairs.GuidedPairs;
import endorama.core.pairs.KeyFrames;
import endorama.core.pairs.KeyFrames.Key;
import endorama.core.pairs.Link;
import endorama.core.transforms.Horizon;
import endorama.core.transforms.Transform;
import endorama.jni.RegisterOptions;
import java.util.ArrayList;
import java.util.List;

/** The key frames of a chain as it grows, and the pairs of its frames with the last one of them. */
final class KeyedFrames {
    /** A frame that is to be registered against a key frame. */
    private static final class ToKey {
        final Key key;
        final int frame;
        final Transform place;

        ToKey(Key key, int frame, Transform place) {
            this.key = key;
            this.frame = frame;
            this.place = place;
        }
    }

    /** One frame in so many is registered against its key frame; the others lie between two that are. */
    private static final int STRIDE = 4;
    /** A pair with a frame further away that is further from the chain than this, px, is wrong. */
    static final double ASTRAY = 8;

    private final FrameChain chain;
    private final FrameSource source;
    private final MosaicResources with;
    private final RegisterOptions options;
    private final boolean pairs;
    private final KeyFrames keys;
    private final LoggedProgress progress;
    private final List<ToKey> waiting = new ArrayList<ToKey>();
    private Key key;
    private int seen;

    /**
     * Of a chain that has no frames yet.
     *
     * @param pairs frames are registered against their key frames
     * @param keys where its key frames are kept, beside those of other chains
     */
    KeyedFrames(FrameChain chain, FrameSource source, MosaicResources with, RegisterOptions options, boolean pairs,
            KeyFrames keys, LoggedProgress progress) {
        this.chain = chain;
        this.source = source;
        this.with = with;
        this.options = options;
        this.pairs = pairs;
        this.keys = keys;
        this.progress = progress;
    }

    /** The last key frame, which must stay in the store; -1 before there is one. */
    int key() {
        return key == null ? -1 : key.frame;
    }

    /** Looks which of the frames that joined the chain are key frames, and which pairs with them are to be registered. */
    void look() {
        for (; seen < chain.links().size(); seen++) {
            Link link = chain.links().get(seen);
            if (chain.isLate(link)) {
                continue;
            }
            Transform place = chain.row(link.current).transform;
            if (key != null && pairs && link.reference != key.frame && (link.current - key.frame) % STRIDE == 0) {
                waiting.add(new ToKey(key, link.current, place));
            }
            follow(link, place);
        }
    }

    /** The first frame of a chain is a key frame, and every one that is too far from the last. */
    private void follow(Link link, Transform place) {
        if (key == null) {
            boolean found = link.current == chain.first();
            setKey(found ? link.current : link.reference, found ? place : chain.row(link.reference).transform);
        }
        key.end = link.current;
        if (keys.isBeyond(key, place)) {
            setKey(link.current, place);
        }
    }

    private void setKey(int frame, Transform place) {
        key = keys.add(frame, chain.part(), place);
        chain.row(frame).keyFrame = true;
    }

    // ------------------------------------------------------------------ pairs

    /** Pairs that wait to be registered. */
    int waiting() {
        return waiting.size();
    }

    /**
     * Registers the pairs that wait: in one call, unless a failure has made the store too small for all of them.
     *
     * @param links receives them
     * @param stage that holds frames in the store
     */
    void register(List<Link> links, Stage stage) {
        while (!waiting.isEmpty()) {
            GuidedPairs guided = new GuidedPairs();
            int n = 0;
            while (n < waiting.size()
                    && (n == 0 || with.store().canHold(waiting.get(n).key.frame, waiting.get(n).frame))) {
                add(guided, waiting.get(n++));
            }
            links.addAll(guided.near(with.store().frames(), options, source, ASTRAY));
            waiting.subList(0, n).clear();
            if (!waiting.isEmpty()) {
                with.store().keepOnly(stage.held());
            }
        }
    }

    private void add(GuidedPairs guided, ToKey pair) {
        Transform start = pair.key.place.inverse().multiply(pair.place);
        if (!new Horizon(source.width(), source.height()).shows(start)) {
            return;
        }
        try {
            int reference = with.store().ask(pair.key.frame);
            int current = with.store().ask(pair.frame);
            guided.add(pair.key.frame, reference, pair.frame, current, start);
        } catch (FrameReadException e) {
            progress.log(e.getMessage() + " again");
        }
    }
}
