/* The thread that solves for poses (live_loops.h). It runs the first two stages of a panorama over the small copies. */
#include "live_loops.h"

#include "base/memory.h"
#include "live_session.h"

#include <stdio.h>
#include <string.h>

/* Kept frames from which on poses are solved for. */
#define LEAST 8

/* Frames that may be left to paint when a solution is handed over. */
#define LEFT 2

void live_loops_init(live_loops *l, struct endo_live *live) {
    l->live = live;
    l->due = LEAST;
    pthread_cond_init(&l->changed, NULL);
}

void live_solution_destroy(live_solution **solution) {
    live_solution *s = *solution;
    *solution = NULL;
    if (!s) return;
    live_pictures_free(&s->pictures);
    endo_free(s->frames);
    endo_free(s);
}

static int is_ending(void *loops) {
    live_loops *l = loops;
    pthread_mutex_lock(&l->live->lock);
    int ending = l->ending;
    pthread_mutex_unlock(&l->live->lock);
    return ending;
}

/* ------------------------------------------------------------------------ solving */

static const void *lend(void *user, int32_t frame, char *reason) {
    live_copies copies = live_session_copies(user);
    const void *small = copies.lend(copies.user, frame);
    if (!small) snprintf(reason, ENDO_REASON_SIZE, "%s", endo_last_error());
    return small;
}

static void give_back(void *user, int32_t frame, const void *small) {
    live_copies copies = live_session_copies(user);
    copies.give_back(copies.user, frame, small);
}

/* Poses alone, by one thread, of frames as the preview shows them: with the distortion of their lens. */
static endo_mosaic_options solving_options(const endo_live *live) {
    endo_mosaic_options o = live->options.mosaic;
    o.context = (endo_context_options){.backend = ENDO_BACKEND_CPU, .threads = 1, .cpu = live->context.cpu};
    o.picture = 0;
    o.pattern = 0;
    o.lens = 0;
    o.extras = 0;
    o.light = 0;
    o.relief = ENDO_MOSAIC_RELIEF_NONE;
    o.memory = o.memory / 8 > 1 << 20 ? o.memory / 8 : 1 << 20;
    o.scratch = NULL;
    if (o.field == ENDO_MOSAIC_FIELD_MASK) o.mask = live->field.mask;
    return o;
}

static endo_status solve(live_loops *l, int n, live_solution *out) {
    endo_live *live = l->live;
    endo_mosaic_options options = solving_options(live);
    const endo_mosaic_hooks hooks = {.cancelled = is_ending, .user = l};
    const endo_mosaic_source source = {
        .frames = n,
        .width = live->reducer.small.width,
        .height = live->reducer.small.height,
        .type = live->reducer.type,
        .lend = lend,
        .give_back = give_back,
        .user = live,
        .at_hand = 1,
    };
    endo_mosaic *mosaic = NULL;
    ENDO_TRY(endo_mosaic_create(&options, &hooks, &mosaic));
    endo_status status = endo_mosaic_run(mosaic, &source);
    out->frames = status == ENDO_OK ? endo_alloc((size_t)n, sizeof *out->frames) : NULL;
    if (status == ENDO_OK && !out->frames) status = endo_fail(ENDO_ERR_MEMORY, "no memory for poses of %d frames", n);
    if (status == ENDO_OK) memcpy(out->frames, endo_mosaic_frames(mosaic, NULL), (size_t)n * sizeof *out->frames);
    out->n = n;
    endo_mosaic_destroy(&mosaic);
    return status;
}

/* ----------------------------------------------------------------------- painting */

/* A context of the thread's own, and a store of one frame. */
typedef struct live_painter {
    endo_context *context;
    endo_frames *frames;
} live_painter;

static endo_status open_painter(live_loops *l, live_painter *painter) {
    endo_live *live = l->live;
    const endo_context_options one = {.backend = ENDO_BACKEND_CPU, .threads = 1, .cpu = live->context.cpu};
    ENDO_TRY(endo_context_create(&one, &painter->context));
    pthread_mutex_lock(&live->lock);
    endo_frames_options options = live_store_options(&live->options.mosaic, &live->field, live->reducer.factor, 1);
    endo_status status = endo_frames_create(painter->context, &options, &painter->frames);
    pthread_mutex_unlock(&live->lock);
    return status;
}

static void close_painter(live_painter *painter) {
    endo_frames_destroy(&painter->frames);
    endo_context_destroy(&painter->context);
}

