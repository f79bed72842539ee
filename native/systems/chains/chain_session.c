/* Runs a chain over a source, chunk by chunk (chain_session.h). */
#include "chain_session.h"

#include "base/memory.h"
#include "rules/grey.h"
#include "still_surround.h"

#include <stdio.h>

/* Pixels of frames in a chunk at most. */
#define CHUNK_PIXELS 32000000
#define LARGEST_CHUNK 256
/* Pixels of the first chunk, whose duration is not known; registering these by spectra takes a processor about 0.1 s. */
#define FIRST_PIXELS 4000000
#define FIRST_PIXELS_BY_SPECTRA 200000
/* Frames that the first one of a chunk may be compared with: the last registered one and the one before, or the fixed one. */
#define KEPT 2
/* Time that a chunk should take, s, so that a cancel is answered soon. */
#define CHUNK_SECONDS 0.1

static int within(double value, int least, int most) {
    if (value > most) value = most;
    return value < least ? least : (int)value;
}

chain_rows *chain_session_rows(endo_chain *c) {
    return c->kind == CHAIN_OF_EXPOSURES ? &c->exposure_chain.rows : &c->fourier_chain;
}

static int is_done(endo_chain *c) {
    const chain_rows *rows = chain_session_rows(c);
    return rows->n >= rows->frames;
}

static const endo_context_options *context_of(const endo_chain *c) {
    return c->kind == CHAIN_OF_EXPOSURES ? &c->exposures.context : &c->fourier.context;
}

/* -------------------------------------------------------------------------- pairs */

/* A frame that others are compared with, or that was read before, cannot be read any more. */
static endo_status lose(endo_chain *c) {
    c->is_lost = 1;
    return endo_fail(ENDO_ERR_ARGUMENT, "%s", sequence_reason(c->sequence));
}

static endo_status ask(endo_chain *c, int frame, int *slot) {
    ENDO_TRY(frame_store_ask(c->session.store, frame, slot));
    return *slot < 0 ? lose(c) : ENDO_OK;
}

static endo_status find_pair(void *chain, frame_pair *pair) {
    endo_chain *c = chain;
    ENDO_TRY(ask(c, pair->reference, &pair->reference_slot));
    return ask(c, pair->frame, &pair->frame_slot);
}

static chain_pair of_exposures(const endo_exposure_result *r) {
    return (chain_pair){
        .transform = pose_translation(r->dx, r->dy),
        .deviation = {r->deviation_x, r->deviation_y},
        .scores = {.peak = r->peak, .certainty = r->certainty, .mismatch = r->mismatch, .usable = r->usable},
        .status = (int)r->status,
    };
}

static endo_status align_exposures(void *chain, const frame_pair *pairs, int n, chain_pair *out) {
    endo_chain *c = chain;
    endo_frames *frames;
    ENDO_TRY(frame_store_frames(c->session.store, &frames));
    endo_pair *asked = endo_alloc((size_t)n, sizeof *asked);
    endo_exposure_result *found = endo_alloc((size_t)n, sizeof *found);
    endo_status status = asked && found ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for %d pairs", n);
    for (int i = 0; status == ENDO_OK && i < n; i++)
        asked[i] = (endo_pair){.reference = pairs[i].reference_slot, .current = pairs[i].frame_slot};
    if (status == ENDO_OK) status = endo_exposures_register(frames, asked, (size_t)n, &c->exposures.pairs, found);
    for (int i = 0; status == ENDO_OK && i < n; i++) out[i] = of_exposures(&found[i]);
    endo_free(asked);
    endo_free(found);
    return status;
}

static endo_fourier_pair by_spectra(const endo_chain *c, const frame_pair *pair) {
    mosaic_rect reference = compared_frames_part(c->compared, pair->reference);
    mosaic_rect current = compared_frames_part(c->compared, pair->frame);
    return (endo_fourier_pair){
        .reference = pair->reference_slot,
        .current = pair->frame_slot,
        .reference_width = rect_width(reference),
        .reference_height = rect_height(reference),
        .current_width = rect_width(current),
        .current_height = rect_height(current),
    };
}

