/* What becomes of a frame, in three steps: it is compared (the back end works, and nothing changes), kept, and painted. */
#include "live_session.h"

#include "base/memory.h"
#include "include/endorama/fourier.h"
#include "systems/mosaic/frame_matcher.h"

#include <math.h>
#include <string.h>

/* Lost frames that were looked for after which others may begin a component: a fifth of a second of 50 frames a second. */
#define PATIENCE 10

/* Largest change of scale, either way, of a frame that is looked for: more takes four times as long. */
#define MOST_SCALE 1.5

/* Kept frames of a component from which on all of the step counts, and before them a share of it. */
#define WHOLE_STEP 16

/* A place is kept up to three times, in case one of the frames is bad. */
#define VISITS 3

/* Largest deviation of a frame that is not doubtful, px of the preview. */
#define SURE 1.0

/* Share of `memory` that the pictures of the preview may have, and as much those that are painted anew beside them, and that
 * small copies have before they go to `scratch`: one in this many. Copies of as many frames as `memory` holds fit into it. */
#define SHARES 4

/* A frame beside another one. */
typedef struct live_match {
    endo_transform step; /* frame -> the other one */
    double quality;
    int state; /* endo_live_state: FOUND, DOUBTFUL or LOST */
} live_match;

/* What a frame is, before anything has changed. */
typedef struct live_finding {
    int begins; /* 1: the frame that waits begins a component, and the present one lies beside it */
    int beside; /* kept frame that it lies beside; -1: none, or the waiting one */
    int keeps;
    int sought; /* 1: it was looked for by spectra */
    live_match match;
} live_finding;

/* -------------------------------------------------------------- create, begin, free */

void live_session_init(endo_live *live) {
    live->reference = -1;
    live->last = live->velocity = pose_identity;
    pthread_mutex_init(&live->lock, NULL);
    live_loops_init(&live->loops, live);
    live->view.scale = 1;
}

static void end_preview(endo_live *live) {
    live_store_close(&live->store);
    live_field_free(&live->field);
    live_reducer_free(&live->reducer);
    spool_destroy(&live->copies);
    endo_free(live->small);
    endo_free(live->small_waiting);
    endo_free(live->waiting);
    live->small = live->small_waiting = live->waiting = NULL;
}

void live_session_free(endo_live *live) {
    live_loops_free(&live->loops);
    end_preview(live);
    live_kept_free(&live->kept);
    live_pictures_free(&live->pictures);
    events_free(&live->events);
    pthread_mutex_destroy(&live->lock);
}

static endo_status start_back_end(endo_live *live) {
    const back_end_job job = {
        .size = live->reducer.small,
        .type = live->reducer.type,
        .frames = INT32_MAX,
        .fail_after = live->fail_after,
    };
    ENDO_TRY(back_end_start(&live->store.computing, &live->context, &job, &live->events));
    return live_store_open(&live->store);
}

static endo_status begin(endo_live *live, endo_pixel type, mosaic_size size) {
    const endo_mosaic_options *o = &live->options.mosaic;
    ENDO_TRY(live_reducer_init(&live->reducer, type, size, live->options.preview));
    ENDO_TRY(live_field_init(&live->field, &live->reducer, o->field, o->mask));
    mosaic_size small = live->reducer.small;
    live->small = endo_alloc((size_t)small.width * (size_t)small.height, endo_pixel_size(type));
    live->small_waiting = endo_alloc((size_t)small.width * (size_t)small.height, endo_pixel_size(type));
    live->waiting = endo_alloc((size_t)size.width * (size_t)size.height, endo_pixel_size(type));
    if (!live->small || !live->small_waiting || !live->waiting)
        return endo_fail(ENDO_ERR_MEMORY, "no memory for a frame of the preview");
    if (live->reducer.factor > 1)
        ENDO_TRY(spool_create(type, small.width, small.height, o->memory / SHARES, o->scratch, &live->copies));
    live->store = (live_store){
        .options = o,
        .field = &live->field,
        .kept = &live->kept,
        .copies = live_session_copies(live),
        .factor = live->reducer.factor,
    };
    pthread_mutex_lock(&live->lock);
    live->pictures = (live_pictures){.type = type, .most = o->memory / SHARES};
    live->view.type = type;
    live->view.scale = 1.0 / live->reducer.factor;
    pthread_mutex_unlock(&live->lock);
    return start_back_end(live);
}

