package endorama.core.places;

import endorama.core.common.Length;
import endorama.core.frames.FrameSource;
import endorama.core.pairs.KeyFrames.Key;
import endorama.core.pairs.KeyFrames;
import endorama.core.transforms.Transform;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which frames far apart in the sequence may show the same, by places that are known so far and how uncertain they are:
 * of the stretch of a key frame the frame that shares most with an older key frame.
 *
 * <p>Older key frames are those of the map: the first to show their place. A key frame that is tied to one of them and
 * shows nearly the same is not in the map, and no stretch is tied to more than {@value #MOST_TIED} of them. So the
 * number of pairs grows with the frames, not with their square, where a scope stays in one place.
 */
public final class LoopPlan {
    /** A frame that may lie beside an older key frame. */
    public static final class Candidate {
        public final Key key;
        final Key stretch;
        public final int frame;
        final double overlap;

        public Candidate(Key key, Key stretch, int frame, double overlap) {
            this.key = key;
            this.stretch = stretch;
            this.frame = frame;
            this.overlap = overlap;
        }

        private long pair() {
            return LoopPlan.pair(key, stretch);
        }
    }

    /** Older key frames that a stretch is registered against in a round, and in all of them. */
    private static final int MOST_OLDER = 4;
    private static final int MOST_TIED = 6;
    /** A key frame of which one in the map shows so much adds nothing to it. */
    private static final double REPEATED = 0.7;
    private static final double LEAST_OVERLAP = 0.4;
    /** Searches start from a place wrong by at most about this, px of the key frame; and so many deviations it may be wrong. */
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
    /** Pairs that were searched for from their places, those that were left to their spectra, those that were found. */
    private final Set<Long> searched = new HashSet<Long>();
    private final Set<Long> compared = new HashSet<Long>();
    private final Set<Long> tied = new HashSet<Long>();
    private final Map<Key, Integer> ties = new HashMap<Key, Integer>();
    private boolean ladder;
    private final List<Candidate> near = new ArrayList<Candidate>();
    private final List<Candidate> far = new ArrayList<Candidate>();

    public LoopPlan(FrameSource source, KeyFrames keys) {
        this.source = source;
        this.keys = keys;
    }

    /** Those that can be searched for from their places, by key frames. */
    public List<Candidate> near() {
        return near;
    }

    /** Those whose places are too uncertain, by key frames. */
    public List<Candidate> far() {
        return far;
    }

    /** A pair was registered; it is not planned again. */
    public void tie(Candidate candidate) {
        if (candidate.stretch != candidate.key && tied.add(candidate.pair())) {
            ties.put(candidate.stretch, ties(candidate.stretch) + 1);
        }
    }

    private int ties(Key stretch) {
        Integer n = ties.get(stretch);
        return n == null ? 0 : n;
    }

    // ------------------------------------------------------------------ loops

    /** Each key frame and the next one of its chain. */
    private void planLadder(Places places) {
        List<Key> all = keys.all();
        for (int i = 1; i < all.size(); i++) {
            if (all.get(i - 1).end == all.get(i).frame) {
                add(new Candidate(all.get(i - 1), all.get(i), all.get(i).frame, 1), places);
            }
        }
    }

    private void add(Candidate c, Places places) {
        double deviation = places.deviation(c.frame) / places.scale(c.key.frame);
        boolean sure = SURE * deviation <= SEARCH && searched.add(c.pair());
        (sure ? near : far).add(c);
    }

    /** Plans the next round. In the first each key frame is registered with the next one of its chain. */
    public void plan(Places places) {
        near.clear();
        far.clear();
        if (!ladder) {
            ladder = true;
            planLadder(places);
        } else {
            planLoops(places);
            Collections.sort(far, Comparator.comparingDouble(c -> -c.overlap));
            cut(far, FAR + source.count() / FRAMES_PER_FAR);
        }
        for (Candidate c : far) {
            compared.add(c.pair());
        }
        byKeys(near);
        byKeys(far);
    }

    private void planLoops(Places places) {
        List<Key> map = new ArrayList<Key>();
        for (Key stretch : keys.all()) {
            if (ties(stretch) < MOST_TIED) {
                planLoops(map, stretch, places);
            }
            if (!isRepeated(map, stretch, places)) {
                map.add(stretch);
            }
        }
    }

    private void planLoops(List<Key> map, Key stretch, Places places) {
        List<Candidate> candidates = new ArrayList<Candidate>();
        for (Key older : map) {
            Candidate candidate = candidate(older, stretch, places);
            if (candidate != null) {
                candidates.add(candidate);
            }
        }
        Collections.sort(candidates, Comparator.comparingDouble(c -> -c.overlap));
        cut(candidates, Math.min(MOST_OLDER, MOST_TIED - ties(stretch)));
        for (Candidate c : candidates) {
            add(c, places);
        }
    }

    /** A key frame in the map, to which the stretch is tied, shows nearly the same as its first frame. */
    private boolean isRepeated(List<Key> map, Key stretch, Places places) {
        if (ties(stretch) == 0) {
            return false;
        }
        for (Key older : map) {
            if (tied.contains(pair(older, stretch))
                    && keys.overlap(places.place(older.frame), places.place(stretch.frame)) >= REPEATED) {
                return true;
            }
        }
        return false;
    }

    private static void cut(List<Candidate> list, int most) {
        list.subList(Math.min(most, list.size()), list.size()).clear();
    }

    private static void byKeys(List<Candidate> list) {
        Collections.sort(list, Comparator.comparingInt(c -> c.key.frame));
    }

    /** Null where no frame of the stretch shares enough with the key frame. */
    private Candidate candidate(Key key, Key stretch, Places places) {
        if (places.part(key.frame) != places.part(stretch.frame) || key.end >= stretch.frame || isKnown(key, stretch)
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
        return best;
    }

    private boolean isKnown(Key key, Key stretch) {
        return tied.contains(pair(key, stretch)) || compared.contains(pair(key, stretch));
    }

    private static long pair(Key key, Key stretch) {
        return (long) key.frame << 32 | stretch.frame;
    }

    /** The centres are further apart than so many diagonals of a frame. */
    private boolean isFar(Transform a, Transform b, double diagonals) {
        double x = (source.width() - 1) / 2.0;
        double y = (source.height() - 1) / 2.0;
        double scale = Math.sqrt(Math.abs(a.tangent(x, y).determinant()));
        return Length.of(a.applyX(x, y) - b.applyX(x, y), a.applyY(x, y) - b.applyY(x, y))
                > diagonals * scale * Length.of(source.width(), source.height());
    }

    // ------------------------------------------------------------------- ties

    /** Plans pairs that may tie a part to a larger one. What the first frame of a part shows was looked for before. */
    public void planTies(Places places) {
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
