/* One chain of frames (frame_chain.h). A record is written behind the last one, and counts when its frame is done. A call
 * reserves memory for all its lists before it changes anything, so that only the library can fail later. */
#include "frame_chain.h"

#include "base/memory.h"

#define NONE (-1)

/* After a failure: frames that are searched for in any case, and one in so many of the others. */
#define SEARCHES_AT_FIRST 3
#define SEARCHES 3

void frame_chain_init(frame_chain *c, relocaliser *finder, endo_frames *frames, frame_records *records, int from, int number) {
    mosaic_workspace *w = finder->workspace;
    mosaic_size size = sequence_size(w->sequence);
    *c = (frame_chain){
        .finder = finder,
        .events = w->events,
        .records = records,
        .from = from,
        .number = number,
        .reach = relocaliser_finds_nobody(finder) ? CHAIN_REACH_NEAR : CHAIN_REACH,
        .backend = w->computing.kind,
        .matcher = {.frames = frames, .options = w->options->pairs, .known = finder->known, .repeats_from = &w->repeats_from},
        .judge = {.size = size, .usual = &finder->usual, .failures = &c->failures},
        .candidates = {.judge = &c->judge},
        .beginning = {.finder = finder, .matcher = &c->matcher, .size = size},
        .searched_for = NONE,
        .elsewhere = NONE,
        .first = NONE,
        .last = {.frame = NONE, .slot = NONE},
    };
    chain_failures_init(&c->failures, w->events, records);
    chain_motion_init(&c->motion, size);
}

void frame_chain_free(frame_chain *c) {
    chain_failures_free(&c->failures);
    edges_free(&c->edges);
    endo_free(c->late);
    c->late = NULL;
}

void frame_chain_lies_between(frame_chain *c, const endo_mosaic_frame *before, const endo_mosaic_frame *after) {
    c->beginning.is_between = 1;
    c->beginning.before = *before;
    c->beginning.after = *after;
}

int frame_chain_held(const frame_chain *c, int frames[CHAIN_HELD]) {
    frames[0] = c->last.frame;
    if (!outlier_candidates_any(&c->candidates)) return 1;
    frames[1] = outlier_candidates_frame(&c->candidates).frame;
    return 2;
}

void frame_chain_move_to(frame_chain *c, endo_frames *frames, const int *slots, int backend) {
    c->matcher.frames = frames;
    c->backend = backend;
    if (c->last.frame >= 0) c->last.slot = slots[0];
    if (outlier_candidates_any(&c->candidates)) outlier_candidates_newest(&c->candidates)->slot = slots[1];
}

int frame_chain_is_late(const frame_chain *c, const endo_mosaic_edge *edge) {
    int i = c->n_late - 1;
    while (i >= 0 && c->late[i] > edge->current) i--;
    return i >= 0 && c->late[i] == edge->current;
}

static endo_mosaic_frame *record_of(const frame_chain *c, int frame) { return frame_record(c->records, frame); }

/* ----------------------------------------------------------------------- memory */

/* Reserves memory for n frames and the candidates: each frame is admitted once, over a gap at most, with one edge, and with a
 * second one where it is the first and was found elsewhere; the first frame may still wait to be admitted. */
static endo_status reserve(frame_chain *c, int n, placed_frames *paint) {
    int most = n + OUTLIER_PATIENCE + 1;
    ENDO_TRY(frame_records_reserve(c->records, n));
    ENDO_TRY(ARRAY_RESERVE(c->edges.items, c->edges.capacity, c->edges.n + 2 * most));
    ENDO_TRY(ARRAY_RESERVE(c->late, c->late_capacity, c->n_late + most));
    ENDO_TRY(frame_stretches_reserve(&c->failures.gaps, most));
    return ARRAY_RESERVE(paint->items, paint->capacity, paint->n + most);
}

/* ------------------------------------------------------------------- good frames */

