package endorama.jni;

import java.util.Arrays;

/** What a registration might have given for one pair, for tests. */
public final class TestPair {
    private TestPair() {
    }

    /** A pair of this status ({@link PairResults}), landmarks found, quality, and deviation, that was not moved. */
    public static PairResults of(int status, int found, double quality, double deviation) {
        PairResults results = new PairResults(1);
        results.measures()[0] = results.measures()[4] = results.measures()[8] = 1;
        results.measures()[10] = quality;
        results.measures()[11] = deviation;
        Arrays.fill(results.measures(), 12, 17, Double.NaN);
        results.counts()[0] = status;
        results.counts()[2] = found;
        return results;
    }

    /** The same, of a frame that shows so many times as much across and down; its class one of {@link NativeTransforms}. */
    public static PairResults grown(PairResults results, double across, double down, int kind) {
        results.measures()[0] = across;
        results.measures()[4] = down;
        results.counts()[7] = kind;
        return results;
    }
}
