package endorama.core.mosaic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.pairs.FrameRow;
import endorama.core.pairs.LensSight;
import endorama.core.pairs.Link;
import endorama.core.pairs.Perspective;
import endorama.core.places.ChainedPlaces;
import endorama.core.places.Places;
import endorama.core.transforms.Transform;
import endorama.jni.NativeTransforms;
import endorama.jni.RegisterOptions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whether homographies are taken, and what the chains become by them. */
class AslantLookTest {
    private static final int W = 200;
    private static final int H = 160;
    private static final Transform BENT = Transform.translation(4, 0).multiply(Transform.perspective(1e-4, 0, 99.5, 79.5));

    private final List<FrameRow> rows = new ArrayList<FrameRow>();
    private final List<Link> straight = new ArrayList<Link>();
    private final List<Link> bent = new ArrayList<Link>();

    /** Eight frames of one chain. */
    @BeforeEach
    void chain() {
        for (int i = 0; i < 8; i++) {
            FrameRow row = new FrameRow(i + 1);
            row.registered = true;
            row.reference = Math.max(1, i);
            row.transform = Transform.translation(4 * i, 0);
            rows.add(row);
            if (i > 0) {
                straight.add(new Link(i - 1, i, Transform.translation(4, 0), 0.1, false));
                bent.add(new Link(i - 1, i, BENT, 0.1, false));
            }
        }
    }

    private Places places(List<Link> links) {
        return new Places(rows, links, W, H);
    }

    private boolean isTaken() {
        return AslantLook.isBetter(places(straight), straight, places(bent), bent, W, H);
    }

    @Test
    void chainsFollowFromTheirPairs() {
        Transform[] places = ChainedPlaces.of(rows, bent);
        assertArrayEquals(rows.get(0).transform.eight(), places[0].eight(), 0);
        assertArrayEquals(BENT.eight(), places[1].eight(), 1e-12);
        assertArrayEquals(BENT.multiply(BENT).multiply(BENT).eight(), places[3].eight(), 1e-12);
        Transform[] before = ChainedPlaces.of(rows, straight);
        for (int i = 0; i < 8; i++) {
            assertEquals(rows.get(i).transform, before[i]);
        }
    }

    /** A frame without a pair of its own stays where the frame before is said to have it. */
    @Test
    void framesWithoutAPairStayBesideTheirReference() {
        bent.remove(3);
        Transform[] places = ChainedPlaces.of(rows, bent);
        Transform expected = BENT.multiply(BENT).multiply(BENT).multiply(Transform.translation(4, 0));
        assertArrayEquals(expected.eight(), places[4].eight(), 1e-9);
        assertArrayEquals(expected.multiply(BENT).eight(), places[5].eight(), 1e-9);
    }

    @Test
    void aChainWithoutContradictionIsTaken() {
        assertTrue(isTaken());
    }

    /** Three quarters of those that are sure. */
    @Test
    void mostPairsMustBeHomographies() {
        bent.set(6, straight.get(6));
        assertTrue(isTaken());
        bent.set(5, straight.get(5));
        assertFalse(isTaken());
        Link l = straight.get(5);
        bent.set(5, new Link(l.reference, l.current, l.step, 0.1, true));
        assertTrue(isTaken());
    }

    /** Pairs with the first frame, off by as much, of the one kind and of the other. */
    private boolean isTaken(double before, double then) {
        for (int i = 1; i < 8; i++) {
            Transform place = ChainedPlaces.of(rows, bent)[i];
            straight.add(new Link(0, i, Transform.translation(before, 0).multiply(rows.get(i).transform), 0.1, false));
            bent.add(new Link(0, i, Transform.translation(then, 0).multiply(place), 0.1, false));
        }
        // Seven of them are the chain's first pair and those beyond: the median is among what was added.
        for (int i = 2; i < 8; i++) {
            straight.add(straight.get(straight.size() - 1));
            bent.add(bent.get(bent.size() - 1));
        }
        return isTaken();
    }

    @Test
    void moreContradictionIsNotTaken() {
        assertFalse(isTaken(0.05, 0.06));
    }

    @Test
    void lessContradictionIsTaken() {
        assertTrue(isTaken(0.05, 0.04));
    }

    @Test
    void aHundredthOfAPixelIsNone() {
        assertTrue(isTaken(0, 0.009));
    }

    @Test
    void moreThanAHundredthIsSome() {
        assertFalse(isTaken(0, 0.011));
    }

    /** Forty frames whose pairs all see a plane aslant, and a lens or none; with a class that is asked for. */
    private AslantLook look(double lambda, int kind) {
        rows.clear();
        straight.clear();
        for (int i = 0; i < 40; i++) {
            FrameRow row = new FrameRow(i + 1);
            row.registered = true;
            row.reference = Math.max(1, i);
            row.transform = Transform.translation(4 * i, 0);
            rows.add(row);
            if (i > 0) {
                straight.add(new Link(i - 1, i, Transform.translation(4, 0), 0.1, false, new Perspective(5e-5, 0, 5e-6),
                        new LensSight(lambda, 0.01)));
            }
        }
        RegisterOptions options = new RegisterOptions();
        options.method = RegisterOptions.BEST;
        options.transform = kind;
        return AslantLook.of(null, null, options, places(straight), straight, null, null);
    }

    @Test
    void pairsAreLookedAtWhereAPlaneIsSeenAslant() {
        AslantLook look = look(0, RegisterOptions.AUTO);
        assertTrue(look.told().contains("seen aslant"), look.told());
    }

    /** What is bent itself looks aslant, too. */
    @Test
    void whereALensIsSeenNothingIsLookedAt() {
        assertNull(look(0.1, RegisterOptions.AUTO));
    }

    @Test
    void whereAnotherClassIsAskedForNothingIsLookedAt() {
        assertNull(look(0, NativeTransforms.AFFINE));
    }

    /** Where held out pairs decide, no frame may become doubtful by it. */
    @Test
    void noMoreFramesMayBeDoubtful() {
        assertTrue(AslantLook.losesNothing(places(straight), places(bent)));
        Link last = bent.get(6);
        bent.set(6, new Link(last.reference, last.current, last.step, 1.01, false));
        assertEquals(1, places(bent).doubtful());
        assertFalse(AslantLook.losesNothing(places(straight), places(bent)));
        straight.set(6, new Link(last.reference, last.current, straight.get(6).step, 0.1, true));
        assertTrue(AslantLook.losesNothing(places(straight), places(bent)));
    }

    /** The last frames lie beyond the first one's horizon. */
    @Test
    void noFrameMayBeLost() {
        Transform steep = Transform.translation(4, 0).multiply(Transform.perspective(4e-3, 0, 99.5, 79.5));
        for (int i = 0; i < 7; i++) {
            bent.set(i, new Link(i, i + 1, steep, 0.1, false));
        }
        assertFalse(places(bent).frames(0).isEmpty());
        assertFalse(isTaken());
        assertFalse(AslantLook.losesNothing(places(straight), places(bent)));
    }
}