endo_status frame_admit(relocaliser *finder, endo_mosaic_frame *record, const placed_frame *item, placed_frames *paint) {
    ENDO_TRY(placed_add(paint, item));
    record->order = ++finder->order;
    record->pose = item->pose;
    record->chain = item->canvas;
    record->registered = 1;
    return ENDO_OK;
}

static endo_status admit_first(frame_chain *c, placed_frames *paint) {
    c->is_alone = 0;
    return frame_admit(c->finder, record_of(c, c->first), &c->last, paint);
}

/* Searches other chains for a first frame, once. It may fail, so callers do it before they change anything. */
static endo_status search_for(frame_chain *c, int frame, int slot) {
    if (c->searched_for == frame) return ENDO_OK;
    ENDO_TRY(chain_begin_find(&c->beginning, frame, slot, &c->found));
    c->searched_for = frame;
    return ENDO_OK;
}

/* The scene repeats itself: a pair that was not compared with its rivals may be far off. */
static int repeats(const frame_chain *c) { return c->finder->workspace->repeats_from > 0; }

/* Gives the first frame the pose at which it was found in another chain. *is_found: it was found. */
static endo_status seek_first(frame_chain *c, int *is_found) {
    const found_frame *found = &c->found;
    endo_mosaic_frame *record = record_of(c, c->first);
    ENDO_TRY(search_for(c, c->first, c->last.slot));
    *is_found = found->is_found;
    if (!found->is_found) return ENDO_OK;
    c->number = found->chain;
    found_frame_describe(found, record);
    chain_motion_describe(&c->motion, &found->step, record);
    c->last.pose = found->pose;
    c->last.canvas = found->chain;
    endo_mosaic_edge edge = found->edge;
    if (repeats(c)) edge.doubtful = EDGE_TORN;
    return edges_add(&c->edges, &edge);
}

/* Begins with the first frame, at the pose where it was found, or alone. */
static endo_status begin(frame_chain *c, int frame, int slot, placed_frames *paint) {
    endo_mosaic_frame *record = record_of(c, frame);
    int is_at_once = relocaliser_searches_at_once(c->finder);
    int is_found = 0;
    if (is_at_once) ENDO_TRY(search_for(c, frame, slot));
    record->reference = frame;
    record->status = ENDO_FRAME_OK;
    record->chain = c->number;
    record->pose = pose_identity;
    c->first = frame;
    c->last = (placed_frame){.frame = frame, .slot = slot, .pose = pose_identity, .canvas = c->number};
    c->is_alone = 1;
    if (is_at_once) ENDO_TRY(seek_first(c, &is_found));
    return is_found ? admit_first(c, paint) : ENDO_OK;
}

/* Reports the frames without texture before the first one of the panorama, those of a sequence that begins in the dark. */
static void say_dark(frame_chain *c, int start) {
    char range[MOSAIC_RANGE];
    int first = start, last = start - 1;
    while (last >= c->from && record_of(c, last)->status != ENDO_FRAME_NO_TEXTURE) last--;
    for (int i = c->from; i <= last && first == start; i++)
        if (record_of(c, i)->status == ENDO_FRAME_NO_TEXTURE) first = i;
    if (last < c->from) return;
    events_say(c->events, ENDO_EVENT_LOG, ENDO_EVENT_LEFT_OUT, first, last, "%s: no texture; the panorama starts with frame %d",
               mosaic_range(c->events->numbers, first, last, range), frame_number(c->events->numbers, start));
}

/* Begins at the first frame with texture; frames before it are left out. */
static endo_status start(frame_chain *c, int frame, int slot, placed_frames *paint) {
    int has_texture = 0;
    ENDO_TRY(frame_matcher_has_texture(&c->matcher, slot, &has_texture));
    if (!has_texture) {
        record_of(c, frame)->status = ENDO_FRAME_NO_TEXTURE;
        return ENDO_OK;
    }
    int is_main = c->number == 0;
    ENDO_TRY(begin(c, frame, slot, paint));
    if (is_main) say_dark(c, frame);
    return ENDO_OK;
}

