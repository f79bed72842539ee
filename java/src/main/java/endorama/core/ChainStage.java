package endorama.core;

import endorama.core.KeyFrames.Key;
import endorama.jni.NativeFrames;
import endorama.jni.RegisterOptions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * The first stage: frames are read chunk by chunk, registered with one call a chunk, chained, and painted as they come.
 * Where a chain ends ({@link FrameChain}) the next one begins. Each frame is also registered against the last key frame
 * of its chain. Stretches of frames that a chain left out are looked at again at the end, as chains of their own.
 */
final class ChainStage extends Stage {
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

    /** Time a chunk should take, so that a cancel is answered soon. */
    private static final double CHUNK_SECONDS = 0.1;
    /** Frames of a chunk while nobody knows whether the chain goes on. */
    private static final int FIRST_CHUNK = FrameChain.REACH + 2;
    /** One frame in so many is registered against its key frame; the others lie between two that are. */
    private static final int STRIDE = 4;
    /** A key frame's pair that is further from the chain than this, px, is wrong. */
    private static final double ASTRAY = 8;

    private final FrameSource source;
    private final MosaicResources with;
    private final RegisterOptions options;
    private final LoggedProgress progress;
    private final MosaicListener listener;
    private final IntConsumer strain;
    private final RunTimes times;
    private final boolean global;
    private final KeyFrames keys;
    private final LostAndFound lost;
    private final Deque<int[]> stretches = new ArrayDeque<int[]>();
    private final List<int[]> gaps = new ArrayList<int[]>();
    private final List<FrameRow> rows = new ArrayList<FrameRow>();
    private final List<Link> links = new ArrayList<Link>();
    private final List<ToKey> toKeys = new ArrayList<ToKey>();
    private final int[] stretchNow = new int[2];
    private FrameChain chain;
    private FrameChain firstAlone;
    private Key key;
    private int seenLinks;
    private int parts;
    private int chunk;
    private boolean again;

    ChainStage(FrameSource source, MosaicParameters parameters, MosaicResources with, LoggedProgress progress,
            MosaicListener listener, MosaicFaults faults, RunTimes times) {
        this.source = source;
        this.with = with;
        this.progress = progress;
        this.listener = listener;
        this.times = times;
        options = parameters.register();
        global = parameters.solveGlobally();
        strain = faults.strain;
        keys = new KeyFrames(with.field().bounds());
        lost = new LostAndFound(with, keys, progress);
        chunk = with.firstChunk();
        stretches.add(new int[] {0, source.count() - 1});
        nextChain();
    }

    // ------------------------------------------------------------------ steps

    @Override
    boolean done() {
        return chain == null;
    }

    @Override
    double share() {
        return (double) frames() / source.count();
    }

    /** Frames that have a row; all of them only when everything is done. */
    int frames() {
        return again || chain == null ? rows.size() : rows.size() + chain.rows().size();
    }

    @Override
    void step() {
        chunk = Math.min(chunk, with.largestChunk());
        with.paintWaiting(held());
        followChain();
        registerAgainstKeys();
        if (isOver()) {
            endChain();
            return;
        }
        List<Integer> slots = read();
        if (slots == null) {
            return;
        }
        strain.accept(with.store().capacity());
        long start = System.nanoTime();
        chain.add(slots, with.waiting());
        followChain();
        registerAgainstKeys();
        times.register += RunTimes.since(start);
        boolean look = !with.waiting().isEmpty() && with.full() == null;
        with.paintWaiting(held());
        adapt(RunTimes.since(start) / Math.max(1, slots.size()));
        if (look) {
            look(chain.part());
        }
        if (isOver()) {
            endChain();
        }
    }

    private boolean isOver() {
        return chain.ended() || chain.next() > stretchNow[1];
    }

    private void look(int part) {
        listener.panorama(new Supplier<Panorama>() {
            @Override
            public Panorama get() {
                return with.snapshot(part);
            }
        });
    }

    /** Slots of the next frames; null if the run was cancelled meanwhile. */
    private List<Integer> read() {
        int most = chain.rows().isEmpty() || chain.alone() ? Math.min(chunk, FIRST_CHUNK) : chunk;
        List<Integer> read = new ArrayList<Integer>();
        for (int frame = chain.next(); frame <= stretchNow[1] && read.size() < most; frame++) {
            if (progress.cancelled()) {
                return null;
            }
            try {
                read.add(with.store().read(frame));
            } catch (FrameReadException e) {
                progress.log(e.getMessage() + "; skipped");
                read.add(-1);
            }
        }
        return read;
    }

    private void adapt(double secondsPerFrame) {
        double wanted = CHUNK_SECONDS / Math.max(1e-6, secondsPerFrame);
        chunk = (int) Math.max(1, Math.min(with.largestChunk(), Math.min(2.0 * chunk, wanted)));
    }

    // ----------------------------------------------------------------- chains

    private void nextChain() {
        int[] stretch = stretches.poll();
        chain = null;
        if (stretch == null && !again) {
            again = true;
            stretches.addAll(gaps);
            gaps.clear();
            stretch = stretches.poll();
        }
        if (stretch != null) {
            stretchNow[0] = stretch[0];
            stretchNow[1] = stretch[1];
            chain = new FrameChain(source, stretch[0], parts++, lost, with.store().frames(), options,
                    with.backEnd().name(), progress);
            key = null;
            seenLinks = 0;
        } else {
            settleAlone();
        }
    }

