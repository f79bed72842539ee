package endorama.core.places;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import endorama.core.pairs.Link;
import endorama.core.pairs.Perspective;
import endorama.core.transforms.Transform;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When pairs ask for perspective. */
class PerspectiveAskedTest {
    private final List<Link> links = new ArrayList<Link>();

    /** So many pairs that say so many deviations of it, in turn along x and y. */
    private String say(int n, double deviations) {
        for (int i = 0; i < n; i++) {
            double away = (i % 4 < 2 ? 1 : -1) * deviations * 1e-6;
            link(new Perspective(i % 2 == 0 ? away : 0, i % 2 == 0 ? 0 : away, 1e-6), false);
        }
        return new PerspectiveAsked(links).reason();
    }

    private void link(Perspective said, boolean doubtful) {
        link(Transform.translation(4, 0), said, doubtful);
    }

    private void link(Transform step, Perspective said, boolean doubtful) {
        links.add(new Link(links.size(), links.size() + 1, step, 0.1, doubtful, said, null));
    }

    @Test
    void theySayMoreThanErrorsDo() {
        assertEquals("pairs show perspective (1.6 times as much as errors would)", say(8, Math.sqrt(2 * 1.6)));
        links.clear();
        assertNotNull(say(8, Math.sqrt(2 * 1.51)));
        links.clear();
        assertNull(say(8, Math.sqrt(2 * 1.49)));
    }

    @Test
    void fewDecideNothing() {
        assertNull(say(7, 3));
        link(null, false);
        link(new Perspective(3e-6, 0, 1e-6), true);
        assertNull(new PerspectiveAsked(links).reason());
    }

    /** A pair that says a hundred counts as three. */
    @Test
    void noPairDecidesAlone() {
        link(new Perspective(1e-4, 0, 1e-6), false);
        assertNull(say(7, 0.5));
        assertEquals((9 + 7 * 0.25) / 2 / 8, new PerspectiveAsked(links).square(), 1e-12);
    }

    @Test
    void nothingIsAskedWithoutPairs() {
        assertNull(say(0, 0));
        assertEquals(0, new PerspectiveAsked(links).square());
    }

    /** Half of them take all six numbers, without saying more of perspective than errors do. */
    @Test
    void whereMostPairsAreAffineMapsTheyMayAskForMore() {
        Perspective little = new Perspective(5e-7, 0, 1e-6);
        Transform sheared = Transform.of(new double[] {1, 0.01, 4, 0, 1, 0});
        say(5, 0.5);
        for (int i = 0; i < 4; i++) {
            link(sheared, little, false);
        }
        link(sheared, little, true);
        assertNull(new PerspectiveAsked(links).reason());
        link(sheared, little, false);
        assertEquals("50 % of the pairs are affine maps", new PerspectiveAsked(links).reason());
    }
}