static endo_status copy_mask(endo_live *live, mosaic_size size) {
    size_t area = (size_t)size.width * (size_t)size.height;
    int is_same_size = size.width == live->mask_size.width && size.height == live->mask_size.height;
    if (live->mask && !is_same_size)
        return endo_fail(ENDO_ERR_ARGUMENT, "a frame of %d x %d px: the mask was taken for frames of %d x %d px", size.width,
                         size.height, live->mask_size.width, live->mask_size.height);
    if (live->options.mosaic.field != ENDO_MOSAIC_FIELD_MASK || live->mask) return ENDO_OK;
    live->mask = endo_alloc(area, 1);
    if (!live->mask) return endo_fail(ENDO_ERR_MEMORY, "no memory for a mask of %d x %d px", size.width, size.height);
    memcpy(live->mask, live->options.mosaic.mask, area);
    live->mask_size = size;
    live->options.mosaic.mask = live->mosaic->options.mask = live->mask;
    return ENDO_OK;
}

endo_status live_session_begin(endo_live *live, endo_pixel type, mosaic_size size) {
    ENDO_TRY(copy_mask(live, size));
    endo_status status = begin(live, type, size);
    if (status == ENDO_OK)
        live->has_begun = 1;
    else
        end_preview(live);
    return status;
}

/* ------------------------------------------------------------------------ copies */

static mosaic_spool *spool_of(const endo_live *live) { return live->copies ? live->copies : live->mosaic->spool; }

static const void *lend(void *user, int kept) {
    endo_live *live = user;
    char reason[ENDO_REASON_SIZE] = "";
    pthread_mutex_lock(&live->lock);
    endo_mosaic_source source = spool_source(spool_of(live));
    const void *small = source.lend(source.user, kept, reason);
    pthread_mutex_unlock(&live->lock);
    if (!small) endo_fail(ENDO_ERR_MEMORY, "kept frame %d: %s", kept + 1, reason);
    return small;
}

static void give_back(void *user, int kept, const void *small) {
    endo_live *live = user;
    pthread_mutex_lock(&live->lock);
    endo_mosaic_source source = spool_source(spool_of(live));
    source.give_back(source.user, kept, small);
    pthread_mutex_unlock(&live->lock);
}

live_copies live_session_copies(endo_live *live) {
    return (live_copies){.lend = lend, .give_back = give_back, .user = live};
}

/* ----------------------------------------------------------------------- compare */

static live_match match_of(const endo_pair_result *result) {
    pair_match pair = pair_match_of(result, 0, 0, 0, 0);
    live_match match = {.step = result->transform, .quality = result->quality, .state = ENDO_LIVE_LOST};
    if (!pair_match_counts(&pair, 1) || pair_match_is_leap(&pair) || !pose_is_invertible(&match.step)) return match;
    int is_sure = result->status == ENDO_PAIR_OK && result->deviation <= SURE;
    match.state = is_sure ? ENDO_LIVE_FOUND : ENDO_LIVE_DOUBTFUL;
    return match;
}

static int is_found(const live_match *match) { return match->state != ENDO_LIVE_LOST; }

/* Registers the present frame with the one in a slot, which it is roughly known to lie beside. */
static endo_status match_from(endo_live *live, int slot, const endo_transform *start, live_match *match) {
    const endo_pair pair = {.reference = slot, .current = live_store_find(&live->store, LIVE_PRESENT)};
    endo_transform near = frame_middle(live->reducer.small, start);
    endo_pair_result result;
    ENDO_TRY(endo_pairs_register_from(live->store.frames, &pair, &near, 1, &live->options.mosaic.pairs, &result));
    *match = match_of(&result);
    return ENDO_OK;
}

