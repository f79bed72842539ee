/* Back end, field, store and canvases of a run, and recovery from failures (workspace.h). */
#include "workspace_state.h"

#include "base/memory.h"
#include "base/openmp.h"
#include "scene_layers.h"
#include "store_sizes.h"

#include <stdio.h>
#include <string.h>

/* Kept frames, which will be asked for again, take one part in this many of the memory at most. */
#define KEPT_SHARE 4
/* Window and limit of the equalization for matching. Of windows from 31 to 255 and limits none, 2 and 4 these gave the best
 * quality on darkened sequences, and cost least on well-lit ones: a higher limit raises noise to texture. */
#define ENHANCE_WINDOW 127
#define ENHANCE_LIMIT 2

/* Highlights stand still with the scope, so that spectra would find them first. */
static int leaves_out_highlights(const endo_mosaic_options *o) {
    return o->highlights || o->pairs.initial == ENDO_INITIAL_FOURIER;
}

/* Frames are read again when poses are solved for, or for both passes of a blend. */
static int reads_twice(const endo_mosaic_options *o) { return o->solve || o->painting == ENDO_MOSAIC_BLEND; }

static int takes_ahead(const mosaic_workspace *w) { return workspace_on_device(w) || w->faults.ahead; }

int workspace_on_device(const mosaic_workspace *w) { return w->computing.kind == ENDO_BACKEND_CUDA; }

static int processors(const mosaic_workspace *w) {
    int threads = w->options->context.threads;
    return threads > 0 ? threads : omp_get_num_procs();
}

/* ------------------------------------------------------------------------- sizes */

static store_sizes sizes_of(const mosaic_workspace *w) {
    return (store_sizes){
        .size = sequence_size(w->sequence),
        .type = sequence_type(w->sequence),
        .frames = sequence_count(w->sequence),
        .processors = omp_get_num_procs(),
        .on_device = workspace_on_device(w),
        .devices = w->options->context.n_devices,
    };
}

static void choose_slots(mosaic_workspace *w) {
    store_sizes sizes = sizes_of(w);
    if (sizes.on_device) sizes.device_memory = back_end_free_memory(&w->computing);
    w->state->slots = store_sizes_slots(&sizes);
    w->state->kept = store_sizes_kept(&sizes, takes_ahead(w), reads_twice(w->options));
    if (!w->state->most_slots) return;
    if (w->state->slots > w->state->most_slots) w->state->slots = w->state->most_slots;
    w->state->kept = 0;
}

int workspace_largest_chunk(const mosaic_workspace *w) {
    return store_sizes_chunk(w->store ? frame_store_capacity(w->store) : STORE_LEAST_SLOTS);
}

int workspace_first_chunk(const mosaic_workspace *w) {
    store_sizes sizes = sizes_of(w);
    int first = store_sizes_first_chunk(&sizes);
    int largest = workspace_largest_chunk(w);
    return first < largest ? first : largest;
}

int workspace_pairs_a_step(const mosaic_workspace *w) {
    return store_sizes_pairs(workspace_on_device(w), endo_context_threads(w->computing.context));
}

int workspace_keeps_frames(const mosaic_workspace *w) { return w->state->kept > 0; }

int workspace_keeps_all(const mosaic_workspace *w) {
    const struct workspace_state *s = w->state;
    if (s->slots + s->kept >= sequence_count(w->sequence)) return 1;
    return w->store && frame_store_unused(w->store) >= s->slots;
}

/* ------------------------------------------------------------------------- store */

endo_status workspace_need_store(const mosaic_workspace *w) {
    return w->store ? ENDO_OK : endo_fail(w->state->failure.status, "%s", w->state->failure.message);
}

endo_frames_options workspace_store_options(const mosaic_workspace *w, int capacity) {
    const endo_mosaic_options *o = w->options;
    endo_frames_options options = field_of_view_options(&w->field, sequence_type(w->sequence), capacity);
    options.rim = o->rim;
    options.keep_pixels = !w->state->drops_pixels;
    options.flow = w->state->matches && o->pairs.initial == ENDO_INITIAL_FLOW;
    if (!w->state->matches && !w->state->follows) return options;
    options.iir = o->iir;
    options.highlights = o->pairs.method == ENDO_METHOD_BEST ? ENDO_HIGHLIGHTS_REFINING : 0;
    if (leaves_out_highlights(o)) options.highlights = 1;
    if (o->enhance) {
        options.enhance = ENHANCE_WINDOW;
        options.enhance_limit = ENHANCE_LIMIT;
    }
    return options;
}