static endo_status paint_one(live_loops *l, live_painter *painter, const live_kept_frame *frame, live_solution *s) {
    live_copies copies = live_session_copies(l->live);
    live_tile tile;
    const void *small = copies.lend(copies.user, s->painted);
    if (!small) return ENDO_ERR_MEMORY;
    endo_status status = endo_frames_put(painter->frames, 0, small, l->live->reducer.small.width);
    copies.give_back(copies.user, s->painted, small);
    if (status != ENDO_OK) return status;
    ENDO_TRY(live_tile_paint(painter->context, painter->frames, s->pictures.type, 0, &frame->pose, &tile));
    status = live_pictures_add(&s->pictures, frame->component, &tile);
    live_tile_free(&tile);
    s->painted++;
    return status;
}

/* Copies the frames kept by now, with the poses that they will have. */
static endo_status copy_kept(live_loops *l, const live_solution *s, live_kept *out) {
    void *items = NULL;
    pthread_mutex_lock(&l->live->lock);
    const live_kept *kept = &l->live->kept;
    endo_status status = mosaic_reserve(&items, &out->capacity, kept->n, sizeof *out->items);
    if (status == ENDO_OK) memcpy(items, kept->items, (size_t)kept->n * sizeof *out->items);
    out->items = items;
    out->n = status == ENDO_OK ? kept->n : 0;
    pthread_mutex_unlock(&l->live->lock);
    if (status == ENDO_OK) live_kept_solve(out, s->frames, s->n);
    return status;
}

/* Paints all frames that are kept, also those that are while it paints, but for the last ones. */
static endo_status paint_all(live_loops *l, live_painter *painter, live_solution *s) {
    for (;;) {
        live_kept kept = {.items = NULL};
        endo_status status = copy_kept(l, s, &kept);
        int left = kept.n - s->painted;
        while (status == ENDO_OK && left > LEFT && s->painted < kept.n && !is_ending(l))
            status = paint_one(l, painter, &kept.items[s->painted], s);
        live_kept_free(&kept);
        if (status != ENDO_OK || left <= LEFT || is_ending(l)) return status;
    }
}

static endo_status make_solution(live_loops *l, int n, live_solution *s) {
    live_painter painter = {.context = NULL};
    ENDO_TRY(solve(l, n, s));
    pthread_mutex_lock(&l->live->lock);
    s->pictures = (live_pictures){.type = l->live->pictures.type, .most = l->live->pictures.most};
    pthread_mutex_unlock(&l->live->lock);
    endo_status status = open_painter(l, &painter);
    if (status == ENDO_OK) status = paint_all(l, &painter, s);
    close_painter(&painter);
    return status;
}

/* ------------------------------------------------------------------------- thread */

/* A failure is told with the next frame and leaves the preview as it is: the next solution may have more memory. */
static void work(live_loops *l, int n) {
    live_solution *s = endo_alloc_zeroed(1, sizeof *s);
    endo_status status = s ? make_solution(l, n, s) : endo_fail(ENDO_ERR_MEMORY, "no memory for a solution");
    pthread_mutex_lock(&l->live->lock);
    if (!l->ending) endo_outcome_keep(&l->failure, status);
    if (status == ENDO_OK && !l->ending) {
        live_solution *before = l->solution;
        l->solution = s;
        s = before;
    }
    pthread_mutex_unlock(&l->live->lock);
    live_solution_destroy(&s);
}

static void *run_thread(void *loops) {
    live_loops *l = loops;
    pthread_mutex_t *lock = &l->live->lock;
    pthread_mutex_lock(lock);
    while (!l->ending) {
        int n = l->live->kept.n;
        if (n < l->due || l->failure.status != ENDO_OK) {
            pthread_cond_wait(&l->changed, lock);
            continue;
        }
        l->due = n + n / 2;
        pthread_mutex_unlock(lock);
        work(l, n);
        pthread_mutex_lock(lock);
    }
    pthread_mutex_unlock(lock);
    return NULL;
}

void live_loops_kept(live_loops *l, int kept) {
    if (!l->live->options.loops || kept < l->due) return;
    if (!l->has_thread && pthread_create(&l->thread, NULL, run_thread, l) != 0) {
        l->due = kept + kept / 2;
        endo_outcome_keep(&l->failure, endo_fail(ENDO_ERR_MEMORY, "the system gives no more threads"));
        return;
    }
    l->has_thread = 1;
    pthread_cond_signal(&l->changed);
}

void live_loops_end(live_loops *l) {
    pthread_mutex_lock(&l->live->lock);
    l->ending = 1;
    pthread_cond_signal(&l->changed);
    pthread_mutex_unlock(&l->live->lock);
    if (l->has_thread) pthread_join(l->thread, NULL);
    l->has_thread = 0;
    live_solution_destroy(&l->solution);
}

void live_loops_free(live_loops *l) {
    live_loops_end(l);
    pthread_cond_destroy(&l->changed);
}
