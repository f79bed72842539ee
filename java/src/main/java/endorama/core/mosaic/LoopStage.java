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
import java.util.ArrayList;
import java.util.List;

/**
 * The second stage: pairs of too simple a class are looked at again ({@link SecondLook}, {@link AslantLook}), chains that
 * nothing holds but neighbours get more pairs ({@link Bridges}), parts are tied together, loops are closed, and the places of
 * all frames are solved for. What may show the same follows from the places that are known so far; where these are too
 * uncertain to search from, a few pairs are registered by their spectra, and after the next solution there are more that can
 * be searched for.
 */
final class LoopStage extends Stage {
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
    private final LoopQueue queue = new LoopQueue();
    private Places places;
    /** The places follow from all pairs that there were before the last round. */
    private boolean isSolved;
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
        queue.take(plan.near(), plan.far());
    }

    @Override
    boolean done() {
        return done;
    }

    @Override
    double share() {
        return done ? 1 : queue.share();
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
        } else if (queue.isEmpty()) {
            solve();
        } else {
            register();
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
        }
        if (aslant.done() && aslant.told() != null) {
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
            queue.alsoFound(made.size());
        }
    }

    /** Places from the pairs that there are, and what they let us look for. Without a new pair they are as before. */
    private void solve() {
        if (!isSolved || queue.found() > 0) {
            places = solved(links);
            isSolved = true;
        }
        done = !global || queue.isLastRound();
        if (!done) {
            plan.plan(places);
            queue.nextRound(plan.near(), plan.far());
            done = queue.isLastRound();
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

    /** The next few: those that can be searched for before those that are left to their spectra. */
    private void register() {
        boolean isNear = queue.hasNear();
        List<Candidate> taken = isNear ? queue.nextNear(with.pairsAStep(), with.store().capacity()) : queue.nextFar();
        List<Link> made = isNear ? near(taken) : far(taken);
        links.addAll(made);
        queue.done(taken.size(), made.size());
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
