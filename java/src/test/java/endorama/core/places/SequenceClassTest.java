package endorama.core.places;

import static org.junit.jupiter.api.Assertions.assertEquals;

import endorama.core.pairs.Link;
import endorama.core.transforms.Transform;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which class of transform a sequence asks for. */
class SequenceClassTest {
    private static final double[] STEP = {1, 0, 3, 0, 1, -2, 0, 0, 1};

    private static void add(List<Link> links, int n, int apart, Transform.Kind kind, boolean doubtful) {
        for (int i = 0; i < n; i++) {
            links.add(new Link(i, i + apart, Transform.of(kind.ordinal(), STEP), 0.1, doubtful));
        }
    }

    private static Transform.Kind of(int[] neighbours, int[] apart) {
        List<Link> links = new ArrayList<Link>();
        for (int kind = 0; kind < 4; kind++) {
            add(links, neighbours[kind], 1, Transform.Kind.values()[kind], false);
            add(links, apart[kind], 2, Transform.Kind.values()[kind], false);
        }
        add(links, 50, 2, Transform.Kind.TRANSLATION, true);
        return SequenceClass.of(links);
    }

    @Test
    void framesApartDecide() {
        assertEquals(Transform.Kind.SIMILARITY, of(new int[] {90, 9, 0, 0}, new int[] {8, 1, 1, 0}));
        assertEquals(Transform.Kind.RIGID, of(new int[] {0, 0, 99, 0}, new int[] {9, 2, 1, 0}));
        assertEquals(Transform.Kind.TRANSLATION, of(new int[] {0, 0, 99, 0}, new int[] {10, 0, 1, 0}));
    }

    @Test
    void neighboursDecideWhereThereIsNothingElse() {
        assertEquals(Transform.Kind.RIGID, of(new int[] {0, 20, 0, 0}, new int[] {4, 0, 0, 0}));
        assertEquals(Transform.Kind.TRANSLATION, of(new int[4], new int[4]));
        assertEquals(Transform.Kind.TRANSLATION, of(new int[] {0, 20, 0, 0}, new int[] {5, 0, 0, 0}));
    }

    @Test
    void shearIsNeverAskedFor() {
        assertEquals(Transform.Kind.SIMILARITY, of(new int[4], new int[] {0, 0, 2, 9}));
    }
}