/* Pair of whole images, from the registration of their compared parts. */
static chain_pair of_spectra(const endo_chain *c, const frame_pair *pair, const endo_fourier_result *r) {
    mosaic_rect reference = compared_frames_part(c->compared, pair->reference);
    mosaic_rect current = compared_frames_part(c->compared, pair->frame);
    endo_transform to = pose_translation(reference.left, reference.top);
    endo_transform from = pose_translation(-current.left, -current.top);
    endo_transform outer = pose_times(&to, &r->transform);
    double x = (c->frame.width - 1) / 2.0;
    double y = (c->frame.height - 1) / 2.0;
    chain_pair found = {
        .transform = pose_times(&outer, &from),
        .scores = {.peak = r->peak, .angle = r->angle, .scale = r->scale, .ratio = r->ratio, .overlap = r->overlap,
                   .ncc = r->ncc},
        .status = (int)r->status,
    };
    found.dx = pose_x(&found.transform, x, y) - x;
    found.dy = pose_y(&found.transform, x, y) - y;
    return found;
}

static endo_status compare_spectra(void *chain, const frame_pair *pairs, int n, chain_pair *out) {
    endo_chain *c = chain;
    endo_frames *frames;
    ENDO_TRY(frame_store_frames(c->session.store, &frames));
    endo_fourier_pair *asked = endo_alloc((size_t)n, sizeof *asked);
    endo_fourier_result *found = endo_alloc((size_t)n, sizeof *found);
    endo_status status = asked && found ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for %d pairs", n);
    for (int i = 0; status == ENDO_OK && i < n; i++) asked[i] = by_spectra(c, &pairs[i]);
    if (status == ENDO_OK) status = endo_fourier_register(frames, asked, (size_t)n, &c->fourier.pairs, found);
    for (int i = 0; status == ENDO_OK && i < n; i++) out[i] = of_spectra(c, &pairs[i], &found[i]);
    endo_free(asked);
    endo_free(found);
    return status;
}

/* -------------------------------------------------------------------------- chunks */

static int64_t area_of(mosaic_size size) { return (int64_t)size.width * size.height; }

static int largest_chunk(const endo_chain *c) { return frame_store_capacity(c->session.store) - KEPT; }

static int wanted_slots(endo_chain *c) {
    int frames = chain_session_rows(c)->frames;
    int most = frames < LARGEST_CHUNK ? frames : LARGEST_CHUNK;
    return KEPT + within((double)(CHUNK_PIXELS / area_of(sequence_size(c->sequence))), 1, most);
}

static int first_chunk(const endo_chain *c) {
    int pixels = c->kind == CHAIN_OF_EXPOSURES ? FIRST_PIXELS : FIRST_PIXELS_BY_SPECTRA;
    return within((double)(pixels / area_of(sequence_size(c->sequence))), 1, largest_chunk(c));
}

/* *read = 0: the frame cannot be read, which is reported once. */
static endo_status read_frame(endo_chain *c, int frame, int *read) {
    int slot;
    *read = 0;
    if (c->is_unreadable[frame]) return ENDO_OK;
    ENDO_TRY(frame_store_ask(c->session.store, frame, &slot));
    *read = slot >= 0;
    if (*read) return ENDO_OK;
    c->is_unreadable[frame] = 1;
    events_say(&c->events, ENDO_EVENT_LOG, ENDO_EVENT_UNREADABLE, frame, frame, "%s; skipped", sequence_reason(c->sequence));
    return ENDO_OK;
}

/* Reads frames up to `end` and lists those that can be read; CANCELLED if the run was cancelled. */
static endo_status read_chunk(endo_chain *c, int end, int *frames, int *n) {
    *n = 0;
    for (int frame = chain_session_rows(c)->n; frame < end; frame++) {
        int read;
        if (events_cancelled(&c->events)) return endo_fail(ENDO_CANCELLED, "cancelled");
        ENDO_TRY(read_frame(c, frame, &read));
        if (read) frames[(*n)++] = frame;
    }
    return ENDO_OK;
}

