/* Frames that are registered and not yet painted. Where the panorama is painted anew at the end and the caller shows no live
 * picture, painting waits until a picture is asked for. */
#include "workspace_state.h"

#include <string.h>

/* Pixels whose painting may wait, for each thread, and on a device: after a cancel somebody waits for it, and on a CPU it takes
 * a twentieth of a second to copy so many and to paint them, four times that where other programs run. Frames that stay in a
 * device's memory need not be copied. */
#define DEFERRED_PIXELS 40000000
#define DEVICE_PIXELS 4000000000
#define STAYING_PIXELS 16000000000
/* Pixels of deferred frames that are painted together, for each thread of a CPU: the next ones are copied to the same memory,
 * which takes less time than fresh memory does. */
#define TOGETHER_PIXELS INT64_C(4000000)

endo_status paint_queue_begin_anew(mosaic_workspace *w, const mosaic_stage *stage) {
    w->state->deferred.n = 0;
    w->state->n_painted = 0;
    w->waiting.n = 0;
    return stage && stage->calls->painted ? stage->calls->painted(stage->self, &w->waiting) : ENDO_OK;
}

/* ---------------------------------------------------------------------- painting */

/* Sets what frames are read for from now on, where they do not stay in the store for other uses; on a device they may stay. */
static endo_status ask_store_for(mosaic_workspace *w, int uses) {
    int stay = workspace_on_device(w) || frame_store_capacity(w->store) >= sequence_count(w->sequence);
    return frame_store_ask_for(w->store, stay ? ENDO_USE_ANY : uses);
}

static void say_unreadable(mosaic_workspace *w, int frame) {
    const char *reason = sequence_reason(w->sequence);
    if (w->state->matches)
        events_say(w->events, ENDO_EVENT_LOG, ENDO_EVENT_UNREADABLE, frame, frame, "%s again; not painted", reason);
    else
        events_say_once(w->events, ENDO_EVENT_LOST, ENDO_EVENT_UNREADABLE, frame, frame, "%s; skipped", reason);
}

/* Reads a frame for painting, if it can be read. */
static endo_status add(mosaic_workspace *w, const placed_frame *item, placed_frames *items) {
    placed_frame added = *item;
    ENDO_TRY(frame_store_ask(w->store, item->frame, &added.slot));
    if (added.slot >= 0) return placed_add(items, &added);
    say_unreadable(w, item->frame);
    return ENDO_OK;
}

static endo_status paint(mosaic_workspace *w, const placed_frames *items) {
    endo_frames *frames = NULL;
    double start = mosaic_seconds();
    endo_status status = frame_store_frames(w->store, &frames);
    if (status == ENDO_OK) status = canvases_paint(w->canvases, frames, items->items, items->n);
    if (status != ENDO_OK) return status;
    w->times.paint += mosaic_seconds() - start;
    const char *full = workspace_full(w);
    if (full) events_say_once(w->events, ENDO_EVENT_LOG, ENDO_EVENT_FULL, -1, -1, "%s", full);
    return ENDO_OK;
}

/* Adds to `items` the listed frames from `from` to before `to`, or as many as the store holds at once; returns their number. */
static endo_status add_some(mosaic_workspace *w, const placed_frames *list, int from, int to, placed_frames *items, int *n) {
    for (*n = 0; from + *n < to; ++*n) {
        const placed_frame *item = &list->items[from + *n];
        if (*n > 0 && !frame_store_holds(w->store, item->frame) && !frame_store_has_room(w->store)) break;
        ENDO_TRY(add(w, item, items));
    }
    return ENDO_OK;
}

/* Paints some of the listed frames from `from` to before `to`, *n of them. uses: what frames not in the store are read for. */
static endo_status paint_some(mosaic_workspace *w, const placed_frames *list, int from, int to, int uses, int *n) {
    placed_frames items = {0};
    ENDO_TRY(workspace_need_store(w));
    ENDO_TRY(ask_store_for(w, uses));
    endo_status status = add_some(w, list, from, to, &items, n);
    if (status == ENDO_OK) status = paint(w, &items);
    placed_free(&items);
    return status;
}

/* --------------------------------------------------------------------- deferring */

