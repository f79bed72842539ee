package endorama.core;

import endorama.core.KeyFrames.Key;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which frames far apart in the sequence may show the same, by places that are known so far and how uncertain they are:
 * of the stretch of a key frame the frame that shares most with an older key frame.
 */
final class LoopPlan {
    /** A frame that may lie beside an older key frame. */
    static final class Candidate {
        final Key key;
        final Key stretch;
        final int frame;
        final double overlap;

        private Candidate(Key key, Key stretch, int frame, double overlap) {
            this.key = key;
            this.stretch = stretch;
            this.frame = frame;
            this.overlap = overlap;
        }

        private long pair() {
            return (long) key.frame << 32 | stretch.frame;
        }
    }

    /** Older key frames that a stretch is registered against in a round. */
    private static final int MOST_OLDER = 4;
    private static final double LEAST_OVERLAP = 0.4;
    /** Searches start from a place that is wrong by at most about this, px; and so many deviations it may be wrong. */
    private static final double SEARCH = 12;
    private static final double SURE = 3;
    /** Pairs by spectra in a round: so many, and one more for each so many frames. */
    private static final int FAR = 4;
    private static final int FRAMES_PER_FAR = 100;
    /** Frames of a part that are compared with another one to tie it, key frames of that, and pairs of all parts. */
    private static final int TIES = 2;
    private static final int TIE_KEYS = 8;
    private static final int MOST_TIES = 32;

    private final FrameSource source;
    private final KeyFrames keys;
    private final Set<Long> searched = new HashSet<Long>();
    private final Set<Long> settled = new HashSet<Long>();
    private boolean ladder;
    private final List<Candidate> near = new ArrayList<Candidate>();
    private final List<Candidate> far = new ArrayList<Candidate>();

    LoopPlan(FrameSource source, KeyFrames keys) {
        this.source = source;
        this.keys = keys;
    }

    /** Those that can be searched for from their places, by key frames. */
    List<Candidate> near() {
        return near;
    }

    /** Those whose places are too uncertain, by key frames. */
    List<Candidate> far() {
        return far;
    }

    /** A pair was registered; it is not planned again. */
    void settle(Candidate candidate) {
        settled.add(candidate.pair());
    }

    // ------------------------------------------------------------------ loops

    private void planLadder() {
        List<Key> all = keys.all();
        for (int i = 1; i < all.size(); i++) {
            if (all.get(i - 1).end == all.get(i).frame) {
                far.add(new Candidate(all.get(i - 1), all.get(i), all.get(i).frame, 1));
            }
        }
    }

    /** Plans the next round. In the first each key frame is registered with the next one of its chain. */
    void plan(Places places) {
        near.clear();
        far.clear();
        if (!ladder) {
            ladder = true;
            planLadder();
            return;
        }
        List<Key> all = keys.all();
        for (int later = 1; later < all.size(); later++) {
            List<Candidate> candidates = new ArrayList<Candidate>();
            for (int older = 0; older < later; older++) {
                Candidate candidate = candidate(all.get(older), all.get(later), places);
                if (candidate != null) {
                    candidates.add(candidate);
                }
            }
            Collections.sort(candidates, Comparator.comparingDouble(c -> -c.overlap));
            for (Candidate c : candidates.subList(0, Math.min(MOST_OLDER, candidates.size()))) {
                boolean sure = SURE * places.deviation(c.frame) <= SEARCH && searched.add(c.pair());
                (sure ? near : far).add(c);
            }
        }
        Collections.sort(far, Comparator.comparingDouble(c -> -c.overlap));
        cut(far, FAR + source.count() / FRAMES_PER_FAR);
        for (Candidate c : far) {
            settle(c);
        }
        byKeys(near);
        byKeys(far);
    }

    private static void cut(List<Candidate> list, int most) {
        list.subList(Math.min(most, list.size()), list.size()).clear();
    }

    private static void byKeys(List<Candidate> list) {
        Collections.sort(list, Comparator.comparingInt(c -> c.key.frame));
    }

    /** Null where no frame of the stretch shares enough with the key frame. */
    private Candidate candidate(Key key, Key stretch, Places places) {
        if (places.part(key.frame) != places.part(stretch.frame) || key.end >= stretch.frame
                || isFar(places.place(key.frame), places.place(stretch.frame), 2)) {
            return null;
        }
        Candidate best = null;
        for (int frame = stretch.frame; frame <= stretch.end; frame++) {
            if (places.part(frame) != places.part(key.frame)
                    || isFar(places.place(key.frame), places.place(frame), 1)) {
                continue;
            }
            double overlap = keys.overlap(places.place(key.frame), places.place(frame));
            if (overlap > (best == null ? LEAST_OVERLAP : best.overlap)) {
                best = new Candidate(key, stretch, frame, overlap);
            }
        }
        return best == null || settled.contains(best.pair()) ? null : best;
    }

    /** The centres are further apart than so many diagonals of a frame. */
    private boolean isFar(Transform a, Transform b, double diagonals) {
        double x = (source.width() - 1) / 2.0;
        double y = (source.height() - 1) / 2.0;
        double scale = Math.sqrt(Math.abs(a.determinant()));
        return Math.hypot(a.applyX(x, y) - b.applyX(x, y), a.applyY(x, y) - b.applyY(x, y))
                > diagonals * scale * Math.hypot(source.width(), source.height());
    }

    // ------------------------------------------------------------------- ties

    /** Plans pairs that may tie a part to a larger one. What the first frame of a part shows was looked for before. */
    void planTies(Places places) {
        near.clear();
        far.clear();
        for (int part = 2; part <= places.parts(); part++) {
            List<Integer> frames = places.frames(part);
            for (int larger = 1; larger < part; larger++) {
                List<Key> known = keysOf(larger, places);
                for (int i = 0; i < TIE_KEYS && i < known.size(); i++) {
                    Key key = known.get(i * known.size() / Math.min(TIE_KEYS, known.size()));
                    for (int k = 1; k <= TIES; k++) {
                        int frame = frames.get(k * (frames.size() - 1) / TIES);
                        far.add(new Candidate(key, key, frame, 0));
                    }
                }
            }
        }
        cut(far, MOST_TIES);
        byKeys(far);
    }

    private List<Key> keysOf(int part, Places places) {
        List<Key> some = new ArrayList<Key>();
        for (Key key : keys.all()) {
            if (places.part(key.frame) == part) {
                some.add(key);
            }
        }
        return some;
    }
}
