/* Shows frames to the observers of light and sharpness if they are not read otherwise before painting (paint_stages.h). */
#include "paint_stages.h"

#include "base/memory.h"
#include "workspace_state.h"

#include <stdio.h>
#include <string.h>

struct observe_stage {
    mosaic_workspace *with;
    int *frames; /* without those found unreadable */
    int n;
    int seen;    /* number of frames shown, from the first on */
};

endo_status observe_stage_create(mosaic_workspace *workspace, const int *frames, int n, observe_stage **out) {
    observe_stage *s = endo_alloc_zeroed(1, sizeof *s);
    if (s) s->frames = endo_alloc((size_t)n, sizeof *s->frames);
    if (!s || !s->frames) {
        observe_stage_destroy(&s);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for a list of %d frames that are looked at", n);
    }
    s->with = workspace;
    s->n = n;
    if (n) memcpy(s->frames, frames, (size_t)n * sizeof *frames);
    *out = s;
    return ENDO_OK;
}

void observe_stage_destroy(observe_stage **stage) {
    observe_stage *s = *stage;
    *stage = NULL;
    if (!s) return;
    endo_free(s->frames);
    endo_free(s);
}

static int done(void *stage) {
    const observe_stage *s = stage;
    int nobody_looks = !s->with->light && !s->with->sharp;
    return nobody_looks || s->seen == s->n;
}

static double share(void *stage) {
    const observe_stage *s = stage;
    return done(stage) ? 1 : (double)s->seen / s->n;
}

static void where(void *stage, char *out, size_t size) {
    const observe_stage *s = stage;
    if (done(stage))
        snprintf(out, size, "reading");
    else
        snprintf(out, size, "frame %d", frame_number(s->with->events->numbers, s->frames[s->seen]));
}

/* Removes the frame that comes next. */
static void leave_out(observe_stage *s) {
    int frame = s->frames[s->seen];
    events_say_once(s->with->events, ENDO_EVENT_LOST, ENDO_EVENT_UNREADABLE, frame, frame, "%s; skipped",
                    sequence_reason(s->with->sequence));
    s->n--;
    memmove(s->frames + s->seen, s->frames + s->seen + 1, (size_t)(s->n - s->seen) * sizeof *s->frames);
}

static endo_status step(void *stage) {
    observe_stage *s = stage;
    int slot;
    ENDO_TRY(workspace_need_store(s->with));
    ENDO_TRY(frame_store_read(s->with->store, s->frames[s->seen], &slot));
    if (slot < 0)
        leave_out(s);
    else
        s->seen++;
    frame_store_keep_only(s->with->store, NULL, 0);
    return ENDO_OK;
}

static const mosaic_stage_calls calls = {
    .done = done,
    .step = step,
    .share = share,
    .where = where,
};

mosaic_stage observe_stage_calls(observe_stage *stage) { return (mosaic_stage){.calls = &calls, .self = stage}; }
