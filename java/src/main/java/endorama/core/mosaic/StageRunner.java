package endorama.core.mosaic;

import endorama.core.common.Progress;
import endorama.jni.EndoramaException;

/** Goes through the stages of a run; what fails is tried again with less, or elsewhere. */
final class StageRunner {
    private final MosaicResources with;
    private final Progress progress;
    private final int stages;
    private final int steps;
    private Stage stage;
    private int done;
    private int told;

    /** Of so many stages, each told as so many steps. */
    StageRunner(MosaicResources with, Progress progress, int stages, int steps) {
        this.with = with;
        this.progress = progress;
        this.stages = stages;
        this.steps = steps;
    }

    /** What the present stage is at, for people. */
    String where() {
        return stage.where();
    }

    /** Goes on to the end of a stage, or until the run is cancelled. */
    void run(Stage next) {
        stage = next;
        try {
            while (!stage.done() && !progress.cancelled()) {
                with.backEnd().setCancel(progress);
                persist(stage::step);
                tell();
            }
        } catch (EndoramaException e) {
            if (e.status() != EndoramaException.Status.CANCELLED) {
                throw e;
            }
        } finally {
            with.backEnd().setCancel(null);
        }
        done++;
    }

    /** Never less than before. */
    private void tell() {
        told = Math.max(told, (int) Math.round((done + stage.share()) * steps));
        progress.progress(told, stages * steps);
    }

    /** All of it is done. */
    void tellEnd() {
        progress.progress(stages * steps, stages * steps);
    }

    /** Does some work of the stage. */
    void persist(Runnable work) {
        while (true) {
            try {
                work.run();
                return;
            } catch (EndoramaException e) {
                if (!with.recover(e, stage)) {
                    throw e;
                }
            }
        }
    }
}
