package endorama.core.pairs;

import java.util.LinkedHashMap;
import java.util.Map;

/** The latest pairs that were registered: a chain that begins where another one ended asks for many of them again. */
public final class RememberedPairs {
    /** More than two chains ask for that follow each other: a chunk of neighbours, and each of them against others. */
    private static final int MOST = 512;

    private final Map<Long, PairMatch> pairs = new LinkedHashMap<Long, PairMatch>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, PairMatch> eldest) {
            return size() > MOST;
        }
    };

    private static long key(int reference, int frame) {
        return (long) reference << 32 | frame;
    }

    /** Null: not known, or not any more. */
    PairMatch get(int reference, int frame) {
        return pairs.get(key(reference, frame));
    }

    void add(int frame, PairMatch match) {
        pairs.put(key(match.reference, frame), match);
    }
}
