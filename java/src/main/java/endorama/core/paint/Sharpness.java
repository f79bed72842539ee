package endorama.core.paint;

import endorama.core.engine.Onlooker;
import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelType;
import endorama.jni.NativeBlend;
import java.util.Arrays;
import java.util.List;

/**
 * How sharp the frames of a sequence are beside their neighbours: a scope that is moved fast, or out of focus for a
 * moment, blurs single frames, of which a panorama should show little while others show the same place. It sees every
 * frame when that is read.
 */
public final class Sharpness implements Onlooker {
    /** Frames before and after one that it is compared with: what they show is alike. */
    static final int AROUND = 15;
    /** From this share of what is usual around it on a frame is as good as any; below it weights fall as its 4th power. */
    private static final double USUAL = 0.8;

    private final PixelType type;
    private final int width;
    private final int height;
    /** Of each frame, from 0; NaN: not seen yet. */
    private final double[] details;

    public Sharpness(FrameSource source) {
        type = source.type();
        width = source.width();
        height = source.height();
        details = new double[source.count()];
        Arrays.fill(details, Double.NaN);
    }

    @Override
    public boolean isNew(int frame) {
        return Double.isNaN(details[frame]);
    }

    /** Looks at a frame, from 0, when it is seen first; several threads may come with a frame each. */
    @Override
    public void see(int frame, Object pixels) {
        if (isNew(frame)) {
            details[frame] = NativeBlend.details(pixels, type.code(), width, height);
        }
    }

    /**
     * What each of some frames of one sequence, in their order, counts for its sharpness, 0..1; 1 for one that was not
     * seen.
     */
    double[] weights(List<Integer> frames) {
        double[] weights = new double[frames.size()];
        for (int i = 0; i < weights.length; i++) {
            double share = details[frames.get(i)] / usual(frames, i);
            double square = share / USUAL * (share / USUAL);
            weights[i] = share < USUAL ? square * square : 1;
        }
        return weights;
    }

    /** The median around one of them; NaN if none was seen. */
    private double usual(List<Integer> frames, int i) {
        int from = Math.max(0, i - AROUND);
        double[] around = new double[Math.min(frames.size(), i + AROUND + 1) - from];
        int n = 0;
        for (int k = 0; k < around.length; k++) {
            double there = details[frames.get(from + k)];
            if (!Double.isNaN(there)) {
                around[n++] = there;
            }
        }
        Arrays.sort(around, 0, n);
        return n == 0 ? Double.NaN : around[n / 2];
    }
}
