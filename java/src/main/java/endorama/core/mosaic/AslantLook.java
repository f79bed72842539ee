package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.frames.FrameSource;
import endorama.core.pairs.KeyFrames;
import endorama.core.pairs.Link;
import endorama.core.places.LensWatch;
import endorama.core.places.PerspectiveAsked;
import endorama.core.places.PerspectiveWatch;
import endorama.core.places.Places;
import endorama.core.transforms.Drift;
import endorama.core.transforms.Transform;
import endorama.jni.RegisterOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Registers the pairs of a sequence once more as homographies, where they agree that a plane is seen aslant
 * ({@link PerspectiveWatch}), or where they all ask for perspective, as tissue does that is near and not flat. What is bent
 * itself, as the wall of a tube, looks aslant, too, and no homography holds it: there pairs see a lens ({@link LensWatch}), or
 * the places that follow are worse than those of the simpler classes.
 */
final class AslantLook {
    /** Of the pairs that are sure, this share must become homographies. */
    private static final double SHARE = 0.75;
    /** Where nothing but a chain ties the frames, no pair contradicts another by more than this, px. */
    private static final double NO_TENSION = 0.01;

    private final FrameSource source;
    private final MosaicResources with;
    private final RegisterOptions options;
    private final KeyFrames keys;
    private final LoggedProgress progress;
    /** For people. */
    private final String reason;
    /** Pairs agree on it; else each of them asks for itself, and those that are held out decide. */
    private final boolean isAslant;
    private final List<Link> before = new ArrayList<Link>();
    private final List<Link> links = new ArrayList<Link>();
    private SecondLook look;
    private Places straight;
    private Places bent;
    /** Where they do not say by themselves which are better. */
    private HeldOutPairs heldOut;
    private boolean isTaken;
    private boolean done;

    private AslantLook(FrameSource source, MosaicResources with, RegisterOptions options, KeyFrames keys, String reason,
            boolean isAslant, LoggedProgress progress) {
        this.source = source;
        this.with = with;
        this.options = options;
        this.keys = keys;
        this.reason = reason;
        this.isAslant = isAslant;
        this.progress = progress;
    }

    /** Null where the pairs say nothing of perspective, where they see a lens, or where another class is asked for. */
    static AslantLook of(FrameSource source, MosaicResources with, RegisterOptions options, Places places, List<Link> pairs,
            KeyFrames keys, LoggedProgress progress) {
        if (!SecondLook.chooses(options) || new LensWatch(pairs).seesALens()) {
            return null;
        }
        String reason = reason(places, pairs);
        return reason == null ? null
                : new AslantLook(source, with, options, keys, reason, places.seesAslant(), progress);
    }

    private static String reason(Places places, List<Link> pairs) {
        return places.seesAslant() ? places.aslant() : new PerspectiveAsked(pairs).reason();
    }

    boolean hasBegun() {
        return look != null;
    }

    /** From these pairs, which stay as they are. */
    void begin(List<Link> pairs) {
        before.addAll(pairs);
        links.addAll(pairs);
        look = SecondLook.aslant(source, with, options, links, progress);
    }

    boolean done() {
        return done;
    }

    /** The next few; solved: the places that follow from pairs. */
    void step(Function<List<Link>, Places> solved) {
        if (!look.done()) {
            look.step();
        } else if (heldOut == null) {
            straight = solved.apply(before);
            bent = solved.apply(links);
            compare();
        } else if (!heldOut.done()) {
            heldOut.step();
        } else {
            end(heldOut.speakFor(bent, straight, source.width(), source.height()));
        }
    }

    private void compare() {
        if (isAslant && isBetter(straight, before, bent, links, source.width(), source.height())) {
            end(true);
        } else if (losesNothing(straight, bent)) {
            heldOut = new HeldOutPairs(source, with, options, keys, straight, before, progress);
        } else {
            end(false);
        }
    }

    private void end(boolean taken) {
        isTaken = taken;
        done = true;
    }

    /** The homographies are the better ones. */
    boolean isTaken() {
        return isTaken;
    }

    /** The pairs as they are by now. */
    List<Link> links() {
        return links;
    }

    /** The better places, when it is done. */
    Places places() {
        return isTaken ? bent : straight;
    }

    /** No frame is lost by the homographies, and no more are doubtful. */
    static boolean losesNothing(Places straight, Places bent) {
        return bent.frames(0).size() <= straight.frames(0).size() && bent.doubtful() <= straight.doubtful();
    }

    /**
     * No frame is lost by the homographies, most pairs are such, and they do not contradict each other more than before. Of
     * frames of width x height px, by the pairs that the places follow from.
     */
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

    /** What became of it, for people; null where nothing was claimed that did not hold. */
    String told() {
        if (isTaken) {
            return reason + (heldOut == null ? "" : ", and homographies place pairs that were held out better")
                    + ": all pairs were registered again as homographies (warp=Affine prevents that)";
        }
        return isAslant ? reason + ", but homographies hold the sequence together no better: pairs stay as they are" : null;
    }
}
