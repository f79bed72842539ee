package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.common.RunTimes;
import endorama.core.engine.PlacedFrame;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.options.MosaicParameters;
import endorama.core.paint.MosaicFaults;
import endorama.core.paint.Panorama;
import endorama.core.pairs.FrameRow;
import endorama.core.pairs.KeyFrames;
import endorama.core.pairs.Link;
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
 * of its chain. Stretches of frames that a chain left out are looked at again at the end, as chains of
 * their own, and so is what these leave out.
 */
final class ChainStage extends Stage {
    /** Time a chunk should take, so that a cancel is answered soon. */
    private static final double CHUNK_SECONDS = 0.1;
    /** A chunk is so many times as long as the one before, at most. */
    private static final int GROWTH = 2;
    /** Frames of a chunk while nobody knows whether the chain goes on. */
    private static final int FIRST_CHUNK = FrameChain.REACH + 2;

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
    private final int[] stretchNow = new int[2];
    private FrameChain chain;
    private FrameChain firstAlone;
    private KeyedFrames keyed;
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
        keyed.look();
        if (isOver()) {
            endChain();
            return;
        }
        if (!waitsForCompany()) {
            registerKeyed();
        }
        if (chain.rows().isEmpty()) {
            readEnds();
        }
        List<Integer> slots = read();
        if (slots == null) {
            return;
        }
        int next = chain.next() + slots.size();
        with.expect(next, Math.min(stretchNow[1] + 1, next + Math.min(GROWTH * chunk, with.largestChunk())));
        strain.accept(with.store().capacity());
        long start = System.nanoTime();
        chain.add(slots, with.waiting());
        keyed.look();
        if (!with.keepsAll()) {
            keyed.register(links, this);
        }
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

    /** Pairs with key frames, which nothing but the solution asks for: where no frame has to leave the store. */
    private boolean waitsForCompany() {
        return with.keepsAll() && keyed.waiting() < with.pairsAStep() / 2;
    }

    /** While no frames of a chunk are in use. */
    private void registerKeyed() {
        long start = System.nanoTime();
        keyed.register(links, this);
        times.register += RunTimes.since(start);
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
                read.add(with.store().ask(frame));
            } catch (FrameReadException e) {
                progress.log(e.getMessage() + "; skipped");
                read.add(-1);
            }
        }
        with.store().flush();
        return read;
    }

    /** A chain that begins asks for the frames after which the scope was lost. */
    private void readEnds() {
        for (int frame : lost.ends()) {
            try {
                if (frame >= 0) {
                    with.store().read(frame);
                }
            } catch (FrameReadException e) {
                progress.log(e.getMessage() + " again");
            }
        }
    }

    private void adapt(double secondsPerFrame) {
        double wanted = CHUNK_SECONDS / Math.max(1e-6, secondsPerFrame);
        chunk = (int) Math.max(1, Math.min(with.largestChunk(), Math.min((double) GROWTH * chunk, wanted)));
    }

    // ----------------------------------------------------------------- chains

    private void nextChain() {
        int[] stretch = stretches.poll();
        chain = null;
        if (stretch == null) {
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
            if (again && stretch[0] > 0 && stretch[1] + 1 < rows.size()) {
                chain.between(rows.get(stretch[0] - 1), rows.get(stretch[1] + 1));
            }
            keyed = new KeyedFrames(chain, source, with, options, global, keys, progress);
        } else {
            settleAlone();
        }
    }

    private void endChain() {
        registerKeyed();
        finishChain();
        lost.ended(chain.ended() && chain.alone());
        if (chain.ended()) {
            if (!chain.alone()) {
                lost.lostAfter(chain.last());
            }
            stretches.push(new int[] {chain.next(), stretchNow[1]});
        }
        nextChain();
    }

    private void finishChain() {
        chain.finish(with.waiting());
        keyed.look();
        keepRows();
        links.addAll(chain.links());
        if (!again || !chain.alone()) {
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

    // --------------------------------------------------------------- failures

    @Override
    int[] held() {
        int[] chained = chain == null ? new int[0] : chain.held();
        int key = keyed == null ? -1 : keyed.key();
        int[] others = key < 0 ? lost.ends() : new int[] {key};
        int[] held = Arrays.copyOf(chained, chained.length + others.length);
        System.arraycopy(others, 0, held, chained.length, others.length);
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
    List<PlacedFrame> painted() {
        return painted(rows());
    }

    /** The frames that these rows say are in the panorama. */
    static List<PlacedFrame> painted(List<FrameRow> rows) {
        List<PlacedFrame> items = new ArrayList<PlacedFrame>();
        for (FrameRow row : rows) {
            if (row.registered) {
                items.add(new PlacedFrame(row.frame - 1, -1, row.transform, row.part));
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
