package endorama.core.places;

import static org.junit.jupiter.api.Assertions.assertEquals;

import endorama.core.pairs.FrameRow;
import endorama.core.pairs.Link;
import endorama.core.transforms.Transform;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class StretchPairsTest {
    private final List<FrameRow> rows = new ArrayList<FrameRow>();

    /** A frame that was registered against that one, both counted from 0. */
    private void frame(int reference, boolean isKeyFrame) {
        FrameRow row = new FrameRow(rows.size() + 1);
        row.reference = reference + 1;
        row.keyFrame = isKeyFrame;
        rows.add(row);
    }

    private StretchPairs pairs(Link... links) {
        Transform[] chained = new Transform[rows.size()];
        Arrays.fill(chained, Transform.translation(0, 0));
        return new StretchPairs(rows, chained, Arrays.asList(links), 64, 48);
    }

    private static Link link(int reference, int current) {
        return new Link(reference, current, Transform.translation(0, 0), 0.1, false);
    }

    @Test
    void stepsOfTheChainAreCounted() {
        frame(0, true);
        frame(0, false);
        frame(1, false);
        frame(2, false);
        assertEquals(3, pairs().steps(link(0, 3)));
    }

    /** The second chain begins with a frame that is its own reference. */
    @Test
    @Timeout(value = 20, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void whereAChainBeginsNothingIsCountedFurther() {
        frame(0, true);
        frame(1, false);
        frame(1, false);
        assertEquals(1, pairs().steps(link(0, 2)));
    }
}
