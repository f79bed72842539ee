package endorama.core.mosaic;

import endorama.core.common.LoggedProgress;
import endorama.core.common.Progress;
import endorama.core.common.RunTimes;
import endorama.core.engine.FieldOfView;
import endorama.core.engine.PlacedFrame;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.frames.StraightFrames;
import endorama.core.options.MosaicParameters;
import endorama.core.paint.MosaicFaults;
import endorama.core.paint.Panorama;
import endorama.core.paint.Weighing;
import endorama.core.transforms.Transforms;
import endorama.jni.EndoramaException;
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
    private final MosaicFaults faults = new MosaicFaults();

    /**
     * For a sequence and transforms of its frames; frames without a transform, or whose transform is only
     * predicted, are left out.
     */
    public ApplyTransforms(FrameSource source, Transforms transforms, MosaicParameters parameters, Progress progress) {
        this.parameters = parameters.withLensFound(transforms.lens());
        this.source = StraightFrames.of(source, this.parameters);
        this.transforms = transforms;
        this.progress = progress;
    }

    /** For tests: blends bands of so many rows. */
    ApplyTransforms inBands(int rows) {
        faults.bandRows = rows;
        return this;
    }

    /** For tests: keeps the panorama on the disk, where there is a folder for it. */
    ApplyTransforms onDisk() {
        faults.onDisk = true;
        return this;
    }

    /**
     * Paints a panorama; of what is done if it is cancelled, null if nothing is.
     *
     * @throws FrameReadException if no frame can be used
     */
    public Panorama panorama() throws FrameReadException {
        List<Integer> frames = new ArrayList<Integer>(usable());
        LoggedProgress logged = new LoggedProgress(progress);
        try (MosaicResources with = new MosaicResources(source, parameters, logged, faults, new RunTimes())) {
            with.openForPainting();
            StageRunner runner = new StageRunner(with, logged, parameters.blends() ? 2 : 1, source.count());
            boolean done = parameters.blends() ? blend(with, runner, frames, logged) : paint(with, runner, frames);
            if (with.full() != null) {
                logged.lostOnce(with.full());
            }
            return done ? with.snapshot(0) : null;
        }
    }

    /** The same light and weights as in a mosaic. Where memory does not suffice, frames are painted one over the other. */
    private boolean blend(MosaicResources with, StageRunner runner, List<Integer> frames, LoggedProgress logged) {
        LookStage looking = new LookStage(with, frames, logged);
        runner.run(looking);
        Weighing weighing = new Weighing(source.count());
        for (int frame : frames) {
            Transforms.Solution solution = transforms.solution(frame + 1);
            weighing.set(frame, solution == null ? Double.NaN : solution.deviation,
                    solution != null && solution.doubtful);
        }
        if (!looking.done() || frames.isEmpty()) {
            return false;
        }
        BlendStage blending = new BlendStage(with, items(frames), weighing,
                Collections.<PlacedFrame>emptyList(), logged);
        EndoramaException full;
        try {
            runner.run(blending);
            return blending.finish();
        } catch (EndoramaException e) {
            full = e;
        }
        blending.finish();
        if (full.status() != EndoramaException.Status.MEMORY) {
            throw full;
        }
        progress.log("no memory to blend the panorama: " + full.getMessage() + "; it is painted, one frame over the other");
        return paint(with, runner, frames);
    }

    /** What is done when it is cancelled counts. */
    private boolean paint(MosaicResources with, StageRunner runner, List<Integer> frames) {
        runner.run(new PaintStage(with, items(frames)));
        return true;
    }

    private List<PlacedFrame> items(List<Integer> frames) {
        List<PlacedFrame> items = new ArrayList<PlacedFrame>();
        for (int frame : frames) {
            items.add(new PlacedFrame(frame, -1, transforms.get(frame + 1)));
        }
        return items;
    }

    /**
     * Every frame in its place in the first registered frame, in the size of a frame; moved when it is asked for.
     *
     * @throws FrameReadException if no frame can be used
     */
    public AppliedFrames frames() throws FrameReadException {
        return new AppliedFrames(source, transforms, usable(), parameters, progress);
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
