/* Panoramas whose frames have moved are painted again, each frame in its solved pose, the doubtful ones under the good ones.
 * Until that is done those painted along the chain are kept (paint_stages.h). */
#include "paint_stages.h"

#include "base/memory.h"
#include "edges.h"
#include "numbers.h"

#include <stdio.h>

/* Least motion of a pose, px, that is worth painting again. */
#define VISIBLE 0.05
#define BATCH 8

/* Canvases of the components whose frames have not moved. */
typedef struct kept_canvases {
    int *items;
    int n;
    int capacity;
} kept_canvases;

struct paint_stage {
    mosaic_workspace *with;
    placed_frames items;
    kept_canvases kept;
    int is_first;  /* nothing was painted before, so that an incomplete result counts */
    int has_begun; /* on empty canvases; previous ones are set aside */
    int painted;
};

/* ------------------------------------------------------------------------- items */

static endo_status keep(kept_canvases *kept, int canvas) {
    ENDO_TRY(ARRAY_RESERVE(kept->items, kept->capacity, kept->n + 1));
    kept->items[kept->n++] = canvas;
    return ENDO_OK;
}

static int has_moved(const endo_mosaic_frame *frames, const mosaic_poses *poses, int component, mosaic_size size) {
    for (int i = poses_next(poses, component, 0); i >= 0; i = poses_next(poses, component, i + 1)) {
        int is_other_canvas = frames[i].chain != poses_canvas(poses, component);
        if (is_other_canvas || frame_corner_distance(size, &frames[i].pose, poses_pose(poses, i)) > VISIBLE) return 1;
    }
    return 0;
}

static endo_status add(placed_frames *items, const mosaic_poses *poses, int frame) {
    const placed_frame item = {
        .frame = frame,
        .slot = -1,
        .pose = *poses_pose(poses, frame),
        .canvas = poses_canvas(poses, poses_component(poses, frame)),
    };
    return placed_add(items, &item);
}

static endo_status add_those(placed_frames *items, const mosaic_poses *poses, int component, int doubtful) {
    for (int i = poses_next(poses, component, 0); i >= 0; i = poses_next(poses, component, i + 1))
        if (poses_is_doubtful(poses, i) == doubtful) ENDO_TRY(add(items, poses, i));
    return ENDO_OK;
}

/* Chooses the frames that are painted again; in other components the poses of the chain stay. */
static endo_status choose(const endo_mosaic_frame *frames, mosaic_poses *poses, const endo_mosaic_options *options,
                          mosaic_size size, placed_frames *items, kept_canvases *kept) {
    /* UNION shows the frame that was painted last. */
    int doubtful_first = options->painting == ENDO_MOSAIC_UNION;
    for (int c = 1; c <= poses_components(poses); c++) {
        int doubts = options->solve && poses_has_doubts(poses, c);
        if (doubts || has_moved(frames, poses, c, size)) {
            ENDO_TRY(add_those(items, poses, c, doubtful_first));
            ENDO_TRY(add_those(items, poses, c, !doubtful_first));
        } else {
            /* The poses must be exactly those that were painted. */
            ENDO_TRY(keep(kept, poses_canvas(poses, c)));
            poses_keep_chained(poses, c);
        }
    }
    return ENDO_OK;
}

typedef struct ordered_frame {
    int order;
    int frame;
} ordered_frame;

static int by_order(const void *a, const void *b) {
    const ordered_frame *one = a;
    const ordered_frame *other = b;
    return (one->order > other->order) - (one->order < other->order);
}

static endo_status choose_all(const endo_mosaic_frame *frames, int n, const mosaic_poses *poses, placed_frames *items) {
    ordered_frame *all = endo_alloc(2 * (size_t)n, sizeof *all);
    if (!all) return endo_fail(ENDO_ERR_MEMORY, "no memory for the order of %d frames", n);
    for (int i = 0; i < n; i++) all[i] = (ordered_frame){.order = frames[i].order, .frame = i};
    sort_in_order(all, all + n, (size_t)n, sizeof *all, by_order);
    endo_status status = ENDO_OK;
    for (int i = 0; status == ENDO_OK && i < n; i++)
        if (poses_component(poses, all[i].frame) > 0) status = add(items, poses, all[i].frame);
    endo_free(all);
    return status;
}

