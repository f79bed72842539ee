package endorama.core;

import endorama.core.LoopPlan.Candidate;
import endorama.jni.RegisterOptions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The second stage: parts are tied together, loops are closed, and the places of all frames are solved for. What may
 * show the same follows from the places that are known so far; where these are too uncertain to search from, a few
 * pairs are registered by their spectra, and after the next solution there are more that can be searched for.
 */
final class LoopStage extends Stage {
    private static final int ROUNDS = 4;
    /** Pairs a step registers. */
    private static final int BATCH = 8;

    private final FrameSource source;
    private final MosaicResources with;
    private final RegisterOptions options;
    private final LoggedProgress progress;
    private final boolean global;
    private final List<FrameRow> rows;
    private final List<Link> links;
    private final LoopPlan plan;
    private final Plausibility plausibility;
    private final Deque<Candidate> near = new ArrayDeque<Candidate>();
    private final Deque<Candidate> far = new ArrayDeque<Candidate>();
    private Places places;
    private int planned;
    private int round;
    private int found;
    private boolean done;

    LoopStage(FrameSource source, MosaicParameters parameters, MosaicResources with, ChainStage chains,
            LoggedProgress progress) {
        this.source = source;
        this.with = with;
        this.progress = progress;
        options = parameters.register();
        global = parameters.solveGlobally();
        rows = chains.rows();
        links = new ArrayList<Link>(chains.links());
        plausibility = chains.lost().plausibility();
        plan = new LoopPlan(source, chains.keys());
        places = new Places(rows, links);
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
    List<PanoramaCanvas.Item> painted() {
        return ChainStage.painted(rows);
    }

    /** The places that follow from all pairs. */
    Places places() {
        return places;
    }

    @Override
    void step() {
        if (near.isEmpty() && far.isEmpty()) {
            solve();
        } else {
            register(near.isEmpty() ? far : near);
        }
    }

    private void take() {
        near.addAll(plan.near());
        far.addAll(plan.far());
        planned = near.size() + far.size();
    }

    /** Places from the pairs that there are, and what they let us look for. */
    private void solve() {
        Places solved = new Places(rows, links);
        if (global) {
            solved.solve(with.backEnd().context(), source.width(), source.height());
        }
        places = solved;
        done = !global || round >= ROUNDS || round > 0 && found == 0;
        found = 0;
        if (!done) {
            round++;
            plan.plan(places);
            take();
            done = planned == 0;
        }
    }

    // ----------------------------------------------------------- registration

    /** The next few against one key frame. */
    private void register(Deque<Candidate> queue) {
        GuidedPairs pairs = new GuidedPairs();
        List<Candidate> taken = new ArrayList<Candidate>();
        LoopPlan.Candidate first = queue.peek();
        with.store().keepOnly(first.key.frame);
        for (Candidate c : queue) {
            if (c.key != first.key || taken.size() == BATCH || taken.size() > 0 && !with.store().hasRoom()) {
                break;
            }
            taken.add(c);
            add(pairs, c);
        }
        List<PairMatch> matches = queue == near
                ? pairs.near(with.store().frames(), options, plausibility)
                : pairs.anywhere(with.store().frames(), options, plausibility);
        for (int i = 0; i < matches.size(); i++) {
            if (matches.get(i) != null) {
                links.add(matches.get(i).link(pairs.current(i)));
                found++;
            }
        }
        for (Candidate c : taken) {
            queue.remove();
        }
    }

    private void add(GuidedPairs pairs, Candidate c) {
        try {
            int reference = with.store().read(c.key.frame);
            int current = with.store().read(c.frame);
            pairs.add(c.key.frame, reference, c.frame, current,
                    places.place(c.key.frame).inverse().multiply(places.place(c.frame)));
        } catch (FrameReadException e) {
            progress.log(e.getMessage() + " again");
        }
    }
}
