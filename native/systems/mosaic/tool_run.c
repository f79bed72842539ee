/* Opens, runs and closes a run without panoramas (tool_run.h). */
#include "tool_run.h"

#include <stdio.h>

/* Frames are read once, and nothing is blended. */
static endo_mosaic_options without_panoramas(const endo_mosaic_options *o, const endo_pairs_options *pairs) {
    endo_mosaic_options options = *o;
    options.solve = 0;
    options.painting = ENDO_MOSAIC_UNION;
    if (pairs) options.pairs = *pairs;
    return options;
}

endo_status tool_run_open(tool_run *run, endo_mosaic *mosaic, const endo_mosaic_source *source, const tool_use *use) {
    *run = (tool_run){.mosaic = mosaic, .options = without_panoramas(&mosaic->options, use->pairs)};
    workspace_setup setup = {
        .options = &run->options,
        .events = &mosaic->events,
        .source = source,
        .matches = use->matches,
        .compares = use->compares,
        .drops_pixels = !use->paints,
        .most_slots = use->most_slots,
        .passes = use->passes,
        .faults = mosaic->faults,
    };
    ENDO_TRY(workspace_open(&setup, &run->workspace));
    snprintf(mosaic->backend, sizeof mosaic->backend, "%s", run->workspace->computing.description);
    return ENDO_OK;
}

endo_status tool_run_stage(tool_run *run, const mosaic_stage *stage) {
    stage_runner runner = {.workspace = run->workspace, .stages = 1};
    ENDO_TRY(stage_runner_run(&runner, stage));
    return stage->calls->done(stage->self) ? ENDO_OK : endo_fail(ENDO_CANCELLED, "cancelled");
}

void tool_run_close(tool_run *run) {
    endo_mosaic *m = run->mosaic;
    mosaic_workspace *w = run->workspace;
    if (!w) return;
    field_of_view_free(&m->field);
    m->field = w->field;
    w->field = (field_of_view){0};
    m->times = w->times;
    snprintf(m->backend, sizeof m->backend, "%s", w->computing.description);
    workspace_close(&run->workspace);
}

endo_status tool_run_ask(tool_run *run, int frame, const char *fate, int *slot) {
    mosaic_workspace *w = run->workspace;
    ENDO_TRY(frame_store_ask(w->store, frame, slot));
    if (*slot < 0)
        events_say_once(w->events, ENDO_EVENT_LOST, ENDO_EVENT_UNREADABLE, frame, frame, "%s; %s", sequence_reason(w->sequence),
                        fate);
    return ENDO_OK;
}
