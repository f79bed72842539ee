package endorama.core.mosaic;

import endorama.core.transforms.Transform;

/** The growing panorama of a live run as it was: {@code endo_live_view}. */
public final class LivePicture {
    /** Size, px. */
    public final int width, height;
    /** The panorama that is shown, from 1. */
    public final int component;
    /** Grows with each change of the picture. */
    public final long changes;
    /** First frame -&gt; picture, px. */
    public final Transform transform;
    /** byte[], short[] or int[] by the type of the frames, width*height; 0 where nothing is painted. */
    public final Object pixels;

    LivePicture(double[] reals, long[] numbers, Object pixels) {
        width = (int) numbers[0];
        height = (int) numbers[1];
        component = (int) numbers[2];
        changes = numbers[4];
        transform = Transform.translation(reals[0], reals[1]).multiply(Transform.of(Transform.Kind.SIMILARITY,
                new double[] {reals[2], 0, 0, 0, reals[2], 0, 0, 0, 1}));
        this.pixels = pixels;
    }
}
