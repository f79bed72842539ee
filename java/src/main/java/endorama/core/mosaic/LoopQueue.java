package endorama.core.mosaic;

import endorama.core.places.LoopPlan.Candidate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The pairs that are to be registered to close loops, round by round: before the first round those that tie parts, then in
 * each round those that the places of the last one let us look for. Rounds go on while they find pairs.
 */
final class LoopQueue {
    /** Of 250 frames that sweep to and fro with a drift of 15 px the first five leave 1.5 px, and all nine that there are 1.3. */
    private static final int ROUNDS = 5;
    /** Pairs that a step registers by spectra against one key frame: few, so that a cancel is answered soon. */
    private static final int FAR = 4;

    private final Deque<Candidate> near = new ArrayDeque<Candidate>();
    private final Deque<Candidate> far = new ArrayDeque<Candidate>();
    private int planned;
    private int round;
    private int found;

    /** More of this round: near ones can be searched for from their places, far ones are left to their spectra. */
    void take(Collection<Candidate> searched, Collection<Candidate> spectral) {
        near.addAll(searched);
        far.addAll(spectral);
        planned = near.size() + far.size();
    }

    void nextRound(Collection<Candidate> searched, Collection<Candidate> spectral) {
        round++;
        found = 0;
        take(searched, spectral);
    }

    /**
     * No round follows this one: there were enough, or it is not the first and has nothing to look for or, when all was
     * looked for, found nothing.
     */
    boolean isLastRound() {
        return isEmpty() && (round >= ROUNDS || round > 1 && found == 0);
    }

    boolean isEmpty() {
        return near.isEmpty() && far.isEmpty();
    }

    boolean hasNear() {
        return !near.isEmpty();
    }

    /** The next ones were registered, and so many of them were found; until then, as after a failure, they are the next. */
    void done(int pairs, int made) {
        Deque<Candidate> queue = hasNear() ? near : far;
        for (int i = 0; i < pairs; i++) {
            queue.remove();
        }
        found += made;
    }

    /** So many pairs of frames that did not wait here. */
    void alsoFound(int pairs) {
        found += pairs;
    }

    /** Pairs that this round has found. */
    int found() {
        return found;
    }

    /** Of all rounds that there may be, 0..1. */
    double share() {
        double left = (double) (near.size() + far.size()) / Math.max(1, planned);
        return (round + 1 - left) / (ROUNDS + 2);
    }

    /** The next ones: so many at most, as find room in a store together. */
    List<Candidate> nextNear(int most, int capacity) {
        List<Candidate> taken = new ArrayList<Candidate>();
        Set<Integer> frames = new HashSet<Integer>();
        for (Candidate c : near) {
            frames.add(c.key.frame);
            frames.add(c.frame);
            if (taken.size() == most || frames.size() > capacity) {
                break;
            }
            taken.add(c);
        }
        return taken;
    }

    /** The next ones, against one key frame. */
    List<Candidate> nextFar() {
        List<Candidate> taken = new ArrayList<Candidate>();
        for (Candidate c : far) {
            if (c.key != far.peek().key || taken.size() == FAR) {
                break;
            }
            taken.add(c);
        }
        return taken;
    }
}
