package endorama.report;

import endorama.core.mosaic.MosaicResult;
import endorama.jni.NativeMosaic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Advice for a run whose panorama is not good: only what placed many more frames of hard sequences with a known truth
 * (docs/user-guide.md, Verdict and report).
 */
final class Advice {
    private static final int MOST = 3;
    /** Warnings that name an option which helps: of the lens, and of a tilted plane. */
    private static final List<Integer> HELPFUL = Arrays.asList(NativeMosaic.LENS, NativeMosaic.PERSPECTIVE);
    /** Classes of motion that an operator may have chosen too narrow. */
    private static final List<String> NARROW = Arrays.asList("Rigid", "Translation");

    /** Mean quality of the pairs below which frames that fail are noisy or blurred. */
    private static final double POOR_MATCH = 0.5;
    /** Shorter side of frames of which half is enough, px. */
    private static final int LEAST_SIDE = 256;

    private Advice() {
    }

    /** The pieces of advice for a run with options, the most helpful first. */
    static List<String> of(MosaicResult result, Map<String, Object> options) {
        List<String> advice = warned(result.events());
        boolean fails = result.registered() < result.rows().size() || result.doubtful() > 0 || result.panoramas().size() > 1;
        if (fails && NARROW.contains(String.valueOf(options.get("warp")))) {
            advice.add("The frames were matched with warp=" + options.get("warp") + " alone. Take warp=Auto: where the scope"
                    + " comes nearer or turns as well, far more frames are found.");
        }
        if (fails && "Paper".equals(options.get("method"))) {
            advice.add("Take method=Best: it finds motions that landmarks alone miss.");
        }
        boolean isLarge = Math.min(result.width(), result.height()) >= LEAST_SIDE;
        if (fails && isLarge && !(result.meanQuality() >= POOR_MATCH)) {
            advice.add("Neighbouring frames match poorly. If they are noisy or blurred, make them half as large first"
                    + " (ImageJ: Image > Scale...; a video: ffmpeg -i IN -vf scale=iw/2:-2 -c:v ffv1 OUT.mkv).");
        }
        return advice.subList(0, Math.min(MOST, advice.size()));
    }

    /** The warnings that name what helps. */
    static List<String> warned(List<NativeMosaic.Event> events) {
        List<String> advice = new ArrayList<String>();
        for (NativeMosaic.Event event : events) {
            if (event.level == NativeMosaic.WARNING && HELPFUL.contains(event.kind)) {
                advice.add(event.text.substring(0, 1).toUpperCase(Locale.ROOT) + event.text.substring(1) + ".");
            }
        }
        return advice;
    }
}