    private void endChain() {
        finishChain();
        if (chain.ended()) {
            stretches.push(new int[] {chain.next(), stretchNow[1]});
        }
        nextChain();
    }

    private void finishChain() {
        chain.finish(with.waiting());
        followChain();
        keepRows();
        links.addAll(chain.links());
        if (!again) {
            addGaps();
        }
        if (firstAlone == null && chain.alone()) {
            firstAlone = chain;
        }
    }

    /** What may be another scene: not what is damaged or shows nothing. */
    private void addGaps() {
        for (int[] gap : chain.gaps()) {
            int begin = gap[0];
            for (int frame = gap[0]; frame <= gap[1] + 1; frame++) {
                if (frame > gap[1] || !mayBeScene(chain.row(frame).status)) {
                    if (frame > begin) {
                        gaps.add(new int[] {begin, frame - 1});
                    }
                    begin = frame + 1;
                }
            }
        }
    }

    private static boolean mayBeScene(FrameRow.Status status) {
        return status == FrameRow.Status.JUMP || status == FrameRow.Status.FEW_LANDMARKS;
    }

    private void keepRows() {
        if (!again) {
            rows.addAll(chain.rows());
            return;
        }
        for (FrameRow row : chain.rows()) {
            if (row.registered) {
                rows.set(row.frame - 1, row);
            }
        }
    }

    /** No step follows: what was done until now is kept. */
    void finish() {
        if (chain != null) {
            finishChain();
            chain = null;
            settleAlone();
        }
        with.paintWaiting();
    }

    /** Frames that agree with no other one are no part, unless there is nothing else. */
    private void settleAlone() {
        boolean nothing = firstAlone != null;
        for (FrameRow row : rows) {
            nothing = nothing && !row.registered;
        }
        if (nothing) {
            firstAlone.admitAlone(with.waiting());
        }
        for (FrameRow row : rows) {
            if (!row.registered && row.status == FrameRow.Status.OK) {
                row.status = FrameRow.Status.JUMP;
                row.reference = 0;
            }
        }
    }

    // ------------------------------------------------------------- key frames

    /** Frames that joined the chain: which are key frames, and which pairs with key frames are to be registered. */
    private void followChain() {
        for (; seenLinks < chain.links().size(); seenLinks++) {
            Link link = chain.links().get(seenLinks);
            if (chain.isLate(link)) {
                continue;
            }
            Transform place = chain.row(link.current).transform;
            if (key != null && global && link.reference != key.frame && (link.current - key.frame) % STRIDE == 0) {
                toKeys.add(new ToKey(key, link.current, place));
            }
            follow(link, place);
        }
    }

    /** In one call, unless a failure has made the store too small for all of them. */
    private void registerAgainstKeys() {
        while (!toKeys.isEmpty()) {
            GuidedPairs pairs = new GuidedPairs();
            int n = 0;
            while (n < toKeys.size() && (n == 0 || with.store().canHold(toKeys.get(n).key.frame, toKeys.get(n).frame))) {
                add(pairs, toKeys.get(n++));
            }
            links.addAll(pairs.near(with.store().frames(), options, source, ASTRAY));
            toKeys.subList(0, n).clear();
            if (!toKeys.isEmpty()) {
                with.store().keepOnly(held());
            }
        }
    }

    private void add(GuidedPairs pairs, ToKey pair) {
        try {
            int reference = with.store().read(pair.key.frame);
            int current = with.store().read(pair.frame);
            pairs.add(pair.key.frame, reference, pair.frame, current,
                    pair.key.place.inverse().multiply(pair.place));
        } catch (FrameReadException e) {
            progress.log(e.getMessage() + " again");
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

    // --------------------------------------------------------------- failures

    @Override
    int[] held() {
        int[] chained = chain == null ? new int[0] : chain.held();
        int[] held = Arrays.copyOf(chained, chained.length + 1);
        held[chained.length] = key == null ? -1 : key.frame;
        return held;
    }

    @Override
    void moveTo(NativeFrames store, int[] slots, String computing) {
        if (chain != null) {
            chain.moveTo(store, slots, computing);
        }
    }

    // ------------------------------------------------------------ what it made

    /** One a frame, up to where it came. */
    List<FrameRow> rows() {
        List<FrameRow> all = new ArrayList<FrameRow>(rows);
        if (chain != null && !again) {
            all.addAll(chain.rows());
        }
        return all;
    }

    @Override
    String where() {
        int next = Math.min(frames(), source.count() - 1);
        return Frames.range(next, next);
    }

    @Override
    List<PanoramaCanvas.Item> painted() {
        return painted(rows());
    }

    /** The frames that these rows say are in the panorama. */
    static List<PanoramaCanvas.Item> painted(List<FrameRow> rows) {
        List<PanoramaCanvas.Item> items = new ArrayList<PanoramaCanvas.Item>();
        for (FrameRow row : rows) {
            if (row.registered) {
                items.add(new PanoramaCanvas.Item(row.frame - 1, -1, row.transform, row.part));
            }
        }
        return items;
    }

    /** Every pair that was accepted. */
    List<Link> links() {
        return links;
    }

    KeyFrames keys() {
        return keys;
    }

    LostAndFound lost() {
        return lost;
    }
}
