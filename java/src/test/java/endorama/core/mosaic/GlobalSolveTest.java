package endorama.core.mosaic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.TestFrames;
import endorama.core.options.MosaicParameters;
import endorama.core.transforms.Drift;
import endorama.jni.NativeDemo;
import java.io.File;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Poses solved from all pairs, compared with the chain and with the truth. */
class GlobalSolveTest {
    private static final int W = 240;
    private static final int H = 200;
    private static final int FRAMES = 60;
    /** Parameters whose chain drifts visibly. */
    private static final MosaicParameters PAPER = MosaicParameters.defaults().with("method", "Paper");

    private static TestFrames frames;
    private static MosaicResult chained;
    private static MosaicResult solved;

    @BeforeAll
    static void run() throws FrameReadException {
        frames = TestFrames.demo(W, H, FRAMES, 5);
        chained = run(PAPER.with("solve", "None").with("painting", "Union"), Progress.NONE);
        solved = run(PAPER, Progress.NONE);
    }

    private static MosaicResult run(MosaicParameters parameters, Progress progress) throws FrameReadException {
        MosaicResult result = new MosaicSession(frames, parameters, progress).run();
        assertNull(result.failure());
        return result;
    }

    private static double drift(MosaicResult result) {
        return Drift.of(result.saved(), frames.truth(), W, H).driftRms();
    }

    @Test
    void closedLoopDriftsLess() {
        assertEquals(FRAMES, solved.registered());
        assertTrue(drift(solved) < 0.5 * drift(chained), drift(solved) + " px, chained " + drift(chained));
    }

    /** A run, whose edges are found in rounds, gives the poses of all edges together. */
    @Test
    void posesAreThoseOfAllPairsTogether(@TempDir File folder) throws IOException {
        MosaicSession registering = new MosaicSession(frames, PAPER, Progress.NONE).pairsAlone();
        registering.run();
        File pairs = new File(folder, "pairs.json");
        StageFile.write(pairs, registering.pairs());
        StageFile together = StageFile.read(pairs, StageFile.PAIRS);
        together.solved(null, Progress.NONE);
        for (int i = 0; i < FRAMES; i++) {
            assertArrayEquals(together.rows().get(i).transform.toArray(), solved.rows().get(i).transform.toArray());
        }
    }

    @Test
    void rowsKnowTheChainTheDeviationAndTheKeyFrames() {
        int keys = 0;
        for (int i = 0; i < FRAMES; i++) {
            FrameRow row = solved.rows().get(i);
            assertArrayEquals(chained.rows().get(i).transform.toArray(), row.chained.toArray(), 1e-9);
            assertEquals(i == 0 ? 0 : row.deviation, row.deviation);
            assertTrue(i == 0 || row.deviation > 0 && row.deviation < 10, "deviation " + row.deviation);
            assertTrue(Double.isNaN(chained.rows().get(i).deviation));
            keys += row.keyFrame ? 1 : 0;
        }
        assertTrue(keys > 1 && keys < FRAMES / 4, "key frames " + keys);
    }

    @Test
    void noThreadsNoDifference() throws FrameReadException {
        MosaicResult one = run(PAPER.withThreads(1), Progress.NONE);
        assertEquals(one.transforms(), solved.transforms());
        assertArrayEquals((int[]) one.panorama().pixels(), (int[]) solved.panorama().pixels());
    }

    /** Cancelled while loops are searched, the light is solved, or the panorama is blended: live painting stays. */
    @ParameterizedTest
    @ValueSource(ints = {FRAMES, 2 * FRAMES, 2 * FRAMES + FRAMES / 4, 3 * FRAMES - FRAMES / 4})
    void cancelLeavesTheChain(int after) throws FrameReadException {
        AtomicInteger done = new AtomicInteger();
        MosaicResult result = run(PAPER, new Progress() {
            @Override
            public void progress(int n, int total) {
                assertTrue(n >= done.get() && n <= total, n + " after " + done.get());
                done.set(n);
            }

            @Override
            public boolean cancelled() {
                return done.get() > after;
            }

            @Override
            public void log(String line) {
            }
        });
        assertTrue(result.cancelled());
        assertEquals(FRAMES, result.rows().size());
        assertEquals(chained.transforms(), result.transforms());
        assertArrayEquals((int[]) chained.panorama().pixels(), (int[]) result.panorama().pixels());
        assertTrue(result.log().contains("stopped before all poses were solved for: they are those along the chain"));
        assertFalse(solved.cancelled());
    }

    /** A change of scale too slow to be seen in consecutive frames still adds up. */
    @Test
    void slowChangesOfScaleAreNotLost() throws FrameReadException {
        NativeDemo.Options options = new NativeDemo.Options();
        options.width = W;
        options.height = H;
        options.frames = 1000;
        options.step = 4;
        options.seed = 7;
        TestFrames slow = TestFrames.demo(options, 140);
        MosaicResult result = new MosaicSession(slow, MosaicParameters.defaults().with("painting", "Union"),
                Progress.NONE).run();
        double chain = 0;
        double worst = 0;
        for (FrameRow row : result.rows()) {
            double truth = slow.truth().get(row.frame).determinant();
            chain = Math.max(chain, Math.abs(Math.log(row.chained.determinant() / truth)) / 2);
            worst = Math.max(worst, Math.abs(Math.log(row.transform.determinant() / truth)) / 2);
        }
        assertTrue(chain > 4e-3 && worst < 2e-3, "scale off by " + worst + ", along the chain by " + chain);
    }
}