static endo_status register_chunk(endo_chain *c, int end, const int *frames, int n) {
    chain_rows *rows = chain_session_rows(c);
    chain_pairs pairs = pair_scores_for_rules(&c->scores);
    int expected[LARGEST_CHUNK][2];
    chain_rows_expected(rows, frames, n, expected);
    ENDO_TRY(pair_scores_compute(&c->scores, expected, n));
    while (rows->n < end) {
        if (c->is_unreadable[rows->n])
            ENDO_TRY(chain_rows_skip(rows));
        else
            ENDO_TRY(chain_rows_add(rows, &pairs, c->session.computing.kind));
    }
    return ENDO_OK;
}

/* Sets the length of the next chunk, by the time that so many frames took. */
static void set_chunk(endo_chain *c, int frames, double seconds) {
    double each = seconds / frames;
    double wanted = CHUNK_SECONDS / (each > 1e-6 ? each : 1e-6);
    double twice = 2.0 * c->chunk;
    c->chunk = within(wanted < twice ? wanted : twice, 1, largest_chunk(c));
}

static endo_status step(void *chain) {
    endo_chain *c = chain;
    chain_rows *rows = chain_session_rows(c);
    int frames[LARGEST_CHUNK];
    int held[CHAIN_HELD];
    int slot;
    int n;
    ENDO_TRY(frame_session_need_store(&c->session));
    endo_context_set_cancel(c->session.computing.context, c->events.hooks.cancelled, c->events.hooks.user);
    pair_scores_forget(&c->scores);
    c->chunk = within(c->chunk, 1, largest_chunk(c));
    int first = rows->n;
    int end = rows->frames - first < c->chunk ? rows->frames : first + c->chunk;
    if (rows->fixed >= 0) ENDO_TRY(ask(c, rows->fixed, &slot));
    ENDO_TRY(read_chunk(c, end, frames, &n));
    double start = mosaic_seconds();
    ENDO_TRY(register_chunk(c, end, frames, n));
    chain_rows_held(rows, held);
    frame_store_keep_only(c->session.store, held, CHAIN_HELD);
    set_chunk(c, end - first, mosaic_seconds() - start);
    return ENDO_OK;
}

static endo_status go(endo_chain *c) {
    const chain_rows *rows = chain_session_rows(c);
    while (!is_done(c)) {
        if (events_cancelled(&c->events)) return endo_fail(ENDO_CANCELLED, "cancelled");
        ENDO_TRY(frame_session_persist(&c->session, step, c));
        events_progress(&c->events, (double)rows->n / rows->frames);
    }
    return ENDO_OK;
}

/* Reports an end before the last frame, and returns the status of the run. */
static endo_status end(endo_chain *c, endo_status status) {
    char range[MOSAIC_RANGE];
    endo_outcome why;
    int next = chain_session_rows(c)->n;
    if (c->is_lost && status == ENDO_ERR_ARGUMENT) return lose(c);
    if (status == ENDO_OK || status == ENDO_CANCELLED) return status;
    endo_outcome_keep(&why, status);
    events_say(&c->events, ENDO_EVENT_LOG, ENDO_EVENT_UNFINISHED, next, next, "stopped at %s: %s",
               mosaic_range(c->events.numbers, next, next, range), why.message);
    return endo_fail(status, "%s", why.message);
}

/* ----------------------------------------------------------------------------- field */

/* Least share of the rectangle between bars that is bright. */
#define BOX 0.98

/* Whether a field is what two bars leave, above and below or left and right, as in letterboxed video: they do not move with the
 * scene. Other bright regions may be the scene itself, such as a head in the dark. */
static int is_boxed(const field_of_view *f) {
    mosaic_rect b = f->bounds;
    int64_t inside = 0;
    int is_wide = b.left == 0 && b.right == f->size.width, is_high = b.top == 0 && b.bottom == f->size.height;
    if (is_wide == is_high) return 0;
    for (int y = b.top; f->mask && y < b.bottom; y++)
        for (int x = b.left; x < b.right; x++) inside += f->mask[(size_t)y * (size_t)f->size.width + (size_t)x] != 0;
    return (double)inside >= BOX * (b.right - b.left) * (b.bottom - b.top);
}