/* Returns whether painting of the waiting frames can be deferred, and would still be quick. */
static int can_defer(mosaic_workspace *w) {
    struct workspace_state *s = w->state;
    mosaic_size size = sequence_size(w->sequence);
    int64_t area = (int64_t)size.width * size.height;
    int64_t threads = endo_context_threads(w->computing.context);
    int stays = workspace_keeps_all(w);
    int64_t most = threads * DEFERRED_PIXELS;
    if (workspace_on_device(w)) most = stays ? STAYING_PIXELS : DEVICE_PIXELS;
    for (int i = 0; i < w->waiting.n; i++)
        s->defers = s->defers && (stays || sequence_is_at_hand(w->sequence, w->waiting.items[i].frame));
    s->defers = s->defers && area * ((int64_t)s->deferred.n + w->waiting.n) <= most;
    return s->defers;
}

static endo_status defer(mosaic_workspace *w, const int *held, int n) {
    ENDO_TRY(placed_append(&w->state->deferred, w->waiting.items, w->waiting.n));
    w->waiting.n = 0;
    frame_store_keep_only(w->store, held, n);
    return ask_store_for(w, ENDO_USE_MATCHING);
}

/* How many of the deferred frames are painted together. */
static int most_together(mosaic_workspace *w) {
    mosaic_size size = sequence_size(w->sequence);
    int64_t most = endo_context_threads(w->computing.context) * TOGETHER_PIXELS / ((int64_t)size.width * size.height);
    if (workspace_on_device(w) || most > w->state->deferred.n) return w->state->deferred.n;
    return most < 1 ? 1 : (int)most;
}

/* After a failure it goes on where it failed; the list stays until all are painted, so that they may be painted anew. */
static endo_status paint_deferred(mosaic_workspace *w, int uses, const int *held, int n_held) {
    struct workspace_state *s = w->state;
    s->defers = 0;
    while (s->n_painted < s->deferred.n) {
        int n;
        int64_t end = (int64_t)s->n_painted + most_together(w);
        ENDO_TRY(paint_some(w, &s->deferred, s->n_painted, end < s->deferred.n ? (int)end : s->deferred.n, uses, &n));
        s->n_painted += n;
        frame_store_keep_only(w->store, held, n_held);
    }
    s->deferred.n = 0;
    s->n_painted = 0;
    return ENDO_OK;
}

/* Frames that were painted as they came are not displaced: the store is without displacements meanwhile. */
static endo_status paint_deferred_plain(mosaic_workspace *w) {
    const frame_displacements displacements = w->displacements;
    int is_displaced = displacements.moves && w->store;
    if (is_displaced) ENDO_TRY(frame_store_forget(w->store));
    memset(&w->displacements, 0, sizeof w->displacements);
    endo_status status = paint_deferred(w, ENDO_USE_PAINTING, NULL, 0);
    if (is_displaced && status == ENDO_OK) status = frame_store_forget(w->store);
    w->displacements = displacements;
    return status;
}

/* No frame is held, so that frames are read for painting only: reading for matching takes several times as long, and after a
 * cancel the caller waits. */
endo_status workspace_paint_deferred(mosaic_workspace *w) {
    if (!w->state->deferred.n) {
        w->state->defers = 0;
        return ENDO_OK;
    }
    ENDO_TRY(paint_deferred_plain(w));
    return ask_store_for(w, ENDO_USE_ANY);
}

endo_status workspace_paint_waiting(mosaic_workspace *w, const int *held, int n) {
    ENDO_TRY(workspace_need_store(w));
    if (!w->state->paints) {
        w->waiting.n = 0;
        frame_store_keep_only(w->store, held, n);
        return ENDO_OK;
    }
    if (!canvases_is_blending(w->canvases)) {
        if (can_defer(w)) return defer(w, held, n);
        ENDO_TRY(paint_deferred(w, canvases_uses(w->canvases), held, n));
    }
    do {
        int painted;
        ENDO_TRY(paint_some(w, &w->waiting, 0, w->waiting.n, canvases_uses(w->canvases), &painted));
        placed_remove_first(&w->waiting, painted);
        frame_store_keep_only(w->store, held, n);
    } while (w->waiting.n && !events_cancelled(w->events));
    return ENDO_OK;
}
