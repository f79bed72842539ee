/* The first stage (chain_stage.h). Where a chain ends the next one begins. Each frame is also registered with the last key
 * frame of its chain. Stretches of frames that a chain left out are tried again at the end, as chains of their own, and so are
 * those that these chains leave out. */
#include "chain_stage.h"

#include "base/memory.h"
#include "key_frame_pairs.h"
#include "scene_layers.h"

#include <stdio.h>

/* Time that a chunk should take, s, so that a cancel is answered soon. */
#define CHUNK_SECONDS 0.1
/* Largest growth from one chunk to the next. */
#define GROWTH 2
/* Frames of a chunk until the chain is known to go on. */
#define FIRST_CHUNK (CHAIN_REACH + 2)
/* Least time of a frame, s. */
#define LEAST_SECONDS 1e-6

struct chain_stage {
    mosaic_workspace *workspace;
    key_frames keys;
    relocaliser finder;
    frame_stretches stretches; /* still to be chained; the last one comes next */
    frame_stretches gaps;      /* left out by chains, and possibly other scenes */
    frame_records records;     /* one a frame, with those of the present chain */
    frame_records again;       /* records of a chain in a stretch that was left out */
    int is_again;              /* stretches that were left out are being tried again */
    mosaic_edges edges;        /* every accepted pair of finished chains */
    frame_stretch stretch;     /* of the present chain */
    frame_chain chain;
    int has_chain; /* 0: everything is done */
    int chains;    /* number of chains so far */
    key_frame_pairs pairs;
    int is_settled; /* 1: the motions of `layers` are settled */
    placed_frame first_alone; /* first frame that no other one agreed with; its number is -1 until there is one */
    int chunk;                /* frames that are registered in a step */
    int *slots;               /* one a frame of a chunk */
    int slots_capacity;
};

/* --------------------------------------------------------------------------- memory */

/* Reserves memory for the end of a chain: its gaps, the rest of its stretch, and one painted frame. */
static endo_status reserve_end(chain_stage *s) {
    const frame_stretches *gaps = &s->chain.failures.gaps;
    placed_frames *waiting = &s->workspace->waiting;
    int lost = s->chain.elsewhere >= 0;
    for (int i = 0; i < gaps->n; i++) lost += gaps->items[i].last - gaps->items[i].first + 1;
    ENDO_TRY(ARRAY_RESERVE(s->edges.items, s->edges.capacity, s->edges.n + s->chain.edges.n));
    ENDO_TRY(frame_stretches_reserve(&s->gaps, lost));
    ENDO_TRY(frame_stretches_reserve(&s->stretches, s->gaps.n + lost + 1));
    return ARRAY_RESERVE(waiting->items, waiting->capacity, waiting->n + 1);
}

/* ------------------------------------------------------------------- ends of a run */

/* Frames that agree with no other one are in no panorama, unless there is nothing else. */
static endo_status settle_alone(chain_stage *s) {
    int is_nothing = s->first_alone.frame >= 0;
    for (int i = 0; i < s->records.n; i++) is_nothing = is_nothing && !s->records.items[i].registered;
    if (is_nothing) {
        endo_mosaic_frame *record = frame_record(&s->records, s->first_alone.frame);
        ENDO_TRY(frame_admit(&s->finder, record, &s->first_alone, &s->workspace->waiting));
    }
    for (int i = 0; i < s->records.n; i++) {
        endo_mosaic_frame *record = &s->records.items[i];
        if (record->registered || record->status != ENDO_FRAME_OK) continue;
        record->status = ENDO_FRAME_JUMP;
        record->reference = -1;
    }
    return ENDO_OK;
}

/* --------------------------------------------------------------------------- chains */

/* Makes the stretches that were left out the next ones to be chained, the first one first. Memory was reserved. */
static void take_gaps(chain_stage *s) {
    s->is_again = 1;
    while (s->gaps.n > 0) s->stretches.items[s->stretches.n++] = s->gaps.items[--s->gaps.n];
}

static void begin_chain(chain_stage *s, endo_frames *frames) {
    frame_records *records = s->is_again ? &s->again : &s->records;
    s->stretch = s->stretches.items[--s->stretches.n];
    int first = s->stretch.first;
    int after = s->stretch.last + 1;
    frame_chain_free(&s->chain);
    key_frame_pairs_free(&s->pairs);
    if (s->is_again) {
        s->again.n = 0;
        s->again.first = first;
    }
    frame_chain_init(&s->chain, &s->finder, frames, records, first, s->chains++);
    if (s->is_again && first > 0 && after < s->records.n)
        frame_chain_lies_between(&s->chain, frame_record(&s->records, first - 1), frame_record(&s->records, after));
    scene_layers_begin(s->workspace->layers);
    s->chain.layers = s->workspace->layers;
    key_frame_pairs_init(&s->pairs, s->workspace, &s->chain, &s->keys);
    s->has_chain = 1;
}

