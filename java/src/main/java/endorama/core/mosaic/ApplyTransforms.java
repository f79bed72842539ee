package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.common.Progress;
import endorama.core.engine.FieldOfView;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.frames.StraightFrames;
import endorama.core.options.MosaicParameters;
import endorama.core.paint.Panorama;
import endorama.core.transforms.Transforms;
import endorama.jni.FramesOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Paints or aligns a sequence with transforms that are known; no motion is looked for. */
public final class ApplyTransforms {
    private final FrameSource source;
    private final Transforms transforms;
    private final MosaicParameters parameters;
    private final Progress progress;

    /**
     * For a sequence and transforms of its frames; frames without a transform, or whose transform is only
     * predicted, are left out.
     */
    public ApplyTransforms(FrameSource source, Transforms transforms, MosaicParameters parameters, Progress progress) {
        this.parameters = parameters.withLensFound(transforms.lens());
        this.source = source;
        this.transforms = transforms;
        this.progress = progress;
    }

    /**
     * Paints a panorama, which the caller closes; of what is done if it is cancelled, null if nothing is.
     *
     * @throws FrameReadException if no frame can be used
     */
    public Panorama panorama() throws FrameReadException {
        List<FrameRow> rows = rows();
        Engine engine = new Engine(source, parameters, new LoggedProgress(progress), MosaicListener.NONE).applying();
        Panorama panorama = null;
        try {
            RuntimeException ended = engine.run(mosaic -> mosaic.paint(engine.sequence(), FrameRow.records(rows)));
            if (ended != null && !Engine.isCancel(ended)) {
                throw ended;
            }
            List<Panorama> all = engine.panoramas();
            panorama = all.isEmpty() ? null : all.get(0);
            return panorama;
        } finally {
            if (panorama == null) {
                engine.close();
            }
        }
    }

    /** Frames in their poses, painted in their order. */
    private List<FrameRow> rows() throws FrameReadException {
        List<FrameRow> rows = new ArrayList<FrameRow>();
        for (int frame = 1; frame <= source.count(); frame++) {
            rows.add(new FrameRow(frame));
        }
        for (int frame : usable()) {
            FrameRow row = rows.get(frame);
            Transforms.Solution solution = transforms.solution(frame + 1);
            row.registered = true;
            row.status = FrameRow.Status.OK;
            row.part = 1;
            row.transform = transforms.get(frame + 1);
            row.chained = row.transform;
            row.order = frame + 1;
            row.deviation = solution == null ? Double.NaN : solution.deviation;
            row.doubtful = solution != null && solution.doubtful;
        }
        return rows;
    }

    /**
     * Every frame in its place in the first registered frame, in the size of a frame; moved when it is asked for.
     *
     * @throws FrameReadException if no frame can be used
     */
    public AppliedFrames frames() throws FrameReadException {
        return new AppliedFrames(StraightFrames.of(source, parameters), transforms, usable(), parameters, progress);
    }

    /** Numbers, from 0, of the frames that have a usable transform. */
    private List<Integer> usable() throws FrameReadException {
        List<Integer> frames = new ArrayList<Integer>();
        int others = 0;
        int known = 0;
        for (int frame = 0; frame < source.count(); frame++) {
            known += transforms.isRegistered(frame + 1) && transforms.part(frame + 1) == 1 ? 1 : 0;
            if (transforms.isRegistered(frame + 1) && transforms.part(frame + 1) == 1) {
                frames.add(frame);
            }
            others += transforms.part(frame + 1) > 1 ? 1 : 0;
        }
        if (others > 0) {
            progress.lost(others + " frames belong to other panoramas than the first; they are left out");
        }
        leaveOutWild(frames);
        if (frames.isEmpty()) {
            throw new FrameReadException("none of the " + source.count() + " frames has a transform; the transforms are"
                    + " for frames 1-" + transforms.lastFrame());
        }
        if (known + others < source.count()) {
            progress.lost(source.count() - known - others + " of " + source.count() + " frames have no transform");
        }
        if (transforms.lastFrame() != source.count()) {
            progress.log("the transforms are for frames 1-" + transforms.lastFrame() + ", the sequence has "
                    + source.count() + "; " + frames.size() + " frames are used");
        }
        return Collections.unmodifiableList(frames);
    }

    /**
     * Frames that cannot be painted: across the horizon, endlessly far, or so far from the others that no panorama holds both.
     * Where all of them fit, all are believed.
     */
    private void leaveOutWild(List<Integer> frames) {
        WildFrames wild = new WildFrames(source.width(), source.height(), parameters.maxCanvas());
        for (int frame : frames) {
            wild.add(frame, transforms.get(frame + 1));
        }
        for (Map.Entry<Integer, String> one : wild.find().entrySet()) {
            progress.lost(Frames.name(source, one.getKey()) + ": " + one.getValue() + "; it is left out");
            frames.remove(one.getKey());
        }
    }

    /** A store that frames are only painted from. */
    static FramesOptions options(FrameSource source, FieldOfView field, MosaicParameters parameters, int capacity) {
        FramesOptions options = field.options(source.type(), capacity);
        options.rim = parameters.rim();
        options.flow = false;
        return options;
    }
}
