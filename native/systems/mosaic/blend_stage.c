/* Solves for the light, then reads every frame and adds it twice to each band of a panorama that it reaches. What was painted
 * along the chain is kept until the blend is done (paint_stages.h). */
#include "paint_stages.h"

#include "base/memory.h"
#include "base/outcome.h"
#include "relief_search.h"

#include <stdio.h>

#define BATCH 8

struct blend_stage {
    mosaic_workspace *with;
    const endo_mosaic_frame *frames;
    placed_frames items; /* component after component */
    frame_weights weights;
    int settled;           /* items whose weights are settled */
    relief_search *relief; /* NULL: nothing asks for depth */
    placed_frames painted; /* frames on the canvases that are kept until the blend is done */
    int has_begun;
};

/* --------------------------------------------------------------- create, destroy */

static endo_status add_component(blend_stage *s, const mosaic_poses *poses, int component) {
    for (int i = poses_next(poses, component, 0); i >= 0; i = poses_next(poses, component, i + 1)) {
        const placed_frame item = {
            .frame = i,
            .slot = -1,
            .pose = *poses_pose(poses, i),
            .canvas = poses_canvas(poses, component),
        };
        ENDO_TRY(placed_add(&s->items, &item));
        frame_weights_set(&s->weights, i, poses_deviation(poses, i), poses_is_doubtful(poses, i));
    }
    return ENDO_OK;
}

static endo_status fill(blend_stage *s, const endo_mosaic_frame *frames, int n, const mosaic_poses *poses) {
    ENDO_TRY(frame_weights_create(n, &s->weights));
    for (int c = 1; c <= poses_components(poses); c++) ENDO_TRY(add_component(s, poses, c));
    return placed_add_registered(&s->painted, frames, n);
}

/* Frames that may lie elsewhere are not displaced, nor do they displace others. */
static endo_status plan_relief(blend_stage *s, const endo_mosaic_frame *frames, int n, const mosaic_poses *poses) {
    uint8_t *is_sure = endo_alloc((size_t)n, 1);
    if (!is_sure) return endo_fail(ENDO_ERR_MEMORY, "no memory for a list of %d frames", n);
    for (int i = 0; i < n; i++) is_sure[i] = !poses_is_doubtful(poses, i);
    endo_status status = relief_search_create(s->with, &s->items, frames, n, is_sure, &s->relief);
    endo_free(is_sure);
    return status;
}

endo_status blend_stage_create(mosaic_workspace *workspace, const endo_mosaic_frame *frames, int n, const mosaic_poses *poses,
                               blend_stage **out) {
    blend_stage *s = endo_alloc_zeroed(1, sizeof *s);
    if (!s) return endo_fail(ENDO_ERR_MEMORY, "no memory to blend %d frames", n);
    s->with = workspace;
    s->frames = frames;
    endo_status status = fill(s, frames, n, poses);
    int asks = workspace->light || workspace->options->relief == ENDO_MOSAIC_RELIEF_AUTO;
    if (status == ENDO_OK && asks) status = plan_relief(s, frames, n, poses);
    if (status == ENDO_OK)
        *out = s;
    else
        blend_stage_destroy(&s);
    return status;
}

void blend_stage_destroy(blend_stage **stage) {
    blend_stage *s = *stage;
    *stage = NULL;
    if (!s) return;
    relief_search_destroy(&s->relief);
    placed_free(&s->items);
    placed_free(&s->painted);
    frame_weights_free(&s->weights);
    endo_free(s);
}

/* -------------------------------------------------------------------------- asked */

static int light_is_unknown(const blend_stage *s) {
    const light_of_scope *light = s->with->light;
    return light && !light_of_scope_is_solved(light);
}

static int relief_is_unknown(const blend_stage *s) { return s->relief && !relief_search_is_done(s->relief); }

static int done(void *stage) {
    const blend_stage *s = stage;
    return s->has_begun ? canvases_blend_is_done(s->with->canvases) : s->items.n == 0;
}

static double share(void *stage) {
    const blend_stage *s = stage;
    return s->has_begun ? canvases_blend_share(s->with->canvases) : 0;
}

static void where(void *stage, char *out, size_t size) {
    snprintf(out, size, "%s",
             relief_is_unknown(stage)  ? "looking for depth"
             : light_is_unknown(stage) ? "solving for the light"
                                       : "blending");
}

static endo_status painted(void *stage, placed_frames *out) {
    const blend_stage *s = stage;
    return placed_append(out, s->painted.items, s->painted.n);
}

/* -------------------------------------------------------------------------- steps */

