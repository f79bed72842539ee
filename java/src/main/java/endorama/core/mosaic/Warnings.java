package endorama.core.mosaic;

import endorama.core.options.MosaicParameters;
import endorama.jni.RegisterOptions;
import java.util.ArrayList;
import java.util.List;

/** What is wrong with the panoramas of a run, in the order in which it is to be mended. */
final class Warnings {
    /** Frames that are bent make a plane look aslant, chains grow and shear, and loops tear. */
    private static final String FIRST = "; try that first, what else is wrong may come of it";

    private Warnings() {
    }

    /** What takes perspective in, where these options left it out. */
    static String againstAslant(MosaicParameters parameters) {
        boolean isBest = parameters.register().method == RegisterOptions.BEST;
        return (isBest ? "" : "method=Best with ") + "warp=Homography takes that in where the scene is flat";
    }

    /** Those that are there: what is said of the lens before the others. Each may be null. */
    static List<String> inOrder(String lens, String... others) {
        List<String> lines = new ArrayList<String>();
        for (String other : others) {
            if (other != null) {
                lines.add(other);
            }
        }
        if (lens != null) {
            lines.add(0, lines.isEmpty() ? lens : lens + FIRST);
        }
        return lines;
    }
}
