package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.options.MosaicParameters;
import endorama.core.transforms.Transform;
import endorama.jni.NativeMosaic;

/** A pair of frames registered from where somebody placed it: {@code endo_mosaic_refine}. */
public final class Refinement {
    /** Frame b -&gt; frame a, px; null: nothing fits near the start. */
    public final Transform transform;
    /** Standard deviation, px; NaN without a transform. */
    public final double deviation;
    /** The 5 x 5 measure of what was found; NaN where undefined. */
    public final double quality;
    /** Root mean square distance by which the corners moved, px; NaN: nothing was found. */
    public final double moved;
    /** Why nothing was refined, for people; "" where it was. */
    public final String why;

    private Refinement(NativeMosaic.Refined refined) {
        Edge edge = refined.edge == null ? null : Edge.of(refined.edge).get(0);
        transform = edge == null ? null : edge.transform;
        deviation = edge == null ? Double.NaN : edge.deviation;
        quality = refined.quality;
        moved = refined.moved;
        why = refined.why;
    }

    /**
     * Registers frame b of a link onto frame a, from where it is.
     *
     * @param parameters those of the registration of the sequence
     * @return null: it was cancelled
     * @throws FrameReadException if no frame can be read
     * @throws IllegalArgumentException if one of the two cannot be read
     */
    public static Refinement of(FrameSource source, MosaicParameters parameters, Link link, Progress progress)
            throws FrameReadException {
        Engine engine = new Engine(source, parameters, new LoggedProgress(progress), MosaicListener.NONE);
        try {
            NativeMosaic.Refined[] found = new NativeMosaic.Refined[1];
            RuntimeException ended = engine.run(mosaic -> found[0] = mosaic.refine(engine.sequence(), Frames.index(source, link.a),
                    Frames.index(source, link.b), link.transform.kind.ordinal(), link.transform.toArray()));
            if (ended != null && !Engine.isCancel(ended)) {
                throw ended;
            }
            return ended != null ? null : new Refinement(found[0]);
        } finally {
            engine.close();
        }
    }
}
