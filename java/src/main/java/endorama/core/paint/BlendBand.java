package endorama.core.paint;

import endorama.core.engine.PlacedFrame;
import endorama.core.frames.FrameSource;
import endorama.core.options.MosaicParameters;
import endorama.core.transforms.Rect;
import endorama.jni.NativeBlend;
import endorama.jni.NativeContext;
import endorama.jni.NativeFrames;
import endorama.jni.NativeTransforms;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A band of rows of a panorama that is blended, in the back end's memory. It is blended with some rows more above and
 * below, on which its own depend, so that they have the bytes that they have where the panorama is one piece.
 */
public final class BlendBand implements AutoCloseable {
    /** Rows more above and below: a pixel depends on up to 24 cells of 4 x 4 px each way. */
    private static final int MARGIN = 96;
    /** Pixels that are taken over at once from what is not taken whole. */
    private static final int TAKEN = 1 << 22;

    private final FrameSource source;
    private final Rect used;
    private final Light light;
    private final Weighing weighing;
    private final int top;
    private final int bottom;
    /** The first row of the back end's blend. */
    private final int from;
    private final List<PlacedFrame> items = new ArrayList<PlacedFrame>();
    private final NativeBlend blend;
    private boolean second;
    /** In the present pass. */
    private int added;

    /**
     * An empty one.
     *
     * @param field rectangle around the field of view in a frame
     * @param all frames of the panorama; those that do not reach the band are left out
     * @param used what the panorama takes of the plane
     * @param top first row, a multiple of 4; bottom: the last one and one more
     * @param light null: as it is
     */
    BlendBand(NativeContext context, FrameSource source, MosaicParameters parameters, Rect field,
            List<PlacedFrame> all, Rect used, int top, int bottom, Light light, Weighing weighing) {
        this.source = source;
        this.used = used;
        this.top = top;
        this.bottom = bottom;
        this.light = light;
        this.weighing = weighing;
        from = Math.max(0, top - MARGIN);
        int to = Math.min(used.height(), bottom + MARGIN);
        for (PlacedFrame item : all) {
            Rect reached = field.transformed(item.transform);
            if (reached != null && reached.bottom > used.top + from && reached.top < used.top + to) {
                items.add(item);
            }
        }
        blend = NativeBlend.create(context, source.type().code(), used.width(), to - from, parameters.interpolation(),
                true, NativeBlend.shrink(parameters.scale(), used.width(), used.height()));
        if (light != null) {
            blend.setCorrection(light.correction(), source.width(), source.height());
        }
    }

    /** The frames that it shows. */
    List<PlacedFrame> items() {
        return items;
    }

    /** How much of both passes is done, 0..1. */
    double share() {
        return items.isEmpty() ? 1 : ((second ? items.size() : 0) + added) / (2.0 * items.size());
    }

    /** The frames of this pass that are to be added next, so many at most. */
    public List<PlacedFrame> next(int most) {
        return items.subList(added, Math.min(items.size(), added + most));
    }

    /** So many of these were added, or cannot be read. */
    public void passed(int n) {
        added += n;
    }

    void add(NativeFrames frames, List<PlacedFrame> some) {
        int[] slots = new int[some.size()];
        int[] counts = new int[some.size()];
        int[] gains = new int[3 * some.size()];
        NativeTransforms transforms = new NativeTransforms(some.size());
        for (int i = 0; i < slots.length; i++) {
            PlacedFrame item = some.get(i);
            slots[i] = item.slot;
            counts[i] = weighing.weight(item.frame);
            item.transform.put(transforms, i);
            if (light != null) {
                light.putGains(item.frame, gains, 3 * i);
            }
        }
        blend.add(frames, slots, transforms, counts, light == null ? null : gains, -used.left, -used.top - from);
    }

    /** The second pass has begun. */
    boolean isSecond() {
        return second;
    }

    /** Ends a pass; true if it was the second. */
    public boolean endPass() {
        if (!second) {
            blend.nextPass();
            added = 0;
        }
        boolean last = second;
        second = true;
        return last;
    }

    /** Copies its rows to those of the panorama; uncertainty: null if it was not asked for. */
    void take(PanoramaRows to, Uncertainty uncertainty) throws IOException {
        int width = used.width();
        boolean whole = bottom - top == used.height() && to.pixels.band() == used.height();
        int step = whole ? used.height() : Math.max(1, TAKEN / width);
        for (int y = top; y < bottom; y += step) {
            int n = Math.min(step, bottom - y);
            Object pixels = source.type().array(n * width);
            byte[] painted = new byte[n * width];
            short[] coverage = to.coverage == null ? null : new short[n * width];
            blend.read(0, y - from, width, n, pixels, painted, coverage);
            to.pixels.put(y, n, pixels);
            to.painted.put(y, n, painted);
            if (coverage != null) {
                to.coverage.put(y, n, coverage);
            }
            if (uncertainty != null) {
                to.uncertainty.put(y, n, uncertainty.read(y - top, n, painted));
            }
        }
    }

    @Override
    public void close() {
        blend.close();
    }
}
