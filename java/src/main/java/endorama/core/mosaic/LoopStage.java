package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.engine.PlacedFrame;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.options.MosaicParameters;
import endorama.core.pairs.FrameRow;
import endorama.core.pairs.GuidedPairs;
import endorama.core.pairs.Link;
import endorama.core.pairs.PairMatch;
import endorama.core.pairs.Plausibility;
import endorama.core.pairs.Spectra;
import endorama.core.places.LoopPlan;
import endorama.core.places.LoopPlan.Candidate;
import endorama.core.places.Places;
import endorama.core.transforms.Horizon;
import endorama.core.transforms.Transform;
import endorama.jni.NativeTransforms;
import endorama.jni.RegisterOptions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The second stage: pairs of too simple a class are looked at again ({@link SecondLook}, {@link AslantLook}), chains that nothing
 * holds but neighbours get more pairs ({@link Bridges}), parts are tied together, loops are closed, and the places of all frames are solved for. What may show the same follows from the places that are known
 * so far; where these are too uncertain to search from, a few pairs are registered by their spectra, and after the next
 * solution there are more that can be searched for.
 */
final class LoopStage extends Stage {
    private static final int ROUNDS = 5;
    /** Pairs that a step registers by spectra against one key frame: few, so that a cancel is answered soon. */
    private static final int FAR = 4;

    private final FrameSource source;
    private final MosaicResources with;
    private final RegisterOptions options;
    private final LoggedProgress progress;
    private final boolean global;
    private final List<FrameRow> rows;
    private final List<Link> links;
    private final LoopPlan plan;
    private final Plausibility plausibility;
    private final SecondLook second;
    /** Where the pairs say something of perspective; null elsewhere. */
    private final AslantLook aslant;
    /** Null before their turn. */
    private Bridges bridges;
    private final Deque<Candidate> near = new ArrayDeque<Candidate>();
    private final Deque<Candidate> far = new ArrayDeque<Candidate>();
    private Places places;
    /** The places follow from all pairs that there were before the last round. */
    private boolean isSolved;
    private int planned;
    private int round;
    private int found;
    private boolean done;

    LoopStage(FrameSource source, MosaicParameters parameters, MosaicResources with, ChainStage chains,
            LoggedProgress progress) {
        this.source = source;
        this.with = with;
        this.progress = progress;
        options = parameters.register().copy();
        global = parameters.solveGlobally();
        rows = chains.rows();
        links = new ArrayList<Link>(chains.links());
        plausibility = chains.lost().plausibility();
        plan = new LoopPlan(source, chains.keys());
        places = new Places(rows, links, source.width(), source.height());
        second = new SecondLook(source, with, options, global ? links : new ArrayList<Link>(), progress);
        aslant = global ? AslantLook.of(source, with, options, places, links, chains.keys(), progress) : null;
        plan.planTies(places);
        take();
    }

    @Override
    boolean done() {
        return done;
    }

    @Override
    double share() {
        double left = (double) (near.size() + far.size()) / Math.max(1, planned);
        return done ? 1 : (round + 1 - left) / (ROUNDS + 2);
    }

    @Override
    String where() {
        return "closing loops";
    }

    @Override
    List<PlacedFrame> painted() {
        return ChainStage.painted(rows);
    }

    /** Every pair that was accepted, those of the chains among them. */
    List<Link> links() {
        return links;
    }

    /** The places that follow from all pairs. */
    Places places() {
        return places;
    }

    @Override
    void step() {
        if (!second.done()) {
            second.step();
        } else if (aslant != null && !aslant.done()) {
            lookAslant();
        } else if (global && (bridges == null || !bridges.done())) {
            bridge();
        } else if (near.isEmpty() && far.isEmpty()) {
            solve();
        } else {
            register(near.isEmpty() ? far : near);
        }
    }

    /** From there on all pairs are asked for homographies, if these hold the sequence together better. */
    private void lookAslant() {
        if (!aslant.hasBegun()) {
            aslant.begin(links);
        }
        aslant.step(this::solved);
        if (aslant.done()) {
            places = aslant.places();
            isSolved = true;
        }
        if (aslant.done() && aslant.isTaken()) {
            links.clear();
            links.addAll(aslant.links());
            options.transform = NativeTransforms.HOMOGRAPHY;
            progress.log(aslant.told());
        }
    }