static endo_status match_predicted(endo_live *live, live_finding *f) {
    int slot;
    endo_transform start = pose_times(&live->last, &live->velocity);
    if (!pose_is_invertible(&start)) start = live->last;
    ENDO_TRY(live_store_need(&live->store, live->reference, live->reference, &slot));
    ENDO_TRY(match_from(live, slot, &start, &f->match));
    f->beside = live->reference;
    return ENDO_OK;
}

/* The slot of the kept frame that a lost frame is compared with: the last one, and in every other frame one of the rest. */
static int choose_slot(endo_live *live) {
    int last = live_store_find(&live->store, live->reference);
    if ((live->lost == 0 || live->lost % 2 == 1) && last >= 0) return last;
    for (int i = 0; i < LIVE_SLOTS; i++) {
        int slot = (live->turn + i) % LIVE_SLOTS;
        if (live->store.holds[slot] < 0 || slot == last) continue;
        live->turn = slot + 1;
        return slot;
    }
    return last;
}

/* Where the present frame may lie beside the one in a slot, by their spectra. */
static endo_status start_by_spectra(endo_live *live, int slot, endo_transform *start) {
    const endo_fourier_pair pair = {.reference = slot, .current = live_store_find(&live->store, LIVE_PRESENT)};
    endo_fourier_options options = endo_fourier_options_default();
    endo_fourier_result result = {.transform = pose_identity};
    options.max_scale = MOST_SCALE;
    options.refine = 0;
    endo_status status = endo_fourier_register(live->store.frames, &pair, 1, &options, &result);
    *start = result.transform;
    return status == ENDO_ERR_UNSUPPORTED ? ENDO_OK : status; /* no Fourier transforms: frames are found where they were lost */
}

/* Looks for the present frame beside a kept one, wherever it may lie. It takes some four times as long as where that is
 * known, so that it is done once a frame. */
static endo_status search(endo_live *live, live_finding *f) {
    frame_matcher matcher = {.frames = live->store.frames, .options = live->options.mosaic.pairs};
    endo_transform start;
    int has_texture;
    ENDO_TRY(frame_matcher_has_texture(&matcher, live_store_find(&live->store, LIVE_PRESENT), &has_texture));
    int slot = has_texture ? choose_slot(live) : -1;
    if (slot < 0) return ENDO_OK;
    ENDO_TRY(start_by_spectra(live, slot, &start));
    f->sought = 1;
    f->beside = live->store.holds[slot];
    return match_from(live, slot, &start, &f->match);
}

/* Compares with the frame before, which is in no component. */
static endo_status match_waiting(endo_live *live, live_finding *f) {
    int slot = live_store_find(&live->store, LIVE_WAITING);
    const endo_pair pair = {.reference = slot, .current = live_store_find(&live->store, LIVE_PRESENT)};
    endo_flow_result flow;
    if (slot < 0) return ENDO_OK;
    ENDO_TRY(endo_flow_estimate(live->store.frames, &pair, 1, ENDO_TRANSFORM_AFFINE, &flow));
    ENDO_TRY(match_from(live, slot, &flow.transform, &f->match));
    f->begins = is_found(&f->match);
    return ENDO_OK;
}

/* Goes on with an earlier kept frame where that place was kept often enough. */
static endo_status match_visited(endo_live *live, double step, live_finding *f) {
    live_match match;
    int nearest;
    int slot;
    endo_transform pose = pose_times(&live->kept.items[f->beside].pose, &f->match.step);
    int visits = live_kept_near(&live->kept, live->reducer.small, f->beside, &pose, step, &nearest);
    if (visits < VISITS) return ENDO_OK;
    endo_transform start = pose_between(&live->kept.items[nearest].pose, &pose);
    ENDO_TRY(live_store_need(&live->store, nearest, f->beside, &slot));
    ENDO_TRY(match_from(live, slot, &start, &match));
    if (match.state != ENDO_LIVE_FOUND || live_moved(live->reducer.small, &match.step) >= step) return ENDO_OK;
    f->match = match;
    f->beside = nearest;
    f->keeps = 0;
    return ENDO_OK;
}

/* The option `step`, px of the preview. */
static double whole_step(const endo_live *live) {
    mosaic_size small = live->reducer.small;
    return live->options.step / 100 * (small.width > small.height ? small.width : small.height);
}