static endo_status next_chain(chain_stage *s, endo_frames *frames) {
    s->has_chain = 0;
    if (!s->stretches.n) take_gaps(s);
    if (!s->stretches.n) return settle_alone(s);
    begin_chain(s, frames);
    return ENDO_OK;
}

static int may_be_scene(const endo_mosaic_frame *record) {
    return record->status == ENDO_FRAME_JUMP || record->status == ENDO_FRAME_FEW_LANDMARKS;
}

/* Adds the parts of a gap that may be another scene: frames neither damaged nor without texture. Memory was reserved. */
static void add_scenes(chain_stage *s, frame_stretch gap) {
    int begin = gap.first;
    for (int frame = gap.first; frame <= gap.last + 1; frame++) {
        if (frame <= gap.last && may_be_scene(frame_record(s->chain.records, frame))) continue;
        if (frame > begin) s->gaps.items[s->gaps.n++] = (frame_stretch){.first = begin, .last = frame - 1};
        begin = frame + 1;
    }
}

/* Keeps the records of frames of a left-out stretch that are registered now. */
static void keep_records(chain_stage *s) {
    for (int i = 0; i < s->again.n; i++)
        if (s->again.items[i].registered) *frame_record(&s->records, s->again.first + i) = s->again.items[i];
}

/* After a failure it can be called again. */
static endo_status finish_chain(chain_stage *s) {
    frame_chain *chain = &s->chain;
    ENDO_TRY(frame_chain_finish(chain, &s->workspace->waiting));
    ENDO_TRY(key_frame_pairs_update(&s->pairs));
    ENDO_TRY(reserve_end(s));
    if (s->is_again) keep_records(s);
    ENDO_TRY(edges_append(&s->edges, &chain->edges));
    for (int i = 0; i < chain->failures.gaps.n && !(s->is_again && chain->is_alone); i++)
        add_scenes(s, chain->failures.gaps.items[i]);
    if (chain->elsewhere >= 0 && !s->is_again)
        s->gaps.items[s->gaps.n++] = (frame_stretch){.first = chain->elsewhere, .last = chain->elsewhere};
    if (s->first_alone.frame < 0 && chain->is_alone) s->first_alone = chain->last;
    return ENDO_OK;
}

static int held(void *stage, int frames[STAGE_HELD]);

/* Called while no frames of a chunk are in use; the next chunk needs their slots. */
static endo_status register_pairs(chain_stage *s) {
    int frames[STAGE_HELD];
    int n = held(s, frames);
    double start = mosaic_seconds();
    ENDO_TRY(key_frame_pairs_register(&s->pairs, frames, n, &s->edges));
    frame_store_keep_only(s->workspace->store, frames, n);
    s->workspace->times.pairs += mosaic_seconds() - start;
    return ENDO_OK;
}

static endo_status end_chain(chain_stage *s) {
    const frame_chain *chain = &s->chain;
    endo_frames *frames = NULL;
    ENDO_TRY(register_pairs(s));
    ENDO_TRY(frame_store_frames(s->workspace->store, &frames));
    ENDO_TRY(finish_chain(s));
    relocaliser_chain_ended(&s->finder, chain->has_ended && chain->is_alone);
    if (chain->has_ended) {
        const frame_stretch rest = {.first = frame_chain_next(chain), .last = s->stretch.last};
        if (!chain->is_alone) relocaliser_lost_after(&s->finder, &chain->last);
        s->stretches.items[s->stretches.n++] = rest;
    }
    return next_chain(s, frames);
}

endo_status chain_stage_finish(chain_stage *s) {
    if (s->has_chain) {
        ENDO_TRY(finish_chain(s));
        s->has_chain = 0;
        ENDO_TRY(settle_alone(s));
    }
    if (!s->is_settled) {
        ENDO_TRY(scene_layers_settle(s->workspace->layers, &s->records, &s->edges, s->workspace->events));
        s->is_settled = 1;
    }
    return workspace_paint_waiting(s->workspace, NULL, 0);
}

/* ---------------------------------------------------------------------------- steps */

static int done(void *stage) {
    const chain_stage *s = stage;
    return !s->has_chain;
}

int chain_stage_frames(const chain_stage *s) { return s->records.n; }

static double share(void *stage) {
    const chain_stage *s = stage;
    return (double)s->records.n / sequence_count(s->workspace->sequence);
}