endo_status paint_stage_put_order(endo_mosaic_frame *frames, int n, mosaic_poses *poses, const endo_mosaic_options *options,
                                  mosaic_size size) {
    placed_frames items = {0};
    kept_canvases kept = {0};
    (void)n;
    endo_status status = choose(frames, poses, options, size, &items, &kept);
    for (int i = 0; status == ENDO_OK && i < items.n; i++) frames[items.items[i].frame].order = i + 1;
    endo_free(kept.items);
    placed_free(&items);
    return status;
}

/* --------------------------------------------------------------- create, destroy */

static endo_status make(mosaic_workspace *workspace, paint_stage **out) {
    paint_stage *s = endo_alloc_zeroed(1, sizeof *s);
    if (!s) return endo_fail(ENDO_ERR_MEMORY, "no memory to paint frames again");
    s->with = workspace;
    *out = s;
    return ENDO_OK;
}

static endo_status give(paint_stage *s, endo_status status, paint_stage **out) {
    if (status == ENDO_OK)
        *out = s;
    else
        paint_stage_destroy(&s);
    return status;
}

endo_status paint_stage_create(mosaic_workspace *workspace, const endo_mosaic_frame *frames, int n, mosaic_poses *poses,
                               paint_stage **out) {
    paint_stage *s = NULL;
    mosaic_size size = sequence_size(workspace->sequence);
    (void)n;
    ENDO_TRY(make(workspace, &s));
    return give(s, choose(frames, poses, workspace->options, size, &s->items, &s->kept), out);
}

endo_status paint_stage_create_in_order(mosaic_workspace *workspace, const endo_mosaic_frame *frames, int n,
                                        const mosaic_poses *poses, paint_stage **out) {
    paint_stage *s = NULL;
    ENDO_TRY(make(workspace, &s));
    s->is_first = 1;
    return give(s, choose_all(frames, n, poses, &s->items), out);
}

void paint_stage_destroy(paint_stage **stage) {
    paint_stage *s = *stage;
    *stage = NULL;
    if (!s) return;
    placed_free(&s->items);
    endo_free(s->kept.items);
    endo_free(s);
}

/* -------------------------------------------------------------------------- steps */

static int done(void *stage) {
    const paint_stage *s = stage;
    return s->painted == s->items.n;
}

static double share(void *stage) {
    const paint_stage *s = stage;
    return s->items.n == 0 ? 1 : (double)s->painted / s->items.n;
}

static void where(void *stage, char *out, size_t size) {
    (void)stage;
    snprintf(out, size, "painting");
}

static endo_status painted(void *stage, placed_frames *out) {
    const paint_stage *s = stage;
    return placed_append(out, s->items.items, s->painted);
}

static endo_status begin(paint_stage *s) {
    ENDO_TRY(workspace_paint_deferred(s->with));
    ENDO_TRY(canvases_start_over(s->with->canvases, s->kept.items, s->kept.n));
    s->has_begun = 1;
    return ENDO_OK;
}

/* Frames that wait are not painted after a cancel. */
static endo_status step(void *stage) {
    paint_stage *s = stage;
    mosaic_workspace *w = s->with;
    int rest = s->items.n - s->painted;
    int n = rest < BATCH ? rest : BATCH;
    if (!s->has_begun) ENDO_TRY(begin(s));
    w->waiting.n = 0;
    ENDO_TRY(placed_append(&w->waiting, s->items.items + s->painted, n));
    ENDO_TRY(workspace_paint_waiting(w, NULL, 0));
    s->painted += n - w->waiting.n;
    return ENDO_OK;
}

static const mosaic_stage_calls calls = {
    .done = done,
    .step = step,
    .share = share,
    .where = where,
    .painted = painted,
};

mosaic_stage paint_stage_calls(paint_stage *stage) { return (mosaic_stage){.calls = &calls, .self = stage}; }

int paint_stage_finish(paint_stage *s) {
    int all = done(s);
    if (!s->has_begun) return all;
    s->with->waiting.n = 0;
    if (all || s->is_first)
        canvases_keep_new(s->with->canvases);
    else
        canvases_take_back(s->with->canvases);
    s->has_begun = 0;
    return all;
}
