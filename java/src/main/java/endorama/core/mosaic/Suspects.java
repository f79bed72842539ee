package endorama.core.mosaic;

import endorama.core.engine.PlacedFrame;
import endorama.core.pairs.PairMatch;
import endorama.core.pairs.Plausibility;
import java.util.ArrayList;
import java.util.List;

/** Frames in a row that agree with one another and not with the last good one of a chain. */
final class Suspects {
    /** Suspects that agree with one another are the scene from so many on. */
    private static final int PATIENCE = 3;

    /** What a frame after them says of them. */
    enum Verdict {
        /** They are the odd ones out. */
        OUTLIERS,
        /** They show what it shows, and the last good frame does not. */
        JOINED,
        /** They are believed. */
        RIGHT
    }

    private final Judgement judgement;
    private final Plausibility plausibility;
    private final List<Suspect> all = new ArrayList<Suspect>();

    /** plausibility: learns from three first frames that are alike. */
    Suspects(Judgement judgement, Plausibility plausibility) {
        this.judgement = judgement;
        this.plausibility = plausibility;
    }

    boolean any() {
        return !all.isEmpty();
    }

    void add(Suspect one) {
        all.add(one);
    }

    Suspect newest() {
        return all.get(all.size() - 1);
    }

    /** The newest, for frames that are registered against it. */
    PlacedFrame frame() {
        return new PlacedFrame(newest().frame, newest().slot, null);
    }

    /** They are so many that they are the scene. */
    boolean areTheScene() {
        return all.size() >= PATIENCE;
    }

    /** All of them, which are none any more. */
    List<Suspect> release() {
        List<Suspect> released = new ArrayList<Suspect>(all);
        all.clear();
        return released;
    }

    // ------------------------------------------------------------- judgement

    /** Of a new frame's pairs with the last good one and with the newest of them. */
    Verdict judge(PlacedFrame last, PairMatch toLast, PairMatch toNewest) {
        double before = newest().differing;
        double after = judgement.against(last, toNewest);
        double across = judgement.against(last, toLast);
        double tile = Math.max(newest().match.tile, Math.max(toLast.tile, toNewest.tile));
        if (Plausibility.isOddOneOut(before, after, across, tile)) {
            return Verdict.OUTLIERS;
        }
        if (Plausibility.isOddOneOut(before, across, after, tile)) {
            return Verdict.JOINED;
        }
        boolean contradicted = plausibility.isWild(after);
        if (judgement.accepts(last, newest().match) && judgement.accepts(last, toNewest)
                && judgement.accepts(last, toLast) && !newest().match.isLeap()) {
            plausibility.addFirst(before, after, across);
        }
        return settle(last, contradicted && plausibility.isWild(judgement.against(last, newest().match)));
    }

    /** No frame follows. alone: the last good frame is the first one, and none has agreed with it. */
    Verdict judgeLast(PlacedFrame last, boolean alone) {
        // Two frames alone may be turned against each other: no third one says how the scope moves.
        PairMatch match = newest().match;
        return settle(last, plausibility.isWild(alone ? judgement.differing(last, match) : judgement.against(last, match)));
    }

    /** Without a verdict they are believed, unless nothing speaks for them. */
    private Verdict settle(PlacedFrame last, boolean alien) {
        return all.size() > 1 || judgement.accepts(last, newest().match) && !alien ? Verdict.RIGHT : Verdict.OUTLIERS;
    }
}