    private void bridge() {
        if (bridges == null) {
            bridges = new Bridges(source, with, options, rows, links, places, progress);
        }
        if (!bridges.done()) {
            List<Link> made = bridges.step();
            links.addAll(made);
            found += made.size();
        }
    }

    private void take() {
        near.addAll(plan.near());
        far.addAll(plan.far());
        planned = near.size() + far.size();
    }

    /** Places from the pairs that there are, and what they let us look for. Without a new pair they are as before. */
    private void solve() {
        if (!isSolved || found > 0) {
            places = solved(links);
            isSolved = true;
        }
        done = !global || round >= ROUNDS || round > 1 && found == 0;
        found = 0;
        if (!done) {
            round++;
            plan.plan(places);
            take();
            done = planned == 0 && round > 1;
        }
    }

    private Places solved(List<Link> from) {
        Places solved = new Places(rows, from, source.width(), source.height());
        if (global) {
            solved.solve(with.backEnd().context(), source.width(), source.height());
        }
        return solved;
    }

    // ----------------------------------------------------------- registration

    /** The next few. */
    private void register(Deque<Candidate> queue) {
        List<Candidate> taken = queue == near ? nextNear() : nextFar();
        List<Link> made = queue == near ? near(taken) : far(taken);
        links.addAll(made);
        found += made.size();
        for (Candidate c : taken) {
            queue.remove();
        }
    }

    /** As many as find room in the store together. */
    private List<Candidate> nextNear() {
        List<Candidate> taken = new ArrayList<Candidate>();
        Set<Integer> frames = new HashSet<Integer>();
        for (Candidate c : near) {
            frames.add(c.key.frame);
            frames.add(c.frame);
            if (taken.size() == with.pairsAStep() || frames.size() > with.store().capacity()) {
                break;
            }
            taken.add(c);
        }
        return taken;
    }

    /** Against one key frame. */
    private List<Candidate> nextFar() {
        List<Candidate> taken = new ArrayList<Candidate>();
        for (Candidate c : far) {
            if (c.key != far.peek().key || taken.size() == FAR) {
                break;
            }
            taken.add(c);
        }
        return taken;
    }

    private List<Link> far(List<Candidate> taken) {
        List<Integer> frames = new ArrayList<Integer>();
        for (Candidate c : taken) {
            frames.add(c.frame);
        }
        List<Link> made = new ArrayList<Link>();
        List<Spectra.Match> matches = with.spectra().register(taken.get(0).key.frame, frames, true);
        for (int i = 0; i < matches.size(); i++) {
            if (matches.get(i) != null) {
                made.add(matches.get(i).link());
                plan.tie(taken.get(i));
            }
        }
        return made;
    }

    private List<Link> near(List<Candidate> taken) {
        with.store().keepOnly(frames(taken));
        GuidedPairs pairs = new GuidedPairs();
        List<Candidate> read = new ArrayList<Candidate>();
        for (Candidate c : taken) {
            if (add(pairs, c)) {
                read.add(c);
            }
        }
        List<Link> made = new ArrayList<Link>();
        List<PairMatch> matches = pairs.near(with.store().frames(), options, plausibility);
        for (int i = 0; i < matches.size(); i++) {
            if (matches.get(i) != null) {
                made.add(matches.get(i).link(pairs.current(i)));
                plan.tie(read.get(i));
            }
        }
        return made;
    }

    private static int[] frames(List<Candidate> pairs) {
        int[] frames = new int[2 * pairs.size()];
        for (int i = 0; i < pairs.size(); i++) {
            frames[2 * i] = pairs.get(i).key.frame;
            frames[2 * i + 1] = pairs.get(i).frame;
        }
        return frames;
    }

    /** False where a frame cannot be read, or one lies across the other's horizon. */
    private boolean add(GuidedPairs pairs, Candidate c) {
        Transform start = places.place(c.key.frame).inverse().multiply(places.place(c.frame));
        if (!new Horizon(source.width(), source.height()).shows(start)) {
            return false;
        }
        try {
            int reference = with.store().ask(c.key.frame);
            int current = with.store().ask(c.frame);
            pairs.add(c.key.frame, reference, c.frame, current, start);
            return true;
        } catch (FrameReadException e) {
            progress.log(e.getMessage() + " again");
            return false;
        }
    }
}