/* Another frame agrees with the first one, which is now painted, after a search for it in other chains. */
static endo_status meet(frame_chain *c, placed_frames *paint) {
    int is_found = 0;
    ENDO_TRY(seek_first(c, &is_found));
    return admit_first(c, paint);
}

static endo_status accept(frame_chain *c, int frame, int slot, const pair_match *match, placed_frames *paint) {
    endo_mosaic_frame *record = record_of(c, frame);
    if (c->is_alone) ENDO_TRY(meet(c, paint));
    endo_mosaic_edge edge = pair_match_edge(match, frame);
    if (repeats(c) && !match->is_compared) edge.doubtful = EDGE_TORN;
    placed_frame item = {
        .frame = frame,
        .slot = slot,
        .pose = pose_times(&c->last.pose, &match->transform),
        .canvas = c->number,
    };
    if (c->layers) ENDO_TRY(scene_layers_keep(c->layers, frame));
    ENDO_TRY(edges_add(&c->edges, &edge));
    if (frame < frame_chain_next(c)) c->late[c->n_late++] = frame;
    chain_motion_describe(&c->motion, &match->transform, record);
    if (frame == c->last.frame + 1)
        c->motion.last = match->transform;
    else
        ENDO_TRY(chain_failures_close(&c->failures, c->first, frame));
    chain_failures_clear(&c->failures);
    plausibility_add(&c->finder->usual, pair_match_unexplained(match));
    ENDO_TRY(frame_admit(c->finder, record, &item, paint));
    c->last = item;
    return ENDO_OK;
}

/* -------------------------------------------------------------------- candidates */

/* Leaves out the candidates as outliers. Those that could not be registered were counted when they came. */
static void leave_out(frame_chain *c) {
    outlier_candidate wrong[OUTLIER_PATIENCE];
    int n = outlier_candidates_release(&c->candidates, wrong);
    for (int i = 0; i < n; i++) {
        if (!pair_is_accepted(&c->judge, &c->last, &wrong[i].match)) continue;
        record_of(c, wrong[i].frame)->status = ENDO_FRAME_OUTLIER;
        chain_failures_add(&c->failures, wrong[i].frame);
    }
}

/* The first frame was the outlier: the chain begins with the first candidate. */
static endo_status start_later(frame_chain *c, const outlier_candidate *first, placed_frames *paint) {
    char range[MOSAIC_RANGE];
    const int32_t *numbers = c->events->numbers;
    record_of(c, c->last.frame)->status = ENDO_FRAME_OUTLIER;
    if (!pair_is_accepted(&c->judge, &c->last, &first->match)) c->elsewhere = c->last.frame;
    events_say(c->events, ENDO_EVENT_LOG, ENDO_EVENT_LEFT_OUT, c->last.frame, first->frame - 1,
               "%s left out (the frames after agree with one another and not with frame %d); the %s starts with frame %d",
               mosaic_range(numbers, c->last.frame, first->frame - 1, range),
               frame_number(numbers, c->last.frame),
               c->number == 0 ? "panorama" : "part after the gap", frame_number(numbers, first->frame));
    mosaic_forget_pair(record_of(c, first->frame));
    ENDO_TRY(begin(c, first->frame, first->slot, paint));
    chain_failures_clear(&c->failures);
    return ENDO_OK;
}

/* Finds the slot of a candidate, which may have left the store. *slot = -1: the store is full, or it cannot be read. */
static endo_status find_slot(const frame_chain *c, int frame, int *slot) {
    frame_store *store = c->finder->workspace->store;
    *slot = store ? frame_store_slot(store, frame) : -1;
    return store && *slot < 0 && frame_store_has_room(store) ? frame_store_read(store, frame, slot) : ENDO_OK;
}

/* Whether candidates that are accepted start the panorama in place of a first frame that is alone: three of them agree with one
 * another and not with it, or two after which none follows; or nothing speaks for it. */
static int candidates_start(const frame_chain *c, int is_end) {
    const outlier_candidate *next = &c->candidates.items[0];
    if (!c->is_alone || c->candidates.n == 1) return 0;
    return is_end || outlier_candidates_are_scene(&c->candidates) || !pair_is_accepted(&c->judge, &c->last, &next->match) ||
           plausibility_is_wild(c->judge.usual, next->differing);
}

