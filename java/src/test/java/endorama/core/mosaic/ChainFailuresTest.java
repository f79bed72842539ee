package endorama.core.mosaic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import endorama.core.common.LoggedProgress;
import endorama.core.common.Progress;
import endorama.core.pairs.FrameRow;
import endorama.core.pairs.FrameRow.Status;
import java.util.Collections;
import org.junit.jupiter.api.Test;

/** What a chain says of the frames that it leaves out: other chains may take them in, so it names itself. */
class ChainFailuresTest {
    private final LoggedProgress progress = new LoggedProgress(Progress.NONE);
    private final ChainFailures failures = new ChainFailures(progress);

    private void fail(int frame, Status status) {
        FrameRow row = new FrameRow(frame);
        row.status = status;
        failures.add(row);
    }

    private void assertSaid(String line) {
        assertEquals(Collections.singletonList(line), progress.lines());
    }

    @Test
    void framesBetweenGoodOnes() {
        fail(3, Status.FEW_LANDMARKS);
        fail(4, Status.OUTLIER);
        failures.close(1, 4);
        assertSaid("the chain from frame 2 leaves out frames 3-4 (frame 3: too few landmarks fit) and goes on with frame 5");
        assertArrayEquals(new int[] {2, 3}, failures.gaps().get(0));
    }

    @Test
    void framesAtTheEnd() {
        fail(6, Status.ASLANT);
        failures.closeLast(5, 1, 4);
        assertSaid("the chain from frame 2 ends with frame 5, and leaves out frame 6 (too far aslant to be painted)");
    }

    @Test
    void aFrameThatNoneFollows() {
        fail(2, Status.JUMP);
        fail(3, Status.JUMP);
        failures.closeLast(2, 0, 0);
        assertSaid("no frame up to frame 3 goes on from frame 1 (frame 2: another scene, or moved too far)");
    }

    @Test
    void tooManyFrames() {
        fail(6, Status.NO_TEXTURE);
        failures.logEnd(0, 4);
        assertSaid("the chain from frame 1 ends with frame 5 (frame 6: no texture)");
    }
}