/* Most of a colour image that highlights cover: where more of it is white, that is the scene. */
#define HIGHLIGHTS 0.1

/* Whether frames in colour are those of an endoscope, as far as highlights go, which move with it: a little of three of them is
 * white, and most is neither grey nor white. */
static int shows_highlights(mosaic_sequence *s) {
    mosaic_size size = sequence_size(s);
    size_t area = (size_t)size.width * (size_t)size.height, white = 0, grey = 0, seen = 0;
    if (sequence_type(s) != ENDO_RGB32) return 0;
    for (int k = 0; k < 3; k++) {
        int frame = (int)((int64_t)k * (sequence_count(s) - 1) / 2);
        const void *lent = sequence_lend(s, frame, 1);
        const uint32_t *rgb = lent ? sequence_hold(s, lent, 1) : NULL;
        for (size_t i = 0; rgb && i < area; i++) {
            white += endo_is_specular_rgb(rgb[i]) != 0;
            grey += endo_is_grey_rgb(rgb[i]) != 0;
        }
        if (rgb) sequence_let_go(s, lent, rgb, 1);
        if (lent) sequence_give_back(s, frame, lent, 1);
        seen += rgb ? area : 0;
    }
    return (double)white <= HIGHLIGHTS * (double)seen && 2 * grey < seen;
}

/* Options of a store of whole frames or of their field. */
static endo_frames_options store_options(const endo_chain *c, const field_of_view *field, int highlights) {
    endo_frames_options options = field_of_view_options(field, sequence_type(c->sequence), 1);
    options.highlights = highlights;
    options.flow = 0;
    options.keep_pixels = 0;
    return options;
}

/* Whether neighbours are registered better in the field alone (still_surround.h). */
static endo_status try_field(endo_chain *c, int *takes) {
    field_of_view all = c->field;
    *takes = 0;
    if (!c->field.mask || c->kind != CHAIN_BY_SPECTRA) return ENDO_OK;
    all.mask = NULL;
    const surround_trial trial = {
        .context = c->session.computing.context,
        .sequence = c->sequence,
        .events = &c->events,
        .pairs = &c->fourier.pairs,
        .field = store_options(c, &c->field, c->highlights),
        .whole = store_options(c, &all, c->highlights),
    };
    endo_status status = still_surround_find(&trial, takes);
    if (status != ENDO_OK) field_of_view_free(&c->field);
    return status;
}

/* Finds the pixels to compare: those selected, or those that a still surround leaves. */
static endo_status find_field(void *chain) {
    endo_chain *c = chain;
    endo_mosaic_options options = endo_mosaic_options_default();
    options.lens = 0;
    endo_context *context = c->session.computing.context;
    int readable;
    options.mask = c->kind == CHAIN_BY_SPECTRA ? c->fourier.mask : NULL;
    if (options.mask)
        options.field = ENDO_MOSAIC_FIELD_MASK;
    else if (!compared_frames_are_whole(c->compared))
        options.field = ENDO_MOSAIC_FIELD_WHOLE;
    ENDO_TRY(field_of_view_find(context, c->sequence, &options, 0, &c->events, &c->field, &readable));
    c->is_lost = !readable;
    c->highlights = 0;
    if (!readable || options.field != ENDO_MOSAIC_FIELD_AUTO) return ENDO_OK;
    int takes = c->field.is_circle || is_boxed(&c->field);
    c->highlights = c->kind == CHAIN_BY_SPECTRA && (takes || shows_highlights(c->sequence));
    if (!takes) ENDO_TRY(try_field(c, &takes));
    if (takes) return ENDO_OK;
    field_of_view_free(&c->field);
    options.field = ENDO_MOSAIC_FIELD_WHOLE;
    return field_of_view_find(context, c->sequence, &options, 0, &c->events, &c->field, &readable);
}

