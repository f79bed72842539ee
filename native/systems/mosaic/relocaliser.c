/* Search at the frames before losses and at key frames; a count of chains that found no other frame (relocaliser.h). */
#include "relocaliser.h"

#include "workspace_state.h"

/* Key frames that a frame is compared with at most. */
#define MOST_KEYS (2 * (SPECTRA_SLOTS - 1))

/* Chains in a row that found no other frame, after which the search is reduced. */
#define PATIENCE 3

/* In the reduced search one chain in this many searches for its first frame before another one agrees with it. */
#define STRIDE 8

endo_status relocaliser_init(relocaliser *r, mosaic_workspace *workspace, const key_frames *keys) {
    *r = (relocaliser){.workspace = workspace, .keys = keys};
    return pair_cache_create(&r->known);
}

void relocaliser_free(relocaliser *r) { pair_cache_destroy(&r->known); }

/* ------------------------------------------------------------------------- chains */

void relocaliser_chain_ended(relocaliser *r, int alone) { r->alone = alone ? r->alone + 1 : 0; }

void relocaliser_lost_after(relocaliser *r, const placed_frame *last) {
    placed_frame added = *last;
    for (int i = RELOCALISER_ENDS - 1; i > 0; i--) r->ends[i] = r->ends[i - 1];
    r->ends[0] = added;
    if (r->n_ends < RELOCALISER_ENDS) r->n_ends++;
}

void relocaliser_end_frames(const relocaliser *r, int frames[RELOCALISER_ENDS]) {
    for (int i = 0; i < RELOCALISER_ENDS; i++) frames[i] = i < r->n_ends ? r->ends[i].frame : -1;
}

int relocaliser_finds_nobody(const relocaliser *r) { return r->alone >= PATIENCE; }

int relocaliser_searches_at_once(const relocaliser *r) { return !relocaliser_finds_nobody(r) || r->alone % STRIDE == 0; }

/* -------------------------------------------------------------------------- found */

void found_frame_describe(const found_frame *found, endo_mosaic_frame *frame) {
    if (found->by_spectrum)
        spectra_describe(&found->spectrum, frame);
    else
        pair_match_describe(&found->match, frame);
}

static void say_found(relocaliser *r, int frame, int beside) {
    mosaic_events *events = r->workspace->events;
    events_say(events, ENDO_EVENT_LOG, ENDO_EVENT_FOUND, frame, frame, "frame %d: found beside frame %d",
               frame_number(events->numbers, frame), frame_number(events->numbers, beside));
}

static found_frame found_beside_end(const placed_frame *end, const pair_match *match, int frame) {
    return (found_frame){
        .is_found = 1,
        .chain = end->canvas,
        .pose = pose_times(&end->pose, &match->transform),
        .step = match->transform,
        .edge = pair_match_edge(match, frame),
        .match = *match,
    };
}

static found_frame found_beside_key(const key_frame *key, const spectra_match *match) {
    return (found_frame){
        .is_found = 1,
        .chain = key->chain,
        .pose = pose_times(&key->pose, &match->transform),
        .step = match->transform,
        .edge = spectra_edge(match),
        .by_spectrum = 1,
        .spectrum = *match,
    };
}

/* ------------------------------------------------------------------- last good frames */

/* Returns whether a frame shows the same as the one after which tracking was lost. */
static int is_there(const relocaliser *r, const placed_frame *end, const pair_match *match) {
    endo_transform pose = pose_times(&end->pose, &match->transform);
    return pair_match_counts(match, 1) && !plausibility_is_suspicious(&r->usual, pair_match_unexplained(match)) &&
           pose_is_invertible(&pose);
}

/* Registers a frame with one that is in the store. */
static endo_status find_beside(relocaliser *r, frame_matcher *matcher, placed_frame end, int frame, int slot,
                               found_frame *out) {
    pair_match match;
    ENDO_TRY(workspace_need_store(r->workspace));
    end.slot = frame_store_slot(r->workspace->store, end.frame);
    if (end.slot < 0) return ENDO_OK;
    ENDO_TRY(frame_matcher_match(matcher, &end, frame, slot, NULL, &match));
    if (!is_there(r, &end, &match)) return ENDO_OK;
    say_found(r, frame, end.frame);
    *out = found_beside_end(&end, &match, frame);
    return ENDO_OK;
}