/* How far a frame has moved from a kept one if it is kept, px of the preview: less among the first ones of a component, so that
 * a scope that hardly moves is seen from several places; not less than what is sure. */
static double least_step(const endo_live *live, int beside) {
    int component = live->kept.items[beside].component;
    int kept = 0;
    for (int k = 0; k < live->kept.n; k++) kept += live->kept.items[k].component == component;
    double step = whole_step(live);
    return fmin(step, fmax(SURE, step * kept / WHOLE_STEP));
}

static endo_status compare(endo_live *live, live_finding *out) {
    live_finding f = {.beside = -1, .match = {.state = ENDO_LIVE_LOST, .quality = NAN}};
    ENDO_TRY(live_store_put(&live->store, LIVE_PRESENT, live->reference, live->small));
    if (live->reference >= 0 && live->lost == 0) ENDO_TRY(match_predicted(live, &f));
    if (live->reference >= 0 && !is_found(&f.match)) ENDO_TRY(search(live, &f));
    if (!is_found(&f.match)) f.beside = -1;
    if (!is_found(&f.match) && (live->reference < 0 || live->sought >= PATIENCE)) ENDO_TRY(match_waiting(live, &f));
    f.keeps = f.begins;
    if (is_found(&f.match) && !f.begins) {
        double step = least_step(live, f.beside);
        f.keeps = live_moved(live->reducer.small, &f.match.step) >= step;
        if (f.keeps) ENDO_TRY(match_visited(live, step, &f));
    }
    *out = f;
    return ENDO_OK;
}

/* -------------------------------------------------------------------------- keep */

/* Bytes of a kept frame and its copy. */
static int64_t bytes_of_kept(const endo_live *live) {
    mosaic_size full = live->reducer.full;
    mosaic_size small = live->reducer.small;
    int64_t pixels = (int64_t)full.width * full.height;
    if (live->copies) pixels += (int64_t)small.width * small.height;
    return pixels * (int64_t)endo_pixel_size(live->reducer.type);
}

/* A frame to be kept. */
typedef struct live_new {
    const void *pixels;
    ptrdiff_t stride;
    const void *small; /* its copy */
    int64_t number;
} live_new;

static endo_status put_frame(endo_live *live, const live_new *frame) {
    mosaic_size full = live->reducer.full;
    return endo_mosaic_put(live->mosaic, frame->pixels, live->reducer.type, full.width, full.height, frame->stride);
}

static endo_status add_kept(endo_live *live, const live_new *frame, int beside, const endo_transform *step) {
    if (live->copies) ENDO_TRY(spool_put(live->copies, frame->small, live->reducer.small.width));
    ENDO_TRY(live_kept_add(&live->kept, frame->number, beside, step));
    live->counts.kept = live->kept.n;
    live->counts.components = live->kept.components;
    live->counts.bytes += bytes_of_kept(live);
    live_loops_kept(&live->loops, live->kept.n);
    return ENDO_OK;
}

/* With copies no other thread reads the frames themselves. */
static endo_status keep(endo_live *live, const live_new *frame, int beside, const endo_transform *step) {
    if (live->stuck.status != ENDO_OK) return endo_fail(live->stuck.status, "%s", live->stuck.message);
    if (live->copies) ENDO_TRY(put_frame(live, frame));
    pthread_mutex_lock(&live->lock);
    endo_status status = live->copies ? ENDO_OK : put_frame(live, frame);
    int is_put = status == ENDO_OK;
    if (is_put) status = add_kept(live, frame, beside, step);
    pthread_mutex_unlock(&live->lock);
    if (is_put && status != ENDO_OK) endo_outcome_keep(&live->stuck, status);
    return status;
}

/* Keeps the frame that waits as the first one of a component. */
static endo_status keep_waiting(endo_live *live) {
    const live_new frame = {
        .pixels = live->waiting,
        .stride = live->reducer.full.width,
        .small = live->small_waiting,
        .number = live->waiting_number,
    };
    ENDO_TRY(keep(live, &frame, -1, &pose_identity));
    live->reference = live->kept.n - 1;
    live->store.holds[live_store_find(&live->store, LIVE_WAITING)] = live->reference;
    live->waiting_number = 0;
    live->last = pose_identity;
    return ENDO_OK;
}