/* Searches other chains for the frame that becomes the first one when candidates are accepted. */
static endo_status search_ahead(frame_chain *c, int starts_later) {
    int first = c->candidates.items[0].frame;
    int slot = -1;
    if (!c->is_alone) return ENDO_OK;
    if (!starts_later) return search_for(c, c->first, c->last.slot);
    if (c->searched_for != first) ENDO_TRY(find_slot(c, first, &slot));
    return search_for(c, first, slot);
}

/* Accepts the candidates: the scene has changed, or the first frame was the outlier. */
static endo_status accept_candidates(frame_chain *c, int is_end, placed_frames *paint) {
    outlier_candidate right[OUTLIER_PATIENCE];
    int starts_later = candidates_start(c, is_end);
    ENDO_TRY(search_ahead(c, starts_later));
    int n = outlier_candidates_release(&c->candidates, right);
    int i = 0;
    if (starts_later) ENDO_TRY(start_later(c, &right[i++], paint));
    for (; i < n; i++) {
        if (c->layers) scene_layers_choose(c->layers, right[i].frame, &right[i].match);
        ENDO_TRY(accept(c, right[i].frame, right[i].slot, &right[i].match, paint));
    }
    return ENDO_OK;
}

/* is_end: no frame follows. */
static endo_status settle(frame_chain *c, outlier_decision decision, int is_end, placed_frames *paint) {
    if (decision == DECISION_ACCEPTED) return accept_candidates(c, is_end, paint);
    leave_out(c);
    return ENDO_OK;
}

/* Decides on the candidates by a new frame. *has_joined = 1: it is one of them. */
static endo_status decide(frame_chain *c, int frame, int slot, const pair_match *to_last, const pair_match *to_newest,
                          placed_frames *paint, int *has_joined) {
    outlier_decision decision = outlier_candidates_decide(&c->candidates, &c->last, to_last, to_newest);
    *has_joined = decision == DECISION_JOINED;
    if (!*has_joined) return settle(c, decision, 0, paint);
    const outlier_candidate one = {
        .frame = frame,
        .slot = slot,
        .match = *to_newest,
        .differing = pair_whole_difference(&c->judge, &c->last, to_last),
    };
    if (c->candidates.n + 1 >= OUTLIER_PATIENCE) ENDO_TRY(search_ahead(c, 1));
    pair_match_describe(to_newest, record_of(c, frame));
    outlier_candidates_add(&c->candidates, &one);
    return outlier_candidates_are_scene(&c->candidates) ? accept_candidates(c, 0, paint) : ENDO_OK;
}

/* ------------------------------------------------------------------ registration */

static endo_status fail(frame_chain *c, int frame, int slot) {
    endo_mosaic_frame *record = record_of(c, frame);
    int has_texture = 0;
    if (record->status == ENDO_FRAME_OK || record->status == ENDO_FRAME_JUMP) {
        ENDO_TRY(frame_matcher_has_texture(&c->matcher, slot, &has_texture));
        record->status = has_texture ? ENDO_FRAME_JUMP : ENDO_FRAME_NO_TEXTURE;
    }
    chain_failures_add(&c->failures, frame);
    if (c->failures.count <= c->reach) return ENDO_OK;
    c->has_ended = 1;
    if (!c->is_alone) chain_failures_say_end(&c->failures, c->first, c->last.frame);
    return ENDO_OK;
}

static int is_oblique(const frame_chain *c, const pair_match *match) {
    return pair_match_counts(match, chain_failures_any(&c->failures)) && pose_is_homography(&match->transform);
}

static endo_status reject(frame_chain *c, const outlier_candidate *one) {
    endo_mosaic_frame *record = record_of(c, one->frame);
    if (is_oblique(c, &one->match)) record->status = ENDO_FRAME_OBLIQUE;
    ENDO_TRY(fail(c, one->frame, one->slot));
    if (c->is_alone && record->status != ENDO_FRAME_NO_TEXTURE) outlier_candidates_add(&c->candidates, one);
    return ENDO_OK;
}