static endo_status make_store(mosaic_workspace *w) {
    endo_frames_options options = workspace_store_options(w, w->state->slots + w->state->kept);
    frame_store_setup setup = {
        .context = w->computing.context,
        .sequence = w->sequence,
        .options = &options,
        .used = w->state->slots,
        .keeps = 1,
        .observers = w->state->observers,
        .displacements = &w->displacements,
        .devices = workspace_on_device(w) ? w->options->context.n_devices : 1,
        .threads = processors(w),
        .reading = &w->times.read,
        .putting = &w->times.put,
    };
    return frame_store_create(&setup, &w->store);
}

static void close_store(mosaic_workspace *w, const endo_outcome *why) {
    w->state->failure = *why;
    frame_store_destroy(&w->store);
}

endo_status workspace_expect(mosaic_workspace *w, int first, int end) {
    if (!takes_ahead(w)) return ENDO_OK;
    ENDO_TRY(workspace_need_store(w));
    return frame_store_expect(w->store, first, end);
}

/* ---------------------------------------------------------------------- failures */

/* Reduces the store, kept frames first; 0: it cannot be smaller. */
static int shrink(mosaic_workspace *w, const endo_outcome *why) {
    struct workspace_state *s = w->state;
    int fewer = s->slots / 2 > STORE_LEAST_SLOTS ? s->slots / 2 : STORE_LEAST_SLOTS;
    if (s->kept > 0) {
        s->kept = 0;
        return 1;
    }
    if (fewer >= s->slots) return 0;
    events_say(w->events, ENDO_EVENT_LOG, ENDO_EVENT_MEMORY, -1, -1,
               "out of memory with %d frames at once (%s); going on with %d", s->slots, why->message, fewer);
    s->slots = fewer;
    return 1;
}

/* Moves the canvases to the present back end, or else paints them again; cost: what that means, for people. */
static endo_status move_canvases(mosaic_workspace *w, const mosaic_stage *stage, int are_copied, const char **cost) {
    *cost = "";
    if (!w->canvases || (are_copied && canvases_enter(w->canvases))) return ENDO_OK;
    canvases_clear(w->canvases);
    *cost = "; what was painted is painted again";
    return paint_queue_begin_anew(w, stage);
}

static void say_replaced(mosaic_workspace *w, int failed, const mosaic_stage *stage, const endo_outcome *why,
                         const char *cost) {
    char where[100] = "";
    if (stage) stage->calls->where(stage->self, where, sizeof where);
    events_say(w->events, ENDO_EVENT_LOG, ENDO_EVENT_BACKEND, -1, -1,
               "backend %s failed%s%s: %s; the CPU goes on, nothing is lost%s", back_end_name(failed),
               where[0] ? " at " : "", where, why->message, cost);
}

static endo_status replace(mosaic_workspace *w, const mosaic_stage *stage, const endo_outcome *why) {
    endo_context *before = NULL;
    const char *cost;
    int failed = w->computing.kind;
    int are_copied = w->canvases && !w->faults.canvas_lost && canvases_leave(w->canvases);
    if (w->canvases) canvases_drop_band(w->canvases);
    ENDO_TRY(back_end_replace(&w->computing, &before));
    endo_status status = move_canvases(w, stage, are_copied, &cost);
    close_store(w, why);
    endo_context_destroy(&before);
    if (status != ENDO_OK) return status;
    choose_slots(w);
    say_replaced(w, failed, stage, why, cost);
    return ENDO_OK;
}

/* Prepares for another store, and closes the present one. *helped = 0: nothing helps, and the store stays. */
static endo_status prepare(mosaic_workspace *w, const mosaic_stage *stage, const endo_outcome *why, int *helped) {
    *helped = 1;
    if (why->status == ENDO_ERR_MEMORY && w->state->is_open && shrink(w, why)) {
        close_store(w, why);
        return ENDO_OK;
    }
    if (back_end_replaces(&w->computing, why->status)) return replace(w, stage, why);
    *helped = 0;
    return ENDO_OK;
}

/* Makes another store, if that allows the run to go on. */
static endo_status renew_store(mosaic_workspace *w, const mosaic_stage *stage, const endo_outcome *failure, int *helped) {
    endo_outcome why = *failure;
    for (;;) {
        ENDO_TRY(prepare(w, stage, &why, helped));
        if (!*helped || !w->state->is_open) return ENDO_OK;
        endo_outcome_keep(&why, make_store(w));
        if (why.status == ENDO_OK) return ENDO_OK;
        w->state->failure = why;
    }
}