/* The frame is in no component: it waits for the next one. */
static void let_wait(endo_live *live, const live_new *frame, const live_finding *f) {
    size_t size = endo_pixel_size(live->reducer.type);
    size_t row = (size_t)live->reducer.full.width * size;
    size_t step = (size_t)frame->stride * size;
    int before = live_store_find(&live->store, LIVE_WAITING);
    if (before >= 0) live->store.holds[before] = LIVE_EMPTY;
    live->store.holds[live_store_find(&live->store, LIVE_PRESENT)] = LIVE_WAITING;
    for (int y = 0; y < live->reducer.full.height; y++)
        memcpy((char *)live->waiting + (size_t)y * row, (const char *)frame->pixels + (size_t)y * step, row);
    void *spare = live->small_waiting;
    live->small_waiting = live->small;
    live->small = spare;
    live->waiting_number = frame->number;
    live->velocity = pose_identity;
    live->lost += live->reference >= 0;
    live->sought += f->sought;
}

/* Goes on with another reference, and what is known of the motion. */
static void follow(endo_live *live, const live_finding *f) {
    endo_transform velocity = pose_between(&live->last, &f->match.step);
    int is_motion = !f->begins && live->lost == 0 && f->beside == live->reference && pose_is_invertible(&velocity);
    live->velocity = is_motion ? velocity : pose_identity;
    live->reference = f->beside;
    live->last = f->match.step;
    live->lost = live->sought = 0;
}

static endo_status settle(endo_live *live, const live_new *frame, live_finding *f) {
    if (!is_found(&f->match)) {
        let_wait(live, frame, f);
        return ENDO_OK;
    }
    if (f->begins) {
        ENDO_TRY(keep_waiting(live));
        f->beside = live->reference;
    }
    if (f->keeps) ENDO_TRY(keep(live, frame, f->beside, &f->match.step));
    follow(live, f);
    if (!f->keeps) return ENDO_OK;
    live->reference = live->kept.n - 1;
    live->last = pose_identity;
    live->store.holds[live_store_find(&live->store, LIVE_PRESENT)] = live->reference;
    return ENDO_OK;
}

/* ------------------------------------------------------------------------- paint */

static endo_status paint_one(endo_live *live) {
    const live_kept_frame *f = &live->kept.items[live->painted];
    live_tile tile;
    int slot;
    ENDO_TRY(live_store_need(&live->store, live->painted, live->reference, &slot));
    ENDO_TRY(live_tile_paint(live->store.computing.context, live->store.frames, live->reducer.type, slot, &f->pose, &tile));
    int was_full = live->pictures.is_full;
    pthread_mutex_lock(&live->lock);
    endo_status status = live_pictures_add(&live->pictures, f->component, &tile);
    live->view.changes++;
    pthread_mutex_unlock(&live->lock);
    live_tile_free(&tile);
    if (live->pictures.is_full && !was_full)
        events_say(&live->events, ENDO_EVENT_NOTE, ENDO_EVENT_FULL, -1, -1,
                   "the preview has reached its largest size, a quarter of the option memory; frames are still kept");
    if (status == ENDO_OK) live->painted++;
    return status;
}

static endo_status paint_rest(endo_live *live) {
    while (live->painted < live->kept.n) ENDO_TRY(paint_one(live));
    return ENDO_OK;
}

/* Says why poses could not be solved for. */
static void tell_failure(endo_live *live) {
    pthread_mutex_lock(&live->lock);
    endo_outcome failure = live->loops.failure;
    live->loops.failure.status = ENDO_OK;
    if (failure.status != ENDO_OK) pthread_cond_signal(&live->loops.changed); /* the next try waits for it */
    pthread_mutex_unlock(&live->lock);
    if (failure.status != ENDO_OK)
        events_say(&live->events, ENDO_EVENT_NOTE, ENDO_EVENT_UNFINISHED, -1, -1,
                   "preview: loops are not closed for now: %s; at the end they are looked for anew", failure.message);
}

