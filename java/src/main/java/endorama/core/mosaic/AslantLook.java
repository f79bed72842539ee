package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.frames.FrameSource;
import endorama.core.pairs.Link;
import endorama.core.places.LensWatch;
import endorama.core.places.PerspectiveWatch;
import endorama.core.places.Places;
import endorama.core.transforms.Drift;
import endorama.core.transforms.Transform;
import endorama.jni.RegisterOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Registers the pairs of a sequence once more as homographies, where they agree that a plane is seen aslant
 * ({@link PerspectiveWatch}). What is bent itself, as the wall of a tube, looks aslant, too, and no homography holds it: there
 * pairs see a lens ({@link LensWatch}), or the places that follow are worse than those of the simpler classes.
 */
final class AslantLook {
    /** Of the pairs that are sure, this share must become homographies. */
    private static final double SHARE = 0.75;
    /** Where nothing but a chain ties the frames, no pair contradicts another by more than this, px. */
    private static final double NO_TENSION = 0.01;

    private final FrameSource source;
    private final MosaicResources with;
    private final RegisterOptions options;
    private final LoggedProgress progress;
    private final double evidence;
    private final List<Link> links = new ArrayList<Link>();
    private SecondLook look;

    private AslantLook(FrameSource source, MosaicResources with, RegisterOptions options, double evidence,
            LoggedProgress progress) {
        this.source = source;
        this.with = with;
        this.options = options;
        this.evidence = evidence;
        this.progress = progress;
    }

    /** Null where the places say nothing of a plane aslant, where pairs see a lens, or where another class is asked for. */
    static AslantLook of(FrameSource source, MosaicResources with, RegisterOptions options, Places places, List<Link> pairs,
            LoggedProgress progress) {
        boolean isAslant = SecondLook.chooses(options) && places.warning() != null && !new LensWatch(pairs).seesALens();
        return isAslant ? new AslantLook(source, with, options, places.evidence(), progress) : null;
    }

    boolean hasBegun() {
        return look != null;
    }

    /** From these pairs, which stay as they are. */
    void begin(List<Link> pairs) {
        links.addAll(pairs);
        look = SecondLook.aslant(source, with, options, links, progress);
    }

    boolean done() {
        return look != null && look.done();
    }

    /** The next few. */
    void step() {
        if (!look.done()) {
            look.step();
        }
    }

    /** The pairs as they are by now. */
    List<Link> links() {
        return links;
    }

    /** No frame is lost by the homographies, most pairs are such, and they do not contradict each other more than before. */
    boolean isBetter(Places straight, List<Link> before, Places bent) {
        return isBetter(straight, before, bent, links, source.width(), source.height());
    }

    /** The same of frames of width x height px, by the pairs that the places follow from. */
    static boolean isBetter(Places straight, List<Link> before, Places bent, List<Link> links, int width, int height) {
        int sure = 0;
        int homographies = 0;
        for (Link link : links) {
            sure += link.doubtful ? 0 : 1;
            homographies += !link.doubtful && link.step.isHomography() ? 1 : 0;
        }
        double least = Math.max(NO_TENSION, tension(before, straight, width, height));
        return homographies >= SHARE * sure && bent.frames(0).size() <= straight.frames(0).size()
                && !(tension(links, bent, width, height) > least);
    }

    /** How far pairs lie from where the places put them, px, on the median; NaN without one. */
    private static double tension(List<Link> links, Places places, int width, int height) {
        List<Double> off = new ArrayList<Double>();
        for (Link link : links) {
            int part = places.part(link.reference);
            if (!link.doubtful && part > 0 && part == places.part(link.current)) {
                Transform step = places.place(link.reference).inverse().multiply(places.place(link.current));
                off.add(Drift.rms(step, link.step, width, height));
            }
        }
        off.sort(null);
        return off.isEmpty() ? Double.NaN : off.get(off.size() / 2);
    }

    /** For people. */
    String told() {
        return String.format(Locale.ROOT, "the pairs agree that a plane is seen aslant (by %.1f deviations): they were"
                + " registered again as homographies (warp=Affine leaves that out)", evidence);
    }
}
