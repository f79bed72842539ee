package endorama.core;

import endorama.core.KeyFrames.Key;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the first frame of a chain in what the chains before it have seen: by its spectrum, against their key frames. And
 * knows when chain after chain finds nobody: every frame of a long interruption begins one.
 */
final class LostAndFound {
    /** Where a frame was found. */
    static final class Found {
        final int part;
        /** Its place in that part. */
        final Transform place;
        final Spectra.Match match;

        private Found(Key key, Spectra.Match match) {
            part = key.part;
            place = key.place.multiply(match.step);
            this.match = match;
        }
    }

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
            Found best = null;
            List<Spectra.Match> matches = with.spectra().register(frame, frames, false);
            for (int i = 0; i < matches.size(); i++) {
                if (matches.get(i) != null && (best == null || matches.get(i).ncc > best.match.ncc)) {
                    best = new Found(some.get(i), matches.get(i));
                }
            }
            if (best != null) {
                progress.log("frame " + (frame + 1) + ": found beside frame " + (best.match.reference + 1));
                return best;
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
