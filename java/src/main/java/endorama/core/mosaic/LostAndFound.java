package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.engine.PlacedFrame;
import endorama.core.pairs.FrameMatcher;
import endorama.core.pairs.FrameRow;
import endorama.core.pairs.KeyFrames;
import endorama.core.pairs.KeyFrames.Key;
import endorama.core.pairs.Link;
import endorama.core.pairs.PairMatch;
import endorama.core.pairs.Plausibility;
import endorama.core.pairs.RememberedPairs;
import endorama.core.pairs.Spectra;
import endorama.core.transforms.Transform;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Finds the first frame of a chain in what the chains before it have seen: beside the frames after which the scope was
 * lost, or by its spectrum, against key frames. And knows when chain after chain finds nobody: every frame of a long
 * interruption begins one.
 */
final class LostAndFound {
    /** Where a frame was found. */
    static final class Found {
        final int part;
        /** Its place in that part. */
        final Transform place;
        /** From the frame to the one that it was found beside. */
        final Transform step;
        final Link link;
        private final Consumer<FrameRow> describe;

        private Found(Key key, Spectra.Match match) {
            part = key.part;
            step = match.step;
            place = key.place.multiply(step);
            link = match.link();
            describe = match::describe;
        }

        private Found(PlacedFrame end, PairMatch match, int frame) {
            part = end.part;
            step = match.step;
            place = end.transform.multiply(step);
            link = match.link(frame);
            describe = match::describe;
        }

        void describe(FrameRow row) {
            describe.accept(row);
        }
    }

    /** Places where the scope was lost that are kept in the store, for it often comes back there. */
    static final int ENDS = 2;

    /** Key frames that a frame is compared with. */
    private static final int MOST = 2 * (Spectra.SLOTS - 1);
    /** Chains in a row that found nobody, after which the next ones take less trouble with every frame, */
    private static final int PATIENCE = 3;
    /** and only one in so many looks for its first frame before another agrees with it. */
    private static final int STRIDE = 8;

    private final MosaicResources with;
    private final KeyFrames keys;
    private final Plausibility plausibility = new Plausibility();
    private final LoggedProgress progress;
    private final RememberedPairs known = new RememberedPairs();
    private int order;
    /** Chains in a row, up to now, whose first frame no other one agreed with. */
    private int alone;
    /** The last good frames of chains, the latest first. */
    private final List<PlacedFrame> ends = new ArrayList<PlacedFrame>();

    LostAndFound(MosaicResources with, KeyFrames keys, LoggedProgress progress) {
        this.with = with;
        this.keys = keys;
        this.progress = progress;
    }

    /** Numbers the frames of all chains in the order in which they are painted, from 1. */
    int nextOrder() {
        return ++order;
    }

    /** What is usual in this sequence. */
    Plausibility plausibility() {
        return plausibility;
    }

    /** Pairs that chains have in common. */
    RememberedPairs known() {
        return known;
    }

    /** A chain ended with its sequence going on. alone: it found nobody. */
    void ended(boolean alone) {
        this.alone = alone ? this.alone + 1 : 0;
    }

    /** The scope was lost after this frame. */
    void lostAfter(PlacedFrame last) {
        ends.add(0, last);
        if (ends.size() > ENDS) {
            ends.remove(ENDS);
        }
    }

    /** Frames after which the scope was lost: {@value #ENDS}, -1 for none. */
    int[] ends() {
        int[] frames = new int[ENDS];
        for (int i = 0; i < ENDS; i++) {
            frames[i] = i < ends.size() ? ends.get(i).frame : -1;
        }
        return frames;
    }

    /** Registers a frame with those after which the scope was lost; null where it does not show the same. */
    Found findWhereLost(FrameMatcher matcher, int frame, int slot) {
        for (PlacedFrame end : ends) {
            if (!with.store().holds(end.frame)) {
                continue;
            }
            PairMatch match = matcher.match(new PlacedFrame(end.frame, with.store().slot(end.frame),
                    end.transform, end.part), frame, slot);
            if (match.counts(true) && !plausibility.isSuspicious(match.differing)
                    && end.transform.multiply(match.step).isInvertible()) {
                progress.log("frame " + (frame + 1) + ": found beside frame " + (end.frame + 1));
                return new Found(end, match, frame);
            }
        }
        return null;
    }

    /** Many chains in a row found nobody: this is no scene, or another one with every frame. */
    boolean findsNobody() {
        return alone >= PATIENCE;
    }

    /** The first frame of a chain is looked for before another one agrees with it. */
    boolean looksAtOnce() {
        return !findsNobody() || alone % STRIDE == 0;
    }

    /** Compares a frame with key frames; null where it was not found. */
    Found find(int frame) {
        List<Key> candidates = candidates();
        for (int from = 0; from < candidates.size(); from += Spectra.SLOTS - 1) {
            List<Key> some = candidates.subList(from, Math.min(candidates.size(), from + Spectra.SLOTS - 1));
            List<Integer> frames = new ArrayList<Integer>();
            for (Key key : some) {
                frames.add(key.frame);
            }
            Spectra.Match best = null;
            Key where = null;
            List<Spectra.Match> matches = with.spectra().register(frame, frames, false);
            for (int i = 0; i < matches.size(); i++) {
                if (matches.get(i) != null && (best == null || matches.get(i).ncc > best.ncc)) {
                    best = matches.get(i);
                    where = some.get(i);
                }
            }
            if (best != null) {
                progress.log("frame " + (frame + 1) + ": found beside frame " + (best.reference + 1));
                return new Found(where, best);
            }
        }
        return null;
    }

    /** The latest ones, and of the others some from all over. */
    private List<Key> candidates() {
        List<Key> all = keys.all();
        List<Key> chosen = new ArrayList<Key>();
        int latest = Math.min(all.size(), MOST / 2);
        for (int i = 1; i <= latest; i++) {
            chosen.add(all.get(all.size() - i));
        }
        int rest = all.size() - latest;
        int some = Math.min(rest, MOST - latest);
        for (int i = 0; i < some; i++) {
            chosen.add(all.get((int) ((long) i * rest / some)));
        }
        return chosen;
    }
}