static endo_status open_field(endo_chain *c) {
    ENDO_TRY(frame_session_persist(&c->session, find_field, c));
    if (!c->is_lost) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "no frame can be read; the last said: %s", sequence_reason(c->sequence));
}

static endo_status open_store(endo_chain *c) {
    endo_frames_options options = store_options(c, &c->field, c->highlights);
    return frame_session_open(&c->session, &options, wanted_slots(c), KEPT + 1);
}

/* ------------------------------------------------------------------------------ runs */

static mosaic_rect rect_of(endo_chain_part part) {
    return (mosaic_rect){.left = part.left, .top = part.top, .right = part.right, .bottom = part.bottom};
}

static endo_status compare(endo_chain *c, const endo_mosaic_source *source) {
    compared_setup setup = {.frames = source};
    if (c->kind == CHAIN_BY_SPECTRA) {
        setup.onto = c->fourier.onto;
        setup.part = rect_of(c->fourier.part);
        setup.onto_part = rect_of(c->fourier.onto_part);
    }
    c->frame = (mosaic_size){.width = source->width, .height = source->height};
    ENDO_TRY(compared_frames_create(&setup, &c->compared));
    return sequence_create(compared_frames_source(c->compared), 0, 0, NULL, &c->sequence);
}

static endo_status begin_exposures(endo_chain *c, int frames) {
    const endo_exposure_chain_options *o = &c->exposures;
    if (o->kalman && o->period == 0)
        events_say(&c->events, ENDO_EVENT_LOG, ENDO_EVENT_OTHER, -1, -1,
                   "kalman: period is 0, a single bracket, in which there is no motion to follow; not used");
    c->scores.source = (pair_source){.find = find_pair, .register_all = align_exposures, .self = c};
    return exposure_chain_begin(&c->exposure_chain, o->reference, frames, o->kalman ? o->period : 0, !o->pairs.subpixel);
}

static endo_status begin_spectra(endo_chain *c, int frames) {
    c->scores.source = (pair_source){.find = find_pair, .register_all = compare_spectra, .self = c};
    c->fourier_chain = fourier_chain_of(c->fourier.onto ? frames : c->fourier.reference, frames);
    return ENDO_OK;
}

static endo_status start(endo_chain *c, const endo_mosaic_source *source) {
    c->is_unreadable = endo_alloc_zeroed((size_t)source->frames, 1);
    if (!c->is_unreadable) return endo_fail(ENDO_ERR_MEMORY, "no memory for a list of %d frames", source->frames);
    ENDO_TRY(c->kind == CHAIN_OF_EXPOSURES ? begin_exposures(c, source->frames) : begin_spectra(c, source->frames));
    ENDO_TRY(compare(c, source));
    c->events.numbers = sequence_numbers(c->sequence);
    back_end_job job = {
        .size = sequence_size(c->sequence),
        .type = sequence_type(c->sequence),
        .frames = source->frames,
        .fail_after = c->fail_after,
    };
    ENDO_TRY(frame_session_start(&c->session, context_of(c), &job, c->sequence, &c->events));
    ENDO_TRY(open_field(c));
    ENDO_TRY(open_store(c));
    c->chunk = first_chunk(c);
    c->has_begun = 1;
    return ENDO_OK;
}

static void close_run(endo_chain *c) {
    snprintf(c->backend, sizeof c->backend, "%s", c->session.computing.description);
    frame_session_close(&c->session);
    c->events.numbers = NULL;
    sequence_destroy(&c->sequence);
    compared_frames_destroy(&c->compared);
    pair_scores_free(&c->scores);
    endo_free(c->is_unreadable);
    c->is_unreadable = NULL;
}

endo_status chain_session_run(endo_chain *c, const endo_mosaic_source *source) {
    endo_status status = start(c, source);
    if (status == ENDO_OK) status = end(c, go(c));
    close_run(c);
    return status;
}

void chain_session_free(endo_chain *c) {
    chain_rows_free(&c->exposure_chain.rows);
    chain_rows_free(&c->fourier_chain);
    field_of_view_free(&c->field);
}