static int is_over(const chain_stage *s) { return s->chain.has_ended || frame_chain_next(&s->chain) > s->stretch.last; }

/* Pairs with key frames, which only the solution needs, can wait where no frame has to leave the store. */
static int waits_for_company(const chain_stage *s) {
    return workspace_keeps_all(s->workspace) && s->pairs.n_waiting < workspace_pairs_a_step(s->workspace) / 2;
}

static endo_status paint_waiting(chain_stage *s) {
    int frames[STAGE_HELD];
    return workspace_paint_waiting(s->workspace, frames, held(s, frames));
}

/* A new chain asks for the frames after which tracking was lost. */
static endo_status read_ends(chain_stage *s) {
    int ends[RELOCALISER_ENDS];
    mosaic_workspace *w = s->workspace;
    relocaliser_end_frames(&s->finder, ends);
    for (int i = 0; i < RELOCALISER_ENDS; i++) {
        int slot = 0;
        if (ends[i] < 0) continue;
        ENDO_TRY(frame_store_read(w->store, ends[i], &slot));
        if (slot < 0)
            events_say(w->events, ENDO_EVENT_LOG, ENDO_EVENT_UNREADABLE, ends[i], ends[i], "%s again",
                       sequence_reason(w->sequence));
    }
    return ENDO_OK;
}

static int frames_of_chunk(const chain_stage *s) {
    int is_new = frame_chain_is_empty(&s->chain) || s->chain.is_alone;
    int left = s->stretch.last + 1 - frame_chain_next(&s->chain);
    int most = is_new && s->chunk > FIRST_CHUNK ? FIRST_CHUNK : s->chunk;
    return most < left ? most : left;
}

/* Reads the next frames into slots; *n: their number, 0 if the run was cancelled. */
static endo_status read_chunk(chain_stage *s, int *n) {
    mosaic_workspace *w = s->workspace;
    int first = frame_chain_next(&s->chain);
    int frames = frames_of_chunk(s);
    *n = 0;
    ENDO_TRY(ARRAY_RESERVE(s->slots, s->slots_capacity, frames));
    for (int i = 0; i < frames; i++) {
        if (events_cancelled(w->events)) return ENDO_OK;
        ENDO_TRY(frame_store_ask(w->store, first + i, &s->slots[i]));
        if (s->slots[i] < 0)
            events_say(w->events, ENDO_EVENT_LOG, ENDO_EVENT_UNREADABLE, first + i, first + i, "%s; skipped",
                       sequence_reason(w->sequence));
    }
    ENDO_TRY(frame_store_flush(w->store));
    *n = frames;
    return ENDO_OK;
}

static int lesser(int a, int b) { return a < b ? a : b; }

/* Starts reading the frames after this chunk while the chunk is registered. */
static endo_status expect(chain_stage *s, int n) {
    int next = frame_chain_next(&s->chain) + n;
    int most = lesser(GROWTH * s->chunk, workspace_largest_chunk(s->workspace));
    return workspace_expect(s->workspace, next, lesser(s->stretch.last + 1, next + most));
}

static endo_status register_chunk(chain_stage *s, int n) {
    int frames[STAGE_HELD];
    mosaic_workspace *w = s->workspace;
    double start = mosaic_seconds();
    ENDO_TRY(frame_chain_add(&s->chain, s->slots, n, &w->waiting));
    ENDO_TRY(key_frame_pairs_update(&s->pairs));
    if (!workspace_keeps_all(w)) ENDO_TRY(key_frame_pairs_register(&s->pairs, frames, held(s, frames), &s->edges));
    w->times.pairs += mosaic_seconds() - start;
    return ENDO_OK;
}

/* Sets the length of the next chunk by the time that a frame of this one took, s. */
static void adapt(chain_stage *s, double seconds) {
    double wanted = CHUNK_SECONDS / (seconds > LEAST_SECONDS ? seconds : LEAST_SECONDS);
    double most = lesser(GROWTH * s->chunk, workspace_largest_chunk(s->workspace));
    double next = wanted < most ? wanted : most;
    s->chunk = next < 1 ? 1 : (int)next;
}

static void tell_painted(const chain_stage *s) {
    const endo_mosaic_hooks *hooks = &s->workspace->events->hooks;
    if (hooks->painted) hooks->painted(hooks->user, s->chain.number);
}

/* Registers and chains the frames of a chunk that is in the store. */
static endo_status chain_chunk(chain_stage *s, int n) {
    mosaic_workspace *w = s->workspace;
    ENDO_TRY(expect(s, n));
    double start = mosaic_seconds();
    ENDO_TRY(register_chunk(s, n));
    int is_seen = w->waiting.n > 0 && !workspace_full(w);
    ENDO_TRY(paint_waiting(s));
    adapt(s, (mosaic_seconds() - start) / n);
    if (is_seen) tell_painted(s);
    return is_over(s) ? end_chain(s) : ENDO_OK;
}

