package endorama.core.paint;

import endorama.core.engine.FieldOfView;
import endorama.core.engine.PlacedFrame;
import endorama.core.frames.PixelType;
import endorama.core.options.MosaicParameters;
import endorama.core.transforms.Rect;
import endorama.jni.FramesOptions;
import endorama.jni.NativeCanvas;
import endorama.jni.NativeContext;
import endorama.jni.NativeFrames;
import endorama.jni.NativeTransforms;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How well the places are known that rows of a panorama show: frames without a picture, each of one value, the surest
 * painted last.
 */
public final class Uncertainty implements AutoCloseable {
    /** The value of a place whose deviation nobody knows. */
    static final int UNKNOWN = 65535;

    private final int width;
    private final NativeCanvas canvas;

    /**
     * Of the rows from top to bottom - 1.
     *
     * @param items frames that reach them
     * @param used what the panorama takes of the plane
     */
    Uncertainty(NativeContext context, FieldOfView field, MosaicParameters parameters, List<PlacedFrame> items,
            Rect used, int top, int bottom, Weighing weighing) {
        width = used.width();
        FramesOptions options = field.options(PixelType.GREY16, 1);
        options.rim = parameters.rim();
        options.flow = false;
        options.pattern = null;
        options.low = 0;
        options.high = UNKNOWN;
        canvas = NativeCanvas.create(context, PixelType.GREY16.code(), width, bottom - top);
        try (NativeFrames frames = NativeFrames.create(context, options)) {
            short[] frame = new short[options.width * options.height];
            for (Map.Entry<Integer, List<PlacedFrame>> level : levels(items, weighing).entrySet()) {
                Arrays.fill(frame, (short) (int) level.getKey());
                frames.put(0, frame);
                paint(frames, level.getValue(), -used.left, -used.top - top);
            }
        } catch (RuntimeException e) {
            canvas.close();
            throw e;
        }
    }

    /** In units of {@link Panorama#UNCERTAINTY_STEP}. */
    public static int value(double deviation) {
        return Double.isNaN(deviation) ? UNKNOWN
                : (int) Math.max(1, Math.min(UNKNOWN - 1, Math.round(deviation / Panorama.UNCERTAINTY_STEP)));
    }

    /** The most uncertain first. */
    private static Map<Integer, List<PlacedFrame>> levels(List<PlacedFrame> items, Weighing weighing) {
        Map<Integer, List<PlacedFrame>> levels =
                new TreeMap<Integer, List<PlacedFrame>>(Collections.reverseOrder());
        for (PlacedFrame item : items) {
            levels.computeIfAbsent(value(weighing.deviation(item.frame)), k -> new ArrayList<PlacedFrame>())
                    .add(item);
        }
        return levels;
    }

    private void paint(NativeFrames frames, List<PlacedFrame> items, int originX, int originY) {
        NativeTransforms transforms = new NativeTransforms(items.size());
        for (int i = 0; i < items.size(); i++) {
            items.get(i).transform.put(transforms, i);
        }
        canvas.paint(frames, new int[items.size()], transforms, originX, originY, NativeCanvas.UNION);
    }

    /** n of its rows; 0 where nothing is painted. */
    short[] read(int first, int n, byte[] painted) {
        short[] values = new short[n * width];
        canvas.read(0, first, width, n, values, null);
        for (int i = 0; i < values.length; i++) {
            values[i] = painted[i] == 0 ? 0 : values[i];
        }
        return values;
    }

    @Override
    public void close() {
        canvas.close();
    }
}
