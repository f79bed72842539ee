package endorama.core.mosaic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import endorama.core.options.MosaicParameters;
import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class WarningsTest {
    /** Method Paper has no homographies. */
    @Test
    void whatTakesPerspectiveInGoesWithTheMethod() {
        String remedy = "warp=Homography takes that in where the scene is flat";
        assertEquals(remedy, Warnings.againstAslant(MosaicParameters.defaults()));
        assertEquals("method=Best with " + remedy,
                Warnings.againstAslant(MosaicParameters.defaults().with("method", "Paper")));
    }

    @Test
    void theLensComesFirst() {
        assertEquals(Arrays.asList("bent; try that first, what else is wrong may come of it", "aslant", "torn"),
                Warnings.inOrder("bent", "aslant", null, "torn"));
        assertEquals(Collections.singletonList("bent"), Warnings.inOrder("bent", null, null));
        assertEquals(Arrays.asList("aslant", "torn"), Warnings.inOrder(null, "aslant", "torn"));
        assertEquals(Collections.emptyList(), Warnings.inOrder(null, null, null));
    }
}