endo_status relocaliser_find_where_lost(relocaliser *r, frame_matcher *matcher, int frame, int slot, found_frame *out) {
    *out = (found_frame){.is_found = 0};
    for (int i = 0; i < r->n_ends && !out->is_found; i++) ENDO_TRY(find_beside(r, matcher, r->ends[i], frame, slot, out));
    return ENDO_OK;
}

/* --------------------------------------------------------------------- key frames */

/* Chooses the latest key frames, and others spread evenly over the rest; returns their number. */
static int choose_keys(const key_frames *keys, int chosen[MOST_KEYS]) {
    int latest = keys->n < MOST_KEYS / 2 ? keys->n : MOST_KEYS / 2;
    int rest = keys->n - latest;
    int some = rest < MOST_KEYS - latest ? rest : MOST_KEYS - latest;
    int n = 0;
    for (int i = 1; i <= latest; i++) chosen[n++] = keys->n - i;
    for (int i = 0; i < some; i++) chosen[n++] = (int)((int64_t)i * rest / some);
    return n;
}

static int is_better(const spectra_match *a, const spectra_match *b) {
    return a->is_deformed == b->is_deformed ? a->ncc > b->ncc : b->is_deformed;
}

/* Index of the best match: the highest coefficient among those that one transform explains, if any; -1: none is accepted. */
static int best_of(const spectra_match *matches, int n) {
    int best = -1;
    for (int i = 0; i < n; i++)
        if (matches[i].is_accepted && (best < 0 || is_better(&matches[i], &matches[best]))) best = i;
    return best;
}

/* Compares the frame with as many key frames as the store of spectra holds beside it. */
static endo_status find_among(relocaliser *r, int frame, const int *keys, int n, found_frame *out) {
    int frames[SPECTRA_SLOTS - 1];
    spectra_match matches[SPECTRA_SLOTS - 1];
    spectra *s;
    for (int i = 0; i < n; i++) frames[i] = r->keys->items[keys[i]].frame;
    ENDO_TRY(workspace_spectra(r->workspace, &s));
    ENDO_TRY(spectra_search(s, frame, frames, n, 0, matches));
    int best = best_of(matches, n);
    if (best < 0) return ENDO_OK;
    say_found(r, frame, matches[best].reference);
    *out = found_beside_key(&r->keys->items[keys[best]], &matches[best]);
    return ENDO_OK;
}

endo_status relocaliser_find(relocaliser *r, int frame, found_frame *out) {
    int chosen[MOST_KEYS];
    int n = choose_keys(r->keys, chosen);
    *out = (found_frame){.is_found = 0};
    for (int from = 0; from < n && !out->is_found; from += SPECTRA_SLOTS - 1) {
        int some = n - from < SPECTRA_SLOTS - 1 ? n - from : SPECTRA_SLOTS - 1;
        ENDO_TRY(find_among(r, frame, chosen + from, some, out));
    }
    return ENDO_OK;
}

/* A key frame is read again where the store has room for it. */
endo_status relocaliser_find_among_tiles(relocaliser *r, frame_matcher *matcher, int frame, int slot, found_frame *out) {
    int chosen[MOST_KEYS];
    int n = choose_keys(r->keys, chosen);
    *out = (found_frame){.is_found = 0};
    for (int i = 0; i < n && !out->is_found; i++) {
        const key_frame *key = &r->keys->items[chosen[i]];
        const placed_frame beside = {.frame = key->frame, .slot = -1, .pose = key->pose, .canvas = key->chain};
        int read;
        if (key->frame == frame || !key_frame_is_tile(key)) continue;
        ENDO_TRY(workspace_need_store(r->workspace));
        if (frame_store_has_room(r->workspace->store)) ENDO_TRY(frame_store_read(r->workspace->store, key->frame, &read));
        ENDO_TRY(find_beside(r, matcher, beside, frame, slot, out));
    }
    return ENDO_OK;
}
