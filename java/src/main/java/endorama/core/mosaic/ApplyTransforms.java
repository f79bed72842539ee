package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.options.MosaicParameters;
import endorama.core.paint.Panorama;
import endorama.core.transforms.Transforms;
import endorama.jni.NativeMosaic;
import java.util.ArrayList;
import java.util.List;

/** Paints or aligns a sequence by known transforms, without registration. */
public final class ApplyTransforms {
    private final FrameSource source;
    private final Transforms transforms;
    private final MosaicParameters parameters;
    private final Progress progress;

    /** Paints a sequence with saved transforms; frames whose transform is missing or predicted are left out. */
    public ApplyTransforms(FrameSource source, Transforms transforms, MosaicParameters parameters, Progress progress) {
        this.parameters = parameters.withLensFound(transforms.lens());
        this.source = source;
        this.transforms = transforms;
        this.progress = progress;
    }

    /**
     * Paints a panorama, which the caller closes; if cancelled, of the frames up to then, or null if there are none.
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

    /** Rows of the frames with their poses, in painting order; frames that are left out are not registered. */
    private List<FrameRow> rows() throws FrameReadException {
        List<FrameRow> rows = new ArrayList<FrameRow>();
        int others = 0;
        int known = 0;
        for (int i = 0; i < source.count(); i++) {
            int frame = source.number(i);
            FrameRow row = new FrameRow(frame);
            if (transforms.isRegistered(frame) && transforms.component(frame) == 1) {
                register(row);
                known++;
            }
            others += transforms.component(frame) > 1 ? 1 : 0;
            rows.add(row);
        }
        if (others > 0) {
            progress.lost(others + " frames belong to other panoramas than the first; they are left out");
        }
        leaveOutWild(rows);
        tellOf(rows, known, others);
        return rows;
    }

    private void register(FrameRow row) {
        Transforms.Solution solution = transforms.solution(row.frame);
        row.register(transforms.get(row.frame));
        row.deviation = solution == null ? Double.NaN : solution.deviation;
        row.doubtful = solution != null && solution.doubtful;
    }

    /** Leaves out frames whose pose no panorama can show. */
    private void leaveOutWild(List<FrameRow> rows) {
        String[] wild = NativeMosaic.wildPoses(FrameRow.records(rows), source.width(), source.height(),
                parameters.maxCanvas());
        for (int i = 0; i < wild.length; i++) {
            if (wild[i] != null) {
                progress.lost(Frames.name(source, i) + ": " + wild[i] + "; it is left out");
                rows.set(i, new FrameRow(source.number(i)));
            }
        }
    }

    /** Logs the frames left out; known, others: number with a transform, in the first panorama and in others. */
    private void tellOf(List<FrameRow> rows, int known, int others) throws FrameReadException {
        long used = rows.stream().filter(row -> row.registered).count();
        if (used == 0) {
            throw new FrameReadException("none of the " + source.count() + " frames has a transform; the transforms are"
                    + " for frames 1-" + transforms.lastFrame());
        }
        if (known + others < source.count()) {
            int none = source.count() - known - others;
            progress.lost(none + " of " + source.count() + " frames " + (none == 1 ? "has" : "have") + " no transform");
        }
        int last = source.number(source.count() - 1);
        if (transforms.lastFrame() != last) {
            progress.log("the transforms are for frames 1-" + transforms.lastFrame() + ", the sequence has "
                    + last + "; " + used + " frames are used");
        }
    }

    /**
     * The frames in the coordinates of the first registered one, in the size of a frame or of their union, computed on demand.
     *
     * @throws FrameReadException if no frame can be used
     */
    public AppliedFrames frames() throws FrameReadException {
        List<FrameRow> rows = rows();
        return new AppliedFrames(source, rows, parameters, progress);
    }
}