/* Rivals that no batch asked for: since then the scene was seen to repeat itself, or the pair was registered by itself. */
static endo_status ask_rivals(frame_chain *c, int slot, pair_match *match) {
    const endo_pair pair = {.reference = c->last.slot, .current = slot};
    int32_t repeats = 0;
    match->best = match->result;
    ENDO_TRY(endo_pairs_try_rivals(c->matcher.frames, &pair, 1, &c->matcher.options, &match->best, &repeats));
    match->knows_rivals = 1;
    match->repeats = repeats;
    return ENDO_OK;
}

/* Whether the scene repeats itself is asked now and then, and of every frame once it did. */
static endo_status try_rivals(frame_chain *c, int frame, int slot, pair_match *match) {
    int *repeats_from = &c->finder->workspace->repeats_from;
    if (!frame_matcher_asks_rivals(&c->matcher, frame)) return ENDO_OK;
    if (!match->knows_rivals) ENDO_TRY(ask_rivals(c, slot, match));
    match->is_compared = 1;
    if (!match->repeats) return ENDO_OK;
    if (*repeats_from == 0) *repeats_from = frame + 1;
    match->result = match->best;
    match->transform = match->result.transform;
    match->status = match->result.status;
    match->is_torn = match->status != ENDO_FRAME_OK;
    match->layers.count = 0;
    return ENDO_OK;
}

/* One of the two layers was not found: it is searched for where it is expected. */
static endo_status search_layer(frame_chain *c, int slot, pair_match *match) {
    const endo_pair pair = {.reference = c->last.slot, .current = slot};
    endo_pair_layers expected;
    endo_transform start;
    endo_pair_result found = match->result;
    if (!scene_layers_misses(c->layers, match, &expected, &start)) return ENDO_OK;
    ENDO_TRY(endo_pairs_register_layer(c->matcher.frames, &pair, &start, &expected, 1, &c->matcher.options, &found));
    scene_layers_complete(c->layers, &expected, &found, match);
    return ENDO_OK;
}

/* A second motion comes in. The next frames tell whether it stays, as an instrument does, or the frame is damaged. */
static int changes_scene(const frame_chain *c, const pair_match *match) {
    if (!c->layers || match->layers.count != 2 || scene_layers_goes_on(c->layers, match)) return 0;
    return plausibility_is_suspicious(c->judge.usual, pair_whole_difference(&c->judge, &c->last, match));
}

static void await_others(frame_chain *c, int frame, int slot, const pair_match *match) {
    const outlier_candidate one = {
        .frame = frame,
        .slot = slot,
        .match = *match,
        .differing = pair_whole_difference(&c->judge, &c->last, match),
    };
    outlier_candidates_add(&c->candidates, &one);
}

/* Adds a frame that has a match with the last good one, while there are no candidates. */
static endo_status follow(frame_chain *c, int frame, int slot, const pair_match *found, placed_frames *paint) {
    pair_match chosen = *found;
    pair_match separated = *found; /* before one of its two motions is chosen, as a candidate's is when it is accepted */
    ENDO_TRY(try_rivals(c, frame, slot, &chosen));
    if (pair_is_accepted(&c->judge, &c->last, &chosen) && changes_scene(c, &chosen)) {
        pair_match_describe(&chosen, record_of(c, frame));
        await_others(c, frame, slot, &chosen);
        return ENDO_OK;
    }
    if (c->layers) ENDO_TRY(search_layer(c, slot, &chosen));
    separated = chosen;
    if (c->layers) scene_layers_choose(c->layers, frame, &chosen);
    const pair_match *match = &chosen;
    outlier_candidate one = {.frame = frame, .slot = slot, .match = *match, .differing = 1};
    pair_match_describe(match, record_of(c, frame));
    if (!pair_is_accepted(&c->judge, &c->last, match)) return reject(c, &one);
    if (!pair_is_suspicious(&c->judge, &c->last, match)) return accept(c, frame, slot, match, paint);
    await_others(c, frame, slot, &separated);
    return ENDO_OK;
}

