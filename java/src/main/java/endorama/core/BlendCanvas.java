package endorama.core;

import endorama.jni.NativeBlend;
import endorama.jni.NativeContext;
import endorama.jni.NativeFrames;
import endorama.jni.NativeTransforms;
import java.util.ArrayList;
import java.util.List;

/** A panorama whose frames are all known before it is painted: a native blend, and where it lies. */
final class BlendCanvas implements AutoCloseable {
    private final PixelType type;
    private final double scale;
    private final Reach reach;
    private final Light light;
    private final int[] weights;
    private final NativeBlend blend;

    /**
     * An empty blend with room for the frames, as far as it may have it.
     *
     * @param field rectangle around the field of view in a frame
     * @param items of one part, in the order in which they find room
     * @param light null: as it is
     * @param weights of the frames, by their number: 1..256
     */
    BlendCanvas(NativeContext context, FrameSource source, MosaicParameters parameters, Rect field,
            List<PanoramaCanvas.Item> items, Light light, int[] weights) {
        type = source.type();
        scale = parameters.scale();
        this.light = light;
        this.weights = weights;
        reach = new Reach(type, field, parameters.maxCanvas());
        for (PanoramaCanvas.Item item : scaled(items)) {
            Rect union = reach.allowed(item);
            if (union == null) {
                break;
            }
            reach.use(union);
        }
        Rect used = reach.used();
        blend = used == null ? null : NativeBlend.create(context, type.code(), used.width(), used.height(),
                parameters.interpolation(), true);
        if (blend != null && light != null) {
            blend.setCorrection(light.correction(), source.width(), source.height());
        }
    }

    private List<PanoramaCanvas.Item> scaled(List<PanoramaCanvas.Item> items) {
        List<PanoramaCanvas.Item> scaled = new ArrayList<PanoramaCanvas.Item>();
        for (PanoramaCanvas.Item item : items) {
            scaled.add(new PanoramaCanvas.Item(item.frame, item.slot, Transform.scaling(scale).multiply(item.transform),
                    item.part));
        }
        return scaled;
    }

    /** Why not all frames are painted; null if they are. */
    String full() {
        return reach.full();
    }

    /** Adds frames to the present pass, but those for which there is no room. */
    void add(NativeFrames frames, List<PanoramaCanvas.Item> items) {
        List<PanoramaCanvas.Item> fit = new ArrayList<PanoramaCanvas.Item>();
        for (PanoramaCanvas.Item item : scaled(items)) {
            if (fits(item)) {
                fit.add(item);
            }
        }
        int[] slots = new int[fit.size()];
        int[] counts = new int[fit.size()];
        int[] gains = new int[3 * fit.size()];
        NativeTransforms transforms = new NativeTransforms(fit.size());
        for (int i = 0; i < slots.length; i++) {
            PanoramaCanvas.Item item = fit.get(i);
            slots[i] = item.slot;
            counts[i] = weights[item.frame];
            item.transform.put(transforms, i);
            if (light != null) {
                light.putGains(item.frame, gains, 3 * i);
            }
        }
        if (slots.length > 0) {
            blend.add(frames, slots, transforms, counts, light == null ? null : gains, -reach.used().left,
                    -reach.used().top);
        }
    }

    private boolean fits(PanoramaCanvas.Item item) {
        Rect union = reach.used() == null ? null : reach.unionWith(item);
        return union != null && reach.used().contains(union);
    }

    void nextPass() {
        if (blend != null) {
            blend.nextPass();
        }
    }

    /** A copy of what is painted; null if nothing is. */
    Panorama snapshot() {
        if (blend == null) {
            return null;
        }
        Rect used = reach.used();
        Object pixels = type.array((int) used.area());
        byte[] painted = new byte[(int) used.area()];
        blend.read(0, 0, used.width(), used.height(), pixels, painted, null);
        return new Panorama(type, used, scale, pixels, painted);
    }

    @Override
    public void close() {
        if (blend != null) {
            blend.close();
        }
    }
}