static endo_status step(void *stage) {
    chain_stage *s = stage;
    int n = 0;
    s->chunk = lesser(s->chunk, workspace_largest_chunk(s->workspace));
    ENDO_TRY(paint_waiting(s));
    ENDO_TRY(key_frame_pairs_update(&s->pairs));
    if (is_over(s)) return end_chain(s);
    if (!waits_for_company(s)) ENDO_TRY(register_pairs(s));
    if (frame_chain_is_empty(&s->chain)) ENDO_TRY(read_ends(s));
    ENDO_TRY(read_chunk(s, &n));
    return n ? chain_chunk(s, n) : ENDO_OK;
}

/* -------------------------------------------------------------------------- failures */

static int held(void *stage, int frames[STAGE_HELD]) {
    const chain_stage *s = stage;
    int n = s->has_chain ? frame_chain_held(&s->chain, frames) : 0;
    int key = key_frame_pairs_key(&s->pairs);
    if (key >= 0) {
        frames[n] = key;
        return n + 1;
    }
    relocaliser_end_frames(&s->finder, frames + n);
    return n + RELOCALISER_ENDS;
}

static void move_to(void *stage, endo_frames *frames, const int *slots, int backend) {
    chain_stage *s = stage;
    if (s->has_chain) frame_chain_move_to(&s->chain, frames, slots, backend);
}

static void where(void *stage, char *out, size_t size) {
    const chain_stage *s = stage;
    char range[MOSAIC_RANGE];
    int next = lesser(s->records.n, sequence_count(s->workspace->sequence) - 1);
    snprintf(out, size, "%s", mosaic_range(s->workspace->events->numbers, next, next, range));
}

static endo_status painted(void *stage, placed_frames *out) {
    const chain_stage *s = stage;
    return placed_add_registered(out, s->records.items, s->records.n);
}

static const mosaic_stage_calls calls = {
    .done = done,
    .step = step,
    .share = share,
    .where = where,
    .painted = painted,
    .held = held,
    .move_to = move_to,
};

mosaic_stage chain_stage_calls(chain_stage *stage) { return (mosaic_stage){.calls = &calls, .self = stage}; }

/* -------------------------------------------------------------------- create, destroy */

static endo_status open_stage(chain_stage *s) {
    mosaic_workspace *w = s->workspace;
    const frame_stretch all = {.first = 0, .last = sequence_count(w->sequence) - 1};
    endo_frames *frames = NULL;
    ENDO_TRY(relocaliser_init(&s->finder, w, &s->keys));
    ENDO_TRY(frame_stretches_add(&s->stretches, all));
    ENDO_TRY(frame_store_frames(w->store, &frames));
    return next_chain(s, frames);
}

endo_status chain_stage_create(mosaic_workspace *workspace, chain_stage **out) {
    chain_stage *s = endo_alloc_zeroed(1, sizeof *s);
    if (!s) return endo_fail(ENDO_ERR_MEMORY, "no memory for the chains of frames");
    s->workspace = workspace;
    s->keys.field = workspace->field.bounds;
    s->first_alone.frame = -1;
    s->chunk = workspace_first_chunk(workspace);
    scene_layers_destroy(&workspace->layers);
    endo_status status = scene_layers_create(sequence_size(workspace->sequence), &workspace->layers);
    if (status == ENDO_OK) status = open_stage(s);
    if (status == ENDO_OK)
        *out = s;
    else
        chain_stage_destroy(&s);
    return status;
}

void chain_stage_destroy(chain_stage **stage) {
    chain_stage *s = *stage;
    *stage = NULL;
    if (!s) return;
    key_frame_pairs_free(&s->pairs);
    frame_chain_free(&s->chain);
    frame_stretches_free(&s->stretches);
    frame_stretches_free(&s->gaps);
    frame_records_free(&s->records);
    frame_records_free(&s->again);
    edges_free(&s->edges);
    relocaliser_free(&s->finder);
    key_frames_free(&s->keys);
    endo_free(s->slots);
    endo_free(s);
}

/* ---------------------------------------------------------------------- what it made */

endo_mosaic_frame *chain_stage_records(chain_stage *stage) { return stage->records.items; }

const mosaic_edges *chain_stage_edges(const chain_stage *stage) { return &stage->edges; }

const key_frames *chain_stage_keys(const chain_stage *stage) { return &stage->keys; }

plausibility *chain_stage_plausibility(chain_stage *stage) { return &stage->finder.usual; }