static endo_status solve_for_light(blend_stage *s) {
    double start = mosaic_seconds();
    ENDO_TRY(light_of_scope_solve(s->with->light, &s->items, s->with->events));
    s->with->times.light += mosaic_seconds() - start;
    return ENDO_OK;
}

/* Weights are settled within a component, for another component shows another scene. */
static endo_status settle_next(blend_stage *s, int *frames) {
    const placed_frame *items = s->items.items + s->settled;
    int n = 0;
    while (s->settled + n < s->items.n && items[n].canvas == items[0].canvas) {
        frames[n] = items[n].frame;
        n++;
    }
    ENDO_TRY(frame_weights_settle(&s->weights, frames, n, s->with->sharp));
    s->settled += n;
    return ENDO_OK;
}

static endo_status settle_weights(blend_stage *s) {
    int *frames = endo_alloc((size_t)s->items.n, sizeof *frames);
    endo_status status = ENDO_OK;
    if (!frames) return endo_fail(ENDO_ERR_MEMORY, "no memory for a list of %d frames that are weighed", s->items.n);
    while (status == ENDO_OK && s->settled < s->items.n) status = settle_next(s, frames);
    endo_free(frames);
    return status;
}

static endo_status begin(blend_stage *s) {
    mosaic_workspace *w = s->with;
    ENDO_TRY(settle_weights(s));
    ENDO_TRY(canvases_start_blending(w->canvases, &s->items, w->light, &s->weights, s->frames));
    s->has_begun = 1;
    const char *full = canvases_full(w->canvases);
    if (full) events_say_once(w->events, ENDO_EVENT_LOG, ENDO_EVENT_FULL, -1, -1, "%s", full);
    return ENDO_OK;
}

/* Adds some frames of the present pass, or ends the pass. */
static endo_status add_frames(blend_stage *s) {
    mosaic_workspace *w = s->with;
    const placed_frame *next = NULL;
    if (!canvases_has_band(w->canvases)) ENDO_TRY(canvases_begin_band(w->canvases));
    int n = canvases_band_next(w->canvases, BATCH, &next);
    if (n == 0) return canvases_band_end_pass(w->canvases);
    ENDO_TRY(placed_append(&w->waiting, next, n));
    ENDO_TRY(workspace_paint_waiting(w, NULL, 0));
    canvases_band_passed(w->canvases, n - w->waiting.n);
    w->waiting.n = 0;
    return ENDO_OK;
}

/* Memory is saved by adding fewer frames at once, first of all. */
static int is_halved(blend_stage *s, const endo_outcome *why) {
    int rows = why->status == ENDO_ERR_MEMORY ? canvases_halve_bands(s->with->canvases) : 0;
    if (rows > 0)
        events_say(s->with->events, ENDO_EVENT_LOG, ENDO_EVENT_MEMORY, -1, -1,
                   "out of memory while blending (%s); going on with %d rows of the panorama at once", why->message, rows);
    return rows > 0;
}

static endo_status blend_more(blend_stage *s) {
    endo_outcome why;
    endo_outcome_keep(&why, add_frames(s));
    if (why.status == ENDO_OK) return ENDO_OK;
    s->with->waiting.n = 0;
    canvases_drop_band(s->with->canvases);
    if (!workspace_keeps_frames(s->with) && is_halved(s, &why)) return ENDO_OK;
    return endo_fail(why.status, "%s", why.message);
}

static endo_status step(void *stage) {
    blend_stage *s = stage;
    mosaic_workspace *w = s->with;
    if (!s->has_begun) ENDO_TRY(workspace_await_observers(w));
    if (!s->has_begun && relief_is_unknown(s)) return relief_search_step(s->relief);
    if (light_is_unknown(s)) return solve_for_light(s);
    if (!s->has_begun || !canvases_has_band(w->canvases)) ENDO_TRY(workspace_paint_waiting(w, NULL, 0));
    if (!s->has_begun) ENDO_TRY(begin(s));
    return done(s) ? ENDO_OK : blend_more(s);
}

static const mosaic_stage_calls calls = {
    .done = done,
    .step = step,
    .share = share,
    .where = where,
    .painted = painted,
};

mosaic_stage blend_stage_calls(blend_stage *stage) { return (mosaic_stage){.calls = &calls, .self = stage}; }

int blend_stage_finish(blend_stage *s) {
    int all = done(s);
    s->with->waiting.n = 0;
    if (all) return 1;
    canvases_drop_blending(s->with->canvases);
    s->has_begun = 0;
    return 0;
}