/* Where tracking was lost the scope may be back anywhere: the first frames and one in three after them are searched for, the
 * others only where the flow leads. */
static int is_searched(const frame_chain *c) {
    return c->failures.count < SEARCHES_AT_FIRST || c->failures.count % SEARCHES == SEARCHES - 1;
}

static endo_status match_with_last(frame_chain *c, int frame, int slot, const pair_batch *batch, pair_match *out) {
    if (is_searched(c)) return frame_matcher_match(&c->matcher, &c->last, frame, slot, batch, out);
    return frame_matcher_match_nearby(&c->matcher, &c->last, frame, slot, out);
}

static endo_status register_frame(frame_chain *c, int frame, int slot, const pair_batch *batch, placed_frames *paint) {
    pair_match to_last;
    pair_match to_newest;
    int has_joined = 0;
    if (c->last.frame < 0) return start(c, frame, slot, paint);
    ENDO_TRY(match_with_last(c, frame, slot, batch, &to_last));
    if (!outlier_candidates_any(&c->candidates)) return follow(c, frame, slot, &to_last, paint);
    placed_frame newest = outlier_candidates_frame(&c->candidates);
    ENDO_TRY(frame_matcher_match(&c->matcher, &newest, frame, slot, batch, &to_newest));
    ENDO_TRY(decide(c, frame, slot, &to_last, &to_newest, paint, &has_joined));
    if (has_joined) return ENDO_OK;
    return follow(c, frame, slot, c->last.frame == to_newest.reference ? &to_newest : &to_last, paint);
}

static endo_status add_frame(frame_chain *c, int slot, const pair_batch *batch, placed_frames *paint) {
    int frame = frame_chain_next(c);
    endo_mosaic_frame *record = record_of(c, frame);
    *record = mosaic_unknown_frame();
    record->number = frame_number(c->events->numbers, frame);
    if (slot >= 0) {
        record->backend = c->backend;
        ENDO_TRY(register_frame(c, frame, slot, batch, paint));
    }
    if (!record->registered && c->last.frame >= 0) record->pose = chain_motion_predicted(&c->motion, &c->last, frame);
    c->records->n++;
    return ENDO_OK;
}

/* The frame that the first of the next ones is searched for beside, stored in *out; NULL: none. */
static const placed_frame *reference(const frame_chain *c, placed_frame *out) {
    if (c->last.frame < 0 || (!outlier_candidates_any(&c->candidates) && !is_searched(c))) return NULL;
    *out = outlier_candidates_any(&c->candidates) ? outlier_candidates_frame(&c->candidates) : c->last;
    return out;
}

endo_status frame_chain_add(frame_chain *c, const int *slots, int n, placed_frames *paint) {
    pair_batch *batch = NULL;
    placed_frame before;
    ENDO_TRY(reserve(c, n, paint));
    ENDO_TRY(pair_batch_create(&c->matcher, reference(c, &before), frame_chain_next(c), slots, n, &batch));
    endo_status status = ENDO_OK;
    for (int i = 0; i < n && !c->has_ended && status == ENDO_OK; i++) status = add_frame(c, slots[i], batch, paint);
    pair_batch_destroy(&batch);
    if (status != ENDO_OK || !c->has_ended) return status;
    c->records->n = c->failures.first - c->records->first;
    c->candidates.n = 0;
    return ENDO_OK;
}

endo_status frame_chain_finish(frame_chain *c, placed_frames *paint) {
    ENDO_TRY(reserve(c, 0, paint));
    if (outlier_candidates_any(&c->candidates))
        ENDO_TRY(settle(c, outlier_candidates_decide_last(&c->candidates, &c->last, c->is_alone), 1, paint));
    if (c->has_ended || !chain_failures_any(&c->failures)) return ENDO_OK;
    return chain_failures_close_last(&c->failures, frame_chain_next(c) - 1, c->first, c->last.frame);
}
