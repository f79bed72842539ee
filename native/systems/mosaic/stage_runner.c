/* Runs the stages of a run; what fails is tried again with less memory, or on another back end. */
#include "workspace.h"

static endo_status step(void *job) {
    const mosaic_stage *stage = job;
    return stage->calls->step(stage->self);
}

static endo_status await_observers(void *workspace) { return workspace_await_observers(workspace); }

static void tell(const stage_runner *runner, const mosaic_stage *stage) {
    events_progress(runner->workspace->events, (runner->done + stage->calls->share(stage->self)) / runner->stages);
}

static endo_status run(stage_runner *runner, const mosaic_stage *stage) {
    mosaic_workspace *w = runner->workspace;
    while (!stage->calls->done(stage->self)) {
        if (events_cancelled(w->events)) return ENDO_OK;
        endo_context_set_cancel(w->computing.context, w->events->hooks.cancelled, w->events->hooks.user);
        ENDO_TRY(workspace_persist(w, stage, step, (void *)stage));
        tell(runner, stage);
    }
    return workspace_persist(w, stage, await_observers, w);
}

endo_status stage_runner_run(stage_runner *runner, const mosaic_stage *stage) {
    endo_status status = run(runner, stage);
    endo_context_set_cancel(runner->workspace->computing.context, NULL, NULL);
    if (status != ENDO_OK && status != ENDO_CANCELLED) return status;
    runner->done++;
    return ENDO_OK;
}
