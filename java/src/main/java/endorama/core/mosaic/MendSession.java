package endorama.core.mosaic;

import endorama.core.common.Progress;
import endorama.core.frames.FrameRange;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.options.MosaicParameters;
import endorama.core.options.OptionValues;
import endorama.core.transforms.Transform;
import endorama.jni.EndoramaException;
import java.util.ArrayList;
import java.util.List;

/** A registered sequence whose links are mended: pairs are registered again by themselves, and everything is solved again. */
public final class MendSession {
    /** A picture to look at has about as many pixels, all frames together, within the range of the option scale. */
    private static final double PIXELS = 6e6;
    private static final double LEAST_SCALE = 0.25;

    /** The frames that were registered. */
    private final FrameSource source;
    private final StageFile pairs;
    private final OptionValues values;
    private final Mending mending;

    /**
     * A session over a sequence that was registered: all of its frames, or those that the options took.
     *
     * @param pairs after registration
     * @param links as they were mended before; null: those of registration
     * @throws FrameReadException unless these are the frames that were registered
     * @throws IllegalArgumentException if the links are of other frames
     */
    public MendSession(FrameSource sequence, StageFile pairs, Links links) throws FrameReadException {
        this.pairs = pairs;
        this.values = pairs.values();
        this.source = FrameRange.chosen(values, sequence);
        pairs.check(source);
        Links first = links == null ? pairs.links() : links;
        pairs.check(first);
        int[] numbers = pairs.rows().stream().mapToInt(row -> row.frame).toArray();
        this.mending = new Mending(numbers, source.width(), source.height(), first);
    }

    /** The frames as they were registered: without the distortion of their lens, if one was found; to be closed. */
    public FrameSource shown(MosaicParameters parameters) throws FrameReadException {
        List<FrameRow> rows = new ArrayList<FrameRow>();
        for (int i = 0; parameters.lens() != 0 && i < source.count(); i++) {
            FrameRow row = new FrameRow(source.number(i));
            row.register(Transform.IDENTITY);
            rows.add(row);
        }
        return rows.isEmpty() ? source : new AppliedFrames(source, rows, parameters, Progress.NONE);
    }

    /** The options that the sequence was registered with; the lens is the one that was found. */
    public OptionValues values() {
        return values;
    }

    /** The links, and what is known of them. */
    public Mending mending() {
        return mending;
    }

    /**
     * Solves for the poses of all frames from the links as they are, and paints a small panorama.
     *
     * @param parameters of {@link #values}
     * @return the result, to be closed; null: it was cancelled while solving
     */
    public MosaicResult solve(MosaicParameters parameters, Progress progress) throws FrameReadException {
        StageFile stage = pairs.copy();
        try {
            stage.solve(mending.links(), progress);
        } catch (EndoramaException e) {
            if (Engine.isCancel(e)) {
                return null;
            }
            throw e;
        }
        mending.solved(stage.rows());
        return new MosaicSession(source, small(parameters), progress).painting(stage).run();
    }

    /** Options of a quick picture. */
    MosaicParameters small(MosaicParameters parameters) {
        double all = (double) source.count() * source.width() * source.height();
        double scale = Math.max(LEAST_SCALE, Math.min(parameters.scale(), Math.sqrt(PIXELS / all)));
        return parameters.with("scale", scale).with("interpolation", "Linear").with("relief", "None").with("extra", "None");
    }

    /**
     * Registers the frames of a link from where they are, and takes the result if there is one.
     *
     * @return what was found; null: it was cancelled
     */
    public Refinement refine(int index, MosaicParameters parameters, Progress progress) throws FrameReadException {
        Refinement found = Refinement.of(source, parameters, mending.link(index), progress);
        if (found != null && found.transform != null) {
            mending.refine(index, found.transform, found.deviation);
        }
        return found;
    }
}
