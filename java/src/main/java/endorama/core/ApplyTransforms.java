package endorama.core;

import endorama.jni.EndoramaException;
import endorama.jni.FramesOptions;
import endorama.jni.NativeContext;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Paints or aligns a sequence with transforms that are known; nothing is estimated. */
public final class ApplyTransforms {
    private static final int CHUNK = 8;

    private final FrameSource source;
    private final Transforms transforms;
    private final MosaicParameters parameters;
    private final Progress progress;
    private final MosaicFaults faults = new MosaicFaults();
    private int told;

    /**
     * For a sequence and transforms of its frames; frames without a transform, or whose transform is only
     * predicted, are left out.
     */
    public ApplyTransforms(FrameSource source, Transforms transforms, MosaicParameters parameters, Progress progress) {
        this.source = source;
        this.transforms = transforms;
        this.parameters = parameters;
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
        List<Integer> usable = usable();
        return parameters.blends() ? blended(usable) : painted(usable);
    }

    /** The same light and weights as in a mosaic; of a frame that no pair says well where it lies only its deviation is known. */
    private Panorama blended(List<Integer> usable) throws FrameReadException {
        LoggedProgress logged = new LoggedProgress(progress);
        EndoramaException full;
        try (MosaicResources with = new MosaicResources(source, parameters, logged, faults, new RunTimes())) {
            with.openForPainting();
            return blended(with, new ArrayList<Integer>(usable), logged);
        } catch (EndoramaException e) {
            full = e;
        }
        if (full.status() != EndoramaException.Status.MEMORY) {
            throw full;
        }
        progress.log("no memory to blend the panorama: " + full.getMessage() + "; it is painted, one frame over the other");
        return painted(usable);
    }

    private Panorama blended(MosaicResources with, List<Integer> frames, LoggedProgress logged) {
        StageRunner runner = new StageRunner(with, logged, 2, source.count());
        LookStage looking = new LookStage(with, frames, logged);
        runner.run(looking);
        List<PanoramaCanvas.Item> items = new ArrayList<PanoramaCanvas.Item>();
        Weighing weighing = new Weighing(source.count());
        for (int frame : frames) {
            Transforms.Solution solution = transforms.solution(frame + 1);
            items.add(new PanoramaCanvas.Item(frame, -1, transforms.get(frame + 1)));
            weighing.set(frame, solution == null ? Double.NaN : solution.deviation, false);
        }
        BlendStage blending = new BlendStage(with, items, weighing, Collections.<PanoramaCanvas.Item>emptyList(), logged);
        if (!looking.done() || items.isEmpty()) {
            return null;
        }
        runner.run(blending);
        if (with.full() != null) {
            progress.lost(with.full());
        }
        return blending.finish() ? with.snapshot(0) : null;
    }

    private Panorama painted(List<Integer> usable) throws FrameReadException {
        Panorama[] painted = new Panorama[1];
        try (BackEnd backEnd = BackEnd.open(source, parameters, source.count(), progress)) {
            // From the first frame again where a device fails: nothing but painting is lost by it.
            Persistence.run(backEnd, CHUNK, progress, chunk -> painted[0] = paint(backEnd.context(), usable, chunk));
        }
        return painted[0];
    }

    private Panorama paint(NativeContext context, List<Integer> usable, int chunk) throws FrameReadException {
        List<PanoramaCanvas.Item> waiting = new ArrayList<PanoramaCanvas.Item>();
        FieldOfView field = FieldOfView.find(context, source, parameters, progress);
        try (FrameStore store = new FrameStore(context, source, options(source, field, parameters, chunk));
                PanoramaCanvas canvas = new PanoramaCanvas(context, source.type(), parameters.painting(),
                        field.bounds(), new PanoramaPlace(parameters, faults),
                        parameters.maxCanvas())) {
            for (int frame : usable) {
                if (progress.cancelled() || canvas.full() != null) {
                    break;
                }
                add(waiting, store, frame);
                if (waiting.size() == chunk) {
                    flush(waiting, store, canvas);
                }
                tell(frame + 1);
            }
            flush(waiting, store, canvas);
            return canvas.snapshot();
        }
    }

    /** Never less than it was. */
    private void tell(int done) {
        told = Math.max(told, done);
        progress.progress(told, source.count());
    }

    private void flush(List<PanoramaCanvas.Item> waiting, FrameStore store, PanoramaCanvas canvas) {
        canvas.paint(store.frames(), waiting);
        if (canvas.full() != null) {
            progress.lost(canvas.full());
        }
        waiting.clear();
        store.keepOnly(-1);
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
        for (int frame = 0; frame < source.count(); frame++) {
            if (transforms.isRegistered(frame + 1) && transforms.part(frame + 1) == 1) {
                frames.add(frame);
            }
            others += transforms.part(frame + 1) > 1 ? 1 : 0;
        }
        if (others > 0) {
            progress.lost(others + " frames belong to other panoramas than the first; they are left out");
        }
        if (frames.isEmpty()) {
            throw new FrameReadException("none of the " + source.count() + " frames has a transform; the transforms are"
                    + " for frames 1-" + transforms.lastFrame());
        }
        if (frames.size() + others < source.count()) {
            progress.lost(source.count() - frames.size() - others + " of " + source.count() + " frames have no transform");
        }
        if (transforms.lastFrame() != source.count()) {
            progress.log("the transforms are for frames 1-" + transforms.lastFrame() + ", the sequence has "
                    + source.count() + "; " + frames.size() + " frames are used");
        }
        return Collections.unmodifiableList(frames);
    }

    private void add(List<PanoramaCanvas.Item> list, FrameStore store, int frame) {
        try {
            list.add(new PanoramaCanvas.Item(frame, store.read(frame), transforms.get(frame + 1)));
        } catch (FrameReadException e) {
            progress.lost(e.getMessage() + "; skipped");
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
