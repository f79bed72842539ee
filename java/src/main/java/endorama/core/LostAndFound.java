package endorama.core;

import endorama.core.KeyFrames.Key;
import endorama.jni.RegisterOptions;
import java.util.ArrayList;
import java.util.List;

/** Finds the first frame of a chain in what the chains before it have seen: by its spectrum, against their key frames. */
final class LostAndFound {
    /** Where a frame was found. */
    static final class Found {
        final int part;
        /** Its place in that part. */
        final Transform place;
        final PairMatch match;

        private Found(int part, Transform place, PairMatch match) {
            this.part = part;
            this.place = place;
            this.match = match;
        }
    }

    /** Key frames that a frame is compared with. */
    private static final int MOST = 16;

    private final MosaicResources with;
    private final RegisterOptions options;
    private final KeyFrames keys;
    private final Plausibility plausibility = new Plausibility();
    private final LoggedProgress progress;

    LostAndFound(MosaicResources with, RegisterOptions options, KeyFrames keys, LoggedProgress progress) {
        this.with = with;
        this.options = options;
        this.keys = keys;
        this.progress = progress;
    }

    /** What is usual in this sequence. */
    Plausibility plausibility() {
        return plausibility;
    }

    /** Compares a frame, which is in a slot, with key frames; null where it was not found. */
    Found find(int frame, int slot) {
        List<Key> candidates = candidates();
        for (int i = 0; i < candidates.size();) {
            GuidedPairs pairs = new GuidedPairs();
            List<Key> read = new ArrayList<Key>();
            for (; i < candidates.size() && (pairs.size() == 0 || with.store().hasRoom()); i++) {
                Integer there = read(candidates.get(i).frame);
                if (there != null) {
                    read.add(candidates.get(i));
                    pairs.add(candidates.get(i).frame, there, frame, slot, Transform.IDENTITY);
                }
            }
            List<PairMatch> matches = pairs.anywhere(with.store().frames(), options, plausibility);
            for (Key key : read) {
                with.store().forget(key.frame);
            }
            Found best = best(read, matches);
            if (best != null) {
                progress.log("frame " + (frame + 1) + ": found beside frame " + (best.match.reference + 1));
                return best;
            }
        }
        return null;
    }

    private static Found best(List<Key> read, List<PairMatch> matches) {
        Found best = null;
        for (int i = 0; i < matches.size(); i++) {
            PairMatch match = matches.get(i);
            if (match != null && (best == null || match.quality > best.match.quality)) {
                Key key = read.get(i);
                best = new Found(key.part, key.place.multiply(match.step), match);
            }
        }
        return best;
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

    private Integer read(int frame) {
        try {
            return with.store().read(frame);
        } catch (FrameReadException e) {
            progress.log(e.getMessage() + " again");
            return null;
        }
    }
}