/* Goes on with another store, with the held frames in it. *moved = 0: one of them cannot be read. */
static endo_status move(mosaic_workspace *w, const mosaic_stage *stage, int *moved) {
    int held[STAGE_HELD];
    int slots[STAGE_HELD];
    endo_frames *frames = NULL;
    int n = stage->calls->held ? stage->calls->held(stage->self, held) : 0;
    *moved = 0;
    for (int i = 0; i < n; i++) {
        slots[i] = -1;
        if (held[i] < 0) continue;
        ENDO_TRY(frame_store_read(w->store, held[i], &slots[i]));
        if (slots[i] >= 0) continue;
        events_say(w->events, ENDO_EVENT_LOG, ENDO_EVENT_UNREADABLE, held[i], held[i], "%s again; nothing can follow it",
                   sequence_reason(w->sequence));
        return ENDO_OK;
    }
    *moved = 1;
    ENDO_TRY(frame_store_frames(w->store, &frames));
    if (stage->calls->move_to) stage->calls->move_to(stage->self, frames, slots, w->computing.kind);
    return ENDO_OK;
}

/* Recovers from a failure; *helped = 0: the run cannot go on. */
static endo_status recover(mosaic_workspace *w, const mosaic_stage *stage, const endo_outcome *why, int *helped) {
    spectra_destroy(&w->state->spectra);
    ENDO_TRY(renew_store(w, stage, why, helped));
    if (*helped) return stage ? move(w, stage, helped) : ENDO_OK;
    *helped = why->status == ENDO_ERR_MEMORY && w->store && canvases_stop_where_memory_ends(w->canvases);
    return ENDO_OK;
}

endo_status workspace_persist(mosaic_workspace *w, const mosaic_stage *stage, endo_status (*work)(void *job), void *job) {
    for (;;) {
        int helped = 0;
        endo_outcome why;
        endo_outcome_keep(&why, work(job));
        if (why.status == ENDO_OK || why.status == ENDO_CANCELLED) return why.status;
        ENDO_TRY(recover(w, stage, &why, &helped));
        if (!helped) return endo_fail(why.status, "%s", why.message);
    }
}

static endo_status start_over_on_cpu(mosaic_workspace *w) {
    endo_context *before = NULL;
    spectra_destroy(&w->state->spectra);
    ENDO_TRY(back_end_replace(&w->computing, &before));
    endo_context_destroy(&before);
    choose_slots(w);
    return make_store(w);
}

endo_status workspace_rescue_deferred(mosaic_workspace *w) {
    if (!w->state->deferred.n) return ENDO_OK;
    canvases_clear(w->canvases);
    w->state->n_painted = 0;
    frame_store_destroy(&w->store);
    endo_outcome_keep(&w->state->failure, start_over_on_cpu(w));
    ENDO_TRY(w->state->failure.status);
    return workspace_paint_deferred(w);
}

/* ------------------------------------------------------------------- open, close */

static endo_status find_field(void *workspace) {
    mosaic_workspace *w = workspace;
    int readable;
    int for_matching = w->state->matches || w->state->follows || w->state->compares;
    endo_context *context = w->computing.context;
    ENDO_TRY(field_of_view_find(context, w->sequence, w->options, for_matching, w->events, &w->field, &readable));
    if (readable) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "no frame can be read; the last said: %s", sequence_reason(w->sequence));
}

static endo_status watch_frames(mosaic_workspace *w) {
    const endo_mosaic_options *o = w->options;
    mosaic_observer all[MOSAIC_OBSERVERS];
    int n = 0;
    if (!w->state->paints || !workspace_blends(w)) return ENDO_OK;
    if (o->light) {
        ENDO_TRY(light_of_scope_create(&w->field, sequence_type(w->sequence), sequence_count(w->sequence), o->context.threads,
                                       &w->light));
        all[n++] = light_of_scope_observer(w->light);
    }
    ENDO_TRY(sharpness_create(w->sequence, &w->sharp));
    all[n++] = sharpness_observer(w->sharp);
    return observers_create(w->sequence, all, n, processors(w), &w->state->observers);
}

static endo_status open_store(mosaic_workspace *w) {
    int helped;
    endo_outcome why;
    choose_slots(w);
    w->state->is_open = 1;
    endo_outcome_keep(&why, make_store(w));
    if (why.status == ENDO_OK) return ENDO_OK;
    w->state->failure = why;
    ENDO_TRY(renew_store(w, NULL, &why, &helped));
    return helped ? ENDO_OK : endo_fail(why.status, "%s", why.message);
}

static endo_status start_back_end(mosaic_workspace *w) {
    back_end_job job = {
        .size = sequence_size(w->sequence),
        .type = sequence_type(w->sequence),
        .frames = sequence_count(w->sequence) * w->state->passes,
        .fail_after = w->faults.fail_after,
    };
    return back_end_start(&w->computing, &w->options->context, &job, w->events);
}

