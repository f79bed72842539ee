package endorama.core.places;

import endorama.core.pairs.Link;
import endorama.core.transforms.Transform;
import java.util.List;

/**
 * The class of transform that a sequence asks for. A pair of neighbours takes the simplest class that explains it, and so
 * a change of scale or a turn that is too slow to be seen in any one of them is lost, always to the same side; frames
 * further apart show it.
 */
public final class SequenceClass {
    /** Pairs of frames further apart: fewer decide nothing. */
    private static final int LEAST = 5;
    /** The share of pairs that have to ask for a class: few do so without a reason, and many see it too badly. */
    private static final double SHARE = 0.1;
    /** Shear is only believed of pairs that ask for it themselves. */
    private static final Transform.Kind MOST = Transform.Kind.SIMILARITY;

    private SequenceClass() {
    }

    /** The class that enough of the pairs ask for, of frames further apart than neighbours if there are such. */
    public static Transform.Kind of(List<Link> links) {
        int[] far = new int[Transform.Kind.values().length];
        int[] all = new int[far.length];
        for (Link link : links) {
            if (link.doubtful) {
                continue;
            }
            all[link.step.kind.ordinal()]++;
            if (link.current - link.reference > 1) {
                far[link.step.kind.ordinal()]++;
            }
        }
        return asked(sum(far) < LEAST ? all : far);
    }

    private static int sum(int[] counts) {
        int sum = 0;
        for (int n : counts) {
            sum += n;
        }
        return sum;
    }

    private static Transform.Kind asked(int[] counts) {
        int atLeast = 0;
        for (int kind = counts.length - 1; kind > 0; kind--) {
            atLeast += counts[kind];
            if (atLeast > 0 && atLeast >= SHARE * sum(counts)) {
                return Transform.Kind.values()[Math.min(kind, MOST.ordinal())];
            }
        }
        return Transform.Kind.TRANSLATION;
    }
}