/* Counts a frame, and takes over what was solved since the one before it. */
static void begin_frame(endo_live *live) {
    live_loops *l = &live->loops;
    pthread_mutex_lock(&live->lock);
    live->counts.put = ++live->number;
    live_solution *solution = l->solution;
    l->solution = NULL;
    if (solution) {
        live_kept_solve(&live->kept, solution->frames, solution->n);
        live_pictures_free(&live->pictures);
        live->pictures = solution->pictures;
        solution->pictures = (live_pictures){.items = NULL};
        live->painted = solution->painted;
        live->counts.components = live->kept.components;
        live->counts.loops++;
        live->view.changes++;
        if (live->reference >= 0) live->view.component = live->kept.items[live->reference].component;
    }
    pthread_mutex_unlock(&live->lock);
    live_solution_destroy(&solution);
    tell_failure(live);
}

/* ------------------------------------------------------------------------ frames */

typedef struct live_work {
    endo_live *live;
    live_finding *finding;
} live_work;

/* Makes the store anew, for another field or back end. */
static endo_status reopen(endo_live *live) {
    ENDO_TRY(live_store_open(&live->store));
    live->has_changed = 0;
    if (live->waiting_number == 0) return ENDO_OK;
    return live_store_put(&live->store, LIVE_WAITING, live->reference, live->small_waiting);
}

static endo_status see_field(endo_live *live) {
    int changed;
    pthread_mutex_lock(&live->lock);
    endo_status status = live_field_see(&live->field, live->store.computing.context, live->number, live->small, &changed);
    pthread_mutex_unlock(&live->lock);
    live->has_changed |= changed;
    return status;
}

static endo_status look(void *work) {
    const live_work *w = work;
    if (w->live->has_changed) ENDO_TRY(reopen(w->live));
    return compare(w->live, w->finding);
}

static endo_status paint(void *work) { return paint_rest(((const live_work *)work)->live); }

/* Calls `step`, and again on the CPU where a device fails that AUTO had chosen. */
static endo_status persist(endo_live *live, endo_status (*step)(void *work), live_work *work) {
    back_end *computing = &live->store.computing;
    endo_status status = step(work);
    if (status == ENDO_OK || !back_end_replaces(computing, status)) return status;
    endo_context *before = NULL;
    events_say(&live->events, ENDO_EVENT_LOG, ENDO_EVENT_BACKEND, -1, -1, "preview: backend %s failed: %s; the CPU goes on",
               back_end_name(computing->kind), endo_last_error());
    ENDO_TRY(back_end_replace(computing, &before));
    status = reopen(live);
    endo_context_destroy(&before);
    return status == ENDO_OK ? step(work) : status;
}

static void describe(endo_live *live, const live_finding *f, endo_live_frame *frame) {
    endo_transform pose = pose_identity;
    frame->state = f->match.state;
    if (live->reference < 0) frame->state = ENDO_LIVE_STARTING;
    frame->quality = f->match.quality;
    if (live->reference >= 0) pose = pose_times(&live->kept.items[live->reference].pose, &live->last);
    frame->pose = live_enlarged(&live->reducer, &pose);
    if (!is_found(&f->match)) return;
    frame->kept = f->keeps ? live->kept.n : 0;
    frame->component = live->kept.items[live->reference].component;
}

static void count(endo_live *live, const endo_live_frame *frame) {
    pthread_mutex_lock(&live->lock);
    live->counts.lost += frame->state == ENDO_LIVE_LOST;
    if (frame->component > 0 && frame->component != live->view.component) {
        live->view.component = frame->component;
        live->view.changes++;
    }
    pthread_mutex_unlock(&live->lock);
}