static endo_status open_parts(mosaic_workspace *w, const endo_mosaic_source *source) {
    const endo_mosaic_options *o = w->options;
    double start = mosaic_seconds();
    int64_t keep = reads_twice(o) ? o->memory / KEPT_SHARE : 0;
    ENDO_TRY(sequence_create(source, o->lens, keep, &o->context, &w->sequence));
    w->events->numbers = sequence_numbers(w->sequence);
    ENDO_TRY(start_back_end(w));
    double started = mosaic_seconds();
    w->times.start = started - start;
    ENDO_TRY(workspace_persist(w, NULL, find_field, w));
    w->times.field = mosaic_seconds() - started;
    if (w->state->matches) ENDO_TRY(field_of_view_check_template(&w->field, o->pairs.template_side));
    ENDO_TRY(canvases_create(&w->computing.context, o, w->sequence, &w->field, &w->canvases));
    canvases_set_band_rows(w->canvases, w->faults.band_rows);
    ENDO_TRY(watch_frames(w));
    return open_store(w);
}

endo_status workspace_open(const workspace_setup *setup, mosaic_workspace **out) {
    mosaic_workspace *w = endo_alloc_zeroed(1, sizeof *w);
    struct workspace_state *s = endo_alloc_zeroed(1, sizeof *s);
    if (!w || !s) {
        endo_free(w);
        endo_free(s);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for what a run works with");
    }
    w->options = setup->options;
    w->events = setup->events;
    w->faults = setup->faults;
    w->state = s;
    s->matches = setup->matches;
    s->follows = setup->follows;
    s->compares = setup->compares;
    s->drops_pixels = setup->drops_pixels;
    s->most_slots = setup->most_slots;
    s->passes = setup->passes > 0 ? setup->passes : 1;
    s->paints = setup->pictures && (setup->options->picture || !workspace_blends(w));
    s->defers = setup->defers && workspace_blends(w);
    endo_status status = open_parts(w, setup->source);
    if (status == ENDO_OK)
        *out = w;
    else
        workspace_close(&w);
    return status;
}

void workspace_close(mosaic_workspace **workspace) {
    mosaic_workspace *w = *workspace;
    *workspace = NULL;
    if (!w) return;
    frame_store_destroy(&w->store); /* shows waiting frames to observers */
    observers_destroy(&w->state->observers);
    canvases_destroy(&w->canvases);
    spectra_destroy(&w->state->spectra);
    light_of_scope_destroy(&w->light);
    sharpness_destroy(&w->sharp);
    scene_layers_destroy(&w->layers);
    endo_context_destroy(&w->computing.context);
    w->events->numbers = NULL;
    sequence_destroy(&w->sequence);
    field_of_view_free(&w->field);
    frame_displacements_free(&w->displacements);
    placed_free(&w->waiting);
    placed_free(&w->state->deferred);
    endo_free(w->state);
    endo_free(w);
}

/* -------------------------------------------------------------------------- uses */

endo_status workspace_spectra(mosaic_workspace *w, spectra **out) {
    struct workspace_state *s = w->state;
    int refines = w->options->pairs.method == ENDO_METHOD_BEST;
    ENDO_TRY(workspace_need_store(w));
    frame_store_settle(w->store);
    s->asked = w->options->pairs;
    s->asked.quality = 1;
    if (!s->spectra)
        ENDO_TRY(spectra_create(w->computing.context, w->sequence, &w->field, refines ? &s->asked : NULL, w->events,
                                &s->spectra));
    *out = s->spectra;
    return ENDO_OK;
}

endo_status workspace_await_observers(mosaic_workspace *w) {
    struct workspace_state *s = w->state;
    if (!s->observers) return ENDO_OK;
    endo_status status = observers_await(s->observers);
    double waited = observers_seconds(s->observers);
    w->times.light += waited - s->observed;
    s->observed = waited;
    return status;
}

int workspace_matches(const mosaic_workspace *w) { return w->state->matches; }

const char *workspace_full(const mosaic_workspace *w) { return canvases_full(w->canvases); }

endo_status workspace_snapshot(mosaic_workspace *w, int canvas, panorama_store **out) {
    if (!canvases_is_blending(w->canvases)) ENDO_TRY(workspace_paint_deferred(w));
    double start = mosaic_seconds();
    endo_status status = canvases_snapshot(w->canvases, canvas, out);
    w->times.panorama += mosaic_seconds() - start;
    return status;
}
