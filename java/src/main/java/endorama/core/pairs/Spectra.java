package endorama.core.pairs;

import endorama.core.common.Length;
import endorama.core.common.LoggedProgress;
import endorama.core.engine.FieldOfView;
import endorama.core.engine.FrameStore;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.pairs.FrameRow.Status;
import endorama.core.transforms.Drift;
import endorama.core.transforms.Transform;
import endorama.jni.EndoramaException;
import endorama.jni.FourierOptions;
import endorama.jni.FourierResults;
import endorama.jni.FramesOptions;
import endorama.jni.NativeContext;
import endorama.jni.NativeTransforms;
import endorama.jni.PairResults;
import endorama.jni.RegisterOptions;
import java.util.ArrayList;
import java.util.List;

/**
 * Pairs of frames that are registered by their spectra, wherever they lie to each other. In a store of its own, in which
 * highlights take no part: they stand still with the scope, and spectra would find them first. What was found among all
 * places, of which one may look right by chance, is believed if the frames themselves, registered from there, say the same
 * ({@link PairMatch#counts}).
 */
public final class Spectra implements AutoCloseable {
    /** How a frame lies in another one. */
    public static final class Match {
        public final int reference;
        final int current;
        /** Current -&gt; reference, a similarity; or a homography, where the frames themselves were asked for one. */
        public Transform step;
        /** Correlation of what both show, high-passed. */
        public final double ncc;
        private final double overlap;
        /** Standard deviation, px, of what the frames themselves say; 0 where they were not asked. */
        private double deviation;

        private Match(int reference, int current, FourierResults results, int i) {
            this.reference = reference;
            this.current = current;
            step = Transform.of(results.kind(i), results.matrix(i));
            ncc = results.ncc(i);
            overlap = results.overlap(i);
        }

        /** For the graph: the less both show, the less is known of the rest of the frame. */
        public Link link() {
            return new Link(reference, current, step, Length.of(DEVIATION / (overlap * overlap), deviation), false);
        }

        public void describe(FrameRow row) {
            row.reference = reference + 1;
            row.status = Status.OK;
            row.coefficient = ncc;
        }
    }

    /** Frames in the store. */
    public static final int SLOTS = 10;
    /** Pairs of a call: few, so that a cancel is answered soon. */
    private static final int AT_ONCE = 3;
    /** Correlation, and share of a frame that both show, from which a pair is believed. */
    private static final double LEAST_NCC = 0.6;
    private static final double LEAST_OVERLAP = 0.2;
    /** Standard deviation of the place of a frame that is all there, px. */
    private static final double DEVIATION = 0.05;

    /** The frames themselves may say another place than the spectra: by this share of the width. */
    private static final double APART = 1.0 / 32;

    private final FrameStore store;
    private final FrameSource source;
    private final LoggedProgress progress;
    /** How the frames themselves are asked; null: they are not. */
    private final RegisterOptions asked;
    private final FourierOptions options = new FourierOptions();

    /**
     * @param asked how the frames themselves are registered; null: spectra alone are believed
     */
    public Spectra(NativeContext context, FrameSource source, FieldOfView field, RegisterOptions asked,
            LoggedProgress progress) {
        FramesOptions frames = field.options(source.type(), SLOTS);
        frames.highlights = true;
        frames.flow = false;
        frames.keepPixels = false;
        store = new FrameStore(context, source, frames);
        this.source = source;
        this.asked = asked;
        this.progress = progress;
        options.maxScale = 2;
    }

    /**
     * Registers frames with one; null for those of which nothing is certain.
     *
     * @param others at most {@link #SLOTS} - 1
     * @param isReference the others are put onto the one; else the one onto each of them
     */
    public List<Match> register(int one, List<Integer> others, boolean isReference) {
        List<Match> matches = new ArrayList<Match>();
        List<Integer> read = new ArrayList<Integer>();
        store.keepOnly(one);
        int slot = slot(one);
        List<Integer> numbers = new ArrayList<Integer>();
        for (int other : others) {
            matches.add(null);
            int there = slot < 0 ? -1 : slot(other);
            if (there >= 0) {
                read.add(matches.size() - 1);
                numbers.add(isReference ? slot : there);
                numbers.add(isReference ? there : slot);
            }
        }
        for (int from = 0; from < read.size(); from += AT_ONCE) {
            int to = Math.min(read.size(), from + AT_ONCE);
            List<Integer> slots = numbers.subList(2 * from, 2 * to);
            FourierResults results = store.frames().registerFourier(pairs(slots), options);
            for (int i = 0; i < results.size(); i++) {
                int at = read.get(from + i);
                int other = others.get(at);
                if (isBelieved(results, i)) {
                    Match match = new Match(isReference ? one : other, isReference ? other : one, results, i);
                    matches.set(at, asked == null || confirm(match, slots.get(2 * i), slots.get(2 * i + 1)) ? match : null);
                }
            }
        }
        return matches;
    }

    /** The frames themselves, in these slots, are registered from where the spectra say that they lie. */
    private boolean confirm(Match match, int reference, int current) {
        NativeTransforms start = new NativeTransforms(1);
        match.step.put(start, 0);
        PairResults results = store.frames().registerFrom(new int[] {reference, current}, start, asked);
        PairMatch found = new PairMatch(results, 0, match.reference, 0, 0, 0);
        if (!agree(found, match.step, source.width(), source.height())) {
            progress.log("frame " + (match.current + 1) + " may lie beside frame " + (match.reference + 1)
                    + ", but does not show the same there; not taken");
            return false;
        }
        if (found.step.isHomography()) {
            match.step = found.step;
        }
        match.deviation = Double.isNaN(found.deviation) ? 0 : found.deviation;
        return true;
    }

    /** Whether what the frames themselves say is believed, and about the same. */
    static boolean agree(PairMatch found, Transform step, int width, int height) {
        return found.counts(true) && Drift.rms(found.step, step, width, height) <= APART * width;
    }

    private static boolean isBelieved(FourierResults results, int i) {
        return results.status(i) == FourierResults.OK && results.ncc(i) >= LEAST_NCC
                && results.overlap(i) >= LEAST_OVERLAP;
    }

    /** -1 where the frame cannot be read. */
    private int slot(int frame) {
        if (progress.cancelled()) {
            throw new EndoramaException(EndoramaException.Status.CANCELLED, "cancelled while frames were read");
        }
        try {
            return store.read(frame);
        } catch (FrameReadException e) {
            progress.log(e.getMessage() + " again");
            return -1;
        }
    }

    /** Whole frames. */
    private static int[] pairs(List<Integer> slots) {
        int[] pairs = new int[3 * slots.size()];
        for (int i = 0; i < slots.size(); i += 2) {
            pairs[3 * i] = slots.get(i);
            pairs[3 * i + 1] = slots.get(i + 1);
        }
        return pairs;
    }

    @Override
    public void close() {
        store.close();
    }
}