endo_status live_session_put(endo_live *live, const void *pixels, ptrdiff_t stride, endo_live_frame *frame) {
    double start = mosaic_seconds();
    live_finding finding;
    live_work work = {.live = live, .finding = &finding};
    begin_frame(live);
    endo_live_frame made = {.number = live->number};
    live_reduce(&live->reducer, pixels, stride, live->small);
    ENDO_TRY(see_field(live));
    ENDO_TRY(persist(live, look, &work));
    made.found_again = live->lost > 0 && is_found(&finding.match) && !finding.begins;
    const live_new present = {.pixels = pixels, .stride = stride, .small = live->small, .number = live->number};
    ENDO_TRY(settle(live, &present, &finding));
    describe(live, &finding, &made);
    count(live, &made);
    ENDO_TRY(persist(live, paint, &work));
    made.milliseconds = 1000 * (mosaic_seconds() - start);
    *frame = made;
    return ENDO_OK;
}

/* ----------------------------------------------------------------------- preview */

/* Called with the lock. */
static endo_live_view view_of(const endo_live *live) {
    const live_picture *p = live_pictures_get(&live->pictures, live->view.component);
    endo_transform scaling = pose_scaling(live->view.scale);
    endo_live_view view = live->view;
    if (!p) return view;
    view.width = rect_width(p->used);
    view.height = rect_height(p->used);
    view.origin_x = pose_x(&scaling, 0, 0) - p->used.left;
    view.origin_y = pose_y(&scaling, 0, 0) - p->used.top;
    return view;
}

void live_session_describe(endo_live *live, endo_live_view *view, endo_live_counts *counts) {
    pthread_mutex_lock(&live->lock);
    if (view) *view = view_of(live);
    if (counts) *counts = live->counts;
    pthread_mutex_unlock(&live->lock);
}

endo_status live_session_read(endo_live *live, void *pixels, size_t room, endo_live_view *view) {
    pthread_mutex_lock(&live->lock);
    endo_live_view now = view_of(live);
    size_t area = (size_t)now.width * (size_t)now.height;
    int fits = area <= room;
    if (fits && area > 0)
        live_picture_copy(live_pictures_get(&live->pictures, now.component), live->pictures.type, pixels);
    pthread_mutex_unlock(&live->lock);
    if (!fits)
        return endo_fail(ENDO_ERR_ARGUMENT, "room for %zu pixels: the preview has %d x %d; describe it again", room, now.width,
                         now.height);
    *view = now;
    return ENDO_OK;
}

/* ------------------------------------------------------------------------ finish */

/* The frames that were put into the mosaic, with their numbers. */
typedef struct live_source {
    endo_mosaic_source frames;
    const live_kept *kept;
} live_source;

static const void *lend_kept(void *user, int32_t frame, char *reason) {
    const live_source *s = user;
    return s->frames.lend(s->frames.user, frame, reason);
}

static void give_back_kept(void *user, int32_t frame, const void *pixels) {
    const live_source *s = user;
    s->frames.give_back(s->frames.user, frame, pixels);
}

static int32_t number_of(void *user, int32_t frame) {
    const live_source *s = user;
    return (int32_t)s->kept->items[frame].number;
}

void live_session_end(endo_live *live) {
    live->has_ended = 1;
    live_loops_end(&live->loops);
    tell_failure(live);
    end_preview(live);
}

/* Says that the frames show no more than one of them would. */
static void tell_stillness(endo_live *live) {
    const live_kept *kept = &live->kept;
    double most = 0;
    for (int k = 1; k < kept->n; k++) {
        endo_transform step = pose_between(&kept->items[0].pose, &kept->items[k].pose);
        most = fmax(most, live_moved(live->reducer.small, &step));
    }
    if (kept->components == 1 && most < whole_step(live))
        events_say(&live->events, ENDO_EVENT_NOTE, ENDO_EVENT_OTHER, -1, -1,
                   "the scope moved by %.1f px of a frame at most: the panorama shows little more than one frame does",
                   most * live->reducer.factor);
}

endo_status live_session_finish(endo_live *live) {
    tell_stillness(live);
    live_source kept = {.frames = spool_source(live->mosaic->spool), .kept = &live->kept};
    endo_mosaic_source source = kept.frames;
    source.frames = live->kept.n;
    source.lend = lend_kept;
    source.give_back = give_back_kept;
    source.number = number_of;
    source.user = &kept;
    return endo_mosaic_run(live->mosaic, &source);
}
