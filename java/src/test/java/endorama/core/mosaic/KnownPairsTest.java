package endorama.core.mosaic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import endorama.core.common.LoggedProgress;
import endorama.core.common.Progress;
import endorama.core.common.RunTimes;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.TestFrames;
import endorama.core.options.MosaicParameters;
import endorama.core.paint.MosaicFaults;
import endorama.core.pairs.FrameRow;
import endorama.core.pairs.KeyFrames;
import endorama.core.pairs.Link;
import endorama.core.transforms.Drift;
import endorama.core.transforms.Transform;
import endorama.jni.RegisterOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pairs with key frames and pairs of a second look: which they are, and how far from what was known they may lie. */
class KnownPairsTest {
    private static final int W = 200;
    private static final int H = 160;
    private static final int FRAMES = 10;

    private final TestFrames frames = TestFrames.demo(W, H, FRAMES, 5);
    private final MosaicParameters parameters = MosaicParameters.defaults().with("painting", "Union").withThreads(2);
    private final RegisterOptions options = parameters.register();
    private final LoggedProgress progress = new LoggedProgress(Progress.NONE);
    private MosaicResources with;

    @BeforeEach
    void open() throws FrameReadException {
        with = new MosaicResources(frames, parameters, progress, new MosaicFaults(), new RunTimes());
        with.open();
    }

    @AfterEach
    void close() {
        with.close();
    }

    /** Current -> reference, frames numbered from 0. */
    private Transform truth(int reference, int current) {
        return frames.truth().get(reference + 1).inverse().multiply(frames.truth().get(current + 1));
    }

    // ------------------------------------------------------------- key frames

    /** A chain of all frames, of which one is said to lie that far to the right of its place. */
    private List<Link> withKeyFrames(int frame, double away) throws FrameReadException {
        KeyFrames keys = new KeyFrames(with.field().bounds());
        LostAndFound lost = new LostAndFound(with, keys, progress);
        FrameChain chain = new FrameChain(frames, 0, 0, lost, with.store().frames(), options, "cpu", progress);
        List<Integer> slots = new ArrayList<Integer>();
        for (int i = 0; i < FRAMES; i++) {
            slots.add(with.store().ask(i));
        }
        with.store().flush();
        chain.add(slots, with.waiting());
        FrameRow row = chain.row(frame);
        row.transform = Transform.translation(away, 0).multiply(row.transform);
        KeyedFrames keyed = new KeyedFrames(chain, frames, with, options, true, keys, progress);
        keyed.look();
        List<Link> links = new ArrayList<Link>();
        keyed.register(links, null);
        return links;
    }

    private static List<Integer> numbers(List<Link> links) {
        List<Integer> numbers = new ArrayList<Integer>();
        for (Link link : links) {
            assertEquals(0, link.reference);
            numbers.add(link.current);
        }
        return numbers;
    }

    /** One in four; they lie where the chain has them. */
    @Test
    void everyFourthFrameIsTiedToTheKeyFrame() throws FrameReadException {
        List<Link> links = withKeyFrames(0, 0);
        assertEquals(Arrays.asList(4, 8), numbers(links));
        for (Link link : links) {
            assertEquals(0, Drift.rms(truth(0, link.current), link.step, W, H), 0.1);
        }
    }

    /** From 8 px on. */
    @Test
    void pairFarFromTheChainIsLeftOut() throws FrameReadException {
        assertEquals(Arrays.asList(4, 8), numbers(withKeyFrames(4, 7.5)));
        assertEquals(Arrays.asList(8), numbers(withKeyFrames(4, 8.5)));
    }

    // ------------------------------------------------------------ second look

    /** What becomes of a simple pair in a sequence of similarities, said to lie that far from its place; null: it stays. */
    private Link lookedAt(double away) {
        Transform step = Transform.translation(away, 0).multiply(truth(0, 2));
        Link simple = new Link(0, 2, Transform.of(Transform.Kind.TRANSLATION, step.toArray()), 0.1, false);
        List<Link> links = new ArrayList<Link>();
        links.add(simple);
        for (int i = 3; i < 9; i++) {
            links.add(new Link(0, i, Transform.of(Transform.Kind.SIMILARITY, truth(0, i).toArray()), 0.1, false));
        }
        SecondLook second = new SecondLook(frames, with, options, links, progress);
        while (!second.done()) {
            second.step();
        }
        assertEquals(7, links.size());
        return links.get(0) == simple ? null : links.get(0);
    }

    /** What becomes of a pair that is looked at as a homography, said to lie that far from its place. */
    private Transform lookedAtAslant(double away) {
        List<Link> links = new ArrayList<Link>();
        links.add(new Link(0, 2, Transform.translation(away, 0).multiply(truth(0, 2)), 0.1, false));
        SecondLook second = SecondLook.aslant(frames, with, options, links, progress);
        while (!second.done()) {
            second.step();
        }
        return links.get(0).step;
    }

    /** Within 12 px. */
    @Test
    void pairBecomesAHomographyNearItsPlace() {
        for (double away : new double[] {0, 11.5}) {
            Transform step = lookedAtAslant(away);
            assertEquals(Transform.Kind.HOMOGRAPHY, step.kind);
            assertEquals(0, Drift.rms(truth(0, 2), step, W, H), 0.3);
        }
        assertFalse(lookedAtAslant(12.5).isHomography());
    }

    /** It takes the class of the others, unless that puts it half a pixel from where it was. */
    @Test
    void simplePairIsLookedAtAgain() {
        for (double away : new double[] {0, 0.4}) {
            Link again = lookedAt(away);
            assertEquals(Transform.Kind.SIMILARITY, again.step.kind);
            assertEquals(0, Drift.rms(truth(0, 2), again.step, W, H), 0.1);
        }
        assertNull(lookedAt(0.6));
    }
}
