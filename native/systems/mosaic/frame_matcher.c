/* Registration of chunks of neighbours and of single pairs, and a cache of pairs (frame_matcher.h). */
#include "frame_matcher.h"

#include "base/memory.h"
#include "numbers.h"
#include "events.h"

/* One frame in so many is asked whether it repeats itself. */
#define ASKS_RIVALS 12

/* -------------------------------------------------------------- remembered pairs */

/* Capacity of the cache, pairs: two successive chains, of a chunk of neighbours and pairs with others, ask for fewer. */
#define CACHE_SIZE 512

typedef struct known_pair {
    int frame;
    pair_match match;
} known_pair;

/* A ring in the order of insertion: the eldest pair is replaced. */
struct pair_cache {
    int n;
    int eldest; /* index of the eldest pair when the ring is full */
    known_pair items[CACHE_SIZE];
};

endo_status pair_cache_create(pair_cache **out) {
    pair_cache *pairs = endo_alloc_zeroed(1, sizeof *pairs);
    if (!pairs) return endo_fail(ENDO_ERR_MEMORY, "no memory to remember %d pairs", CACHE_SIZE);
    *out = pairs;
    return ENDO_OK;
}

void pair_cache_destroy(pair_cache **pairs) {
    endo_free(*pairs);
    *pairs = NULL;
}

/* Index of a pair in the ring; -1: it is not there. */
static int index_of(const pair_cache *pairs, int reference, int frame) {
    for (int i = 0; i < pairs->n; i++)
        if (pairs->items[i].frame == frame && pairs->items[i].match.reference == reference) return i;
    return -1;
}

const pair_match *pair_cache_get(const pair_cache *pairs, int reference, int frame) {
    int i = index_of(pairs, reference, frame);
    return i < 0 ? NULL : &pairs->items[i].match;
}

static known_pair *free_entry(pair_cache *pairs) {
    if (pairs->n < CACHE_SIZE) return &pairs->items[pairs->n++];
    known_pair *given_up = &pairs->items[pairs->eldest];
    pairs->eldest = (pairs->eldest + 1) % CACHE_SIZE;
    return given_up;
}

void pair_cache_add(pair_cache *pairs, int frame, const pair_match *match) {
    int i = index_of(pairs, match->reference, frame);
    known_pair *known = i < 0 ? free_entry(pairs) : &pairs->items[i];
    *known = (known_pair){.frame = frame, .match = *match};
}

/* ----------------------------------------------------------------------- batches */

struct pair_batch {
    int from;        /* first frame */
    int frames;      /* number of frames */
    int *pair_of;    /* one a frame: index of its pair; -1: it was not registered */
    int *references; /* of the pairs; this array and the next ones have capacity for one pair a frame */
    endo_pair *pairs;
    endo_transform *transforms;
    endo_pair_result *results;
    endo_pair_layers *layers;
    endo_agreement *agreement;
    int *rivals_of;  /* one a pair: where the next three have it; -1: its rivals were not asked for */
    endo_pair *asked;
    endo_pair_result *best;
    int32_t *repeats;
    int n;
    int is_nearby;       /* searches start where the flow leads, and nowhere else */
    double milliseconds; /* time of a pair */
};

void pair_batch_destroy(pair_batch **batch) {
    pair_batch *b = *batch;
    *batch = NULL;
    if (!b) return;
    endo_free(b->pair_of);
    endo_free(b->references);
    endo_free(b->pairs);
    endo_free(b->transforms);
    endo_free(b->results);
    endo_free(b->layers);
    endo_free(b->agreement);
    endo_free(b->rivals_of);
    endo_free(b->asked);
    endo_free(b->best);
    endo_free(b->repeats);
    endo_free(b);
}

static endo_status reserve(pair_batch *b) {
    size_t n = b->frames > 0 ? (size_t)b->frames : 1;
    b->pair_of = endo_alloc(n, sizeof *b->pair_of);
    b->references = endo_alloc(n, sizeof *b->references);
    b->pairs = endo_alloc(n, sizeof *b->pairs);
    b->transforms = endo_alloc(n, sizeof *b->transforms);
    b->results = endo_alloc(n, sizeof *b->results);
    b->layers = endo_alloc_zeroed(n, sizeof *b->layers);
    b->agreement = endo_alloc(n, sizeof *b->agreement);
    b->rivals_of = endo_alloc(n, sizeof *b->rivals_of);
    b->asked = endo_alloc(n, sizeof *b->asked);
    b->best = endo_alloc(n, sizeof *b->best);
    b->repeats = endo_alloc(n, sizeof *b->repeats);
    int has_results = b->transforms && b->results && b->layers && b->agreement;
    int has_rivals = b->rivals_of && b->asked && b->best && b->repeats;
    if (b->pair_of && b->references && b->pairs && has_results && has_rivals) return ENDO_OK;
    return endo_fail(ENDO_ERR_MEMORY, "no memory for the registration of %d pairs", b->frames);
}

/* Pairs each readable frame with the readable one before it, except pairs in the cache. */
static void choose_pairs(pair_batch *b, const pair_cache *known, const placed_frame *before, const int *slots) {
    int reference = before ? before->frame : -1;
    int reference_slot = before ? before->slot : -1;
    for (int i = 0; i < b->frames; i++) {
        int frame = b->from + i;
        b->pair_of[i] = -1;
        if (slots[i] < 0) continue;
        if (reference >= 0 && !pair_cache_get(known, reference, frame)) {
            b->pair_of[i] = b->n;
            b->references[b->n] = reference;
            b->pairs[b->n] = (endo_pair){.reference = reference_slot, .current = slots[i]};
            b->n++;
        }
        reference = frame;
        reference_slot = slots[i];
    }
}

/* Registers the one pair from where the flow leads. */
static endo_status register_nearby(pair_batch *b, endo_frames *frames, const endo_pairs_options *options) {
    int is_shift = options->transform == ENDO_TRANSFORM_TRANSLATION;
    endo_flow_result flow;
    ENDO_TRY(endo_flow_estimate(frames, b->pairs, 1, is_shift ? ENDO_TRANSFORM_TRANSLATION : ENDO_TRANSFORM_AFFINE, &flow));
    return endo_pairs_register_from(frames, b->pairs, &flow.transform, 1, options, b->results);
}

int frame_matcher_asks_rivals(const frame_matcher *m, int frame) {
    if (m->options.method != ENDO_METHOD_BEST || !m->repeats_from) return 0;
    return frame % ASKS_RIVALS == 1 || *m->repeats_from > 0;
}

/* Asks for the rivals of all pairs with one call. A pair by itself is asked for by others than chains, too, which need none. */
static endo_status ask_rivals(pair_batch *b, const frame_matcher *m) {
    size_t n = 0;
    for (int i = 0; i < b->frames; i++) {
        int pair = b->pair_of[i];
        if (pair < 0) continue;
        b->rivals_of[pair] = -1;
        if (b->frames == 1 || !frame_matcher_asks_rivals(m, b->from + i)) continue;
        b->rivals_of[pair] = (int)n;
        b->asked[n] = b->pairs[pair];
        b->best[n++] = b->results[pair];
    }
    return n ? endo_pairs_try_rivals(m->frames, b->asked, n, &m->options, b->best, b->repeats) : ENDO_OK;
}

static endo_status register_pairs(pair_batch *b, const frame_matcher *m) {
    endo_frames *frames = m->frames;
    const endo_pairs_options *options = &m->options;
    size_t n = (size_t)b->n;
    double start = mosaic_seconds();
    if (n == 0) return ENDO_OK;
    ENDO_TRY(b->is_nearby ? register_nearby(b, frames, options) : endo_pairs_register(frames, b->pairs, n, options, b->results));
    if (options->method == ENDO_METHOD_BEST) ENDO_TRY(endo_pairs_separate(frames, b->pairs, n, options, b->results, b->layers));
    ENDO_TRY(ask_rivals(b, m));
    for (size_t i = 0; i < n; i++) b->transforms[i] = b->results[i].transform;
    ENDO_TRY(endo_agreement_measure(frames, b->pairs, b->transforms, n, b->agreement));
    b->milliseconds = 1e3 * (mosaic_seconds() - start) / b->n;
    return ENDO_OK;
}

/* The pair of a frame; -1: it was not registered. */
static int pair_of(const pair_batch *b, int frame) {
    int i = frame - b->from;
    return i >= 0 && i < b->frames ? b->pair_of[i] : -1;
}

int pair_batch_reference(const pair_batch *batch, int frame) {
    int i = pair_of(batch, frame);
    return i < 0 ? -1 : batch->references[i];
}

/* Share of a pair that does not go with its first motion. */
static double moving_share(const endo_pair_layers *layers) {
    int cells = layers->columns * layers->rows;
    int first = 0;
    for (int i = 0; i < cells; i++) first += layers->cells[i] == 1;
    return (double)(cells - first) / cells;
}

static pair_match match_of(const pair_batch *b, int frame) {
    int i = pair_of(b, frame);
    pair_match match = pair_match_of(&b->results[i], b->references[i], b->agreement[i].tiles, b->agreement[i].differing,
                                     b->milliseconds);
    match.layers = b->layers[i];
    if (match.layers.count == 2) match.moving = moving_share(&match.layers);
    int rivals = b->rivals_of[i];
    if (rivals < 0) return match;
    match.knows_rivals = 1;
    match.repeats = b->repeats[rivals];
    match.best = b->best[rivals];
    return match;
}

/* Chains that begin before the end of a batch ask for its pairs again. */
static void remember(const pair_batch *b, pair_cache *known, int frame) {
    if (pair_of(b, frame) < 0) return;
    pair_match match = match_of(b, frame);
    pair_cache_add(known, frame, &match);
}

static endo_status make_batch(frame_matcher *m, const placed_frame *before, int from, const int *slots, int n, int is_nearby,
                              pair_batch **out) {
    pair_batch *b = endo_alloc_zeroed(1, sizeof *b);
    if (!b) return endo_fail(ENDO_ERR_MEMORY, "no memory for the registration of %d pairs", n);
    b->from = from;
    b->frames = n;
    b->is_nearby = is_nearby;
    endo_status status = reserve(b);
    if (status == ENDO_OK) {
        choose_pairs(b, m->known, before, slots);
        status = register_pairs(b, m);
    }
    for (int i = 0; i < n && status == ENDO_OK && !is_nearby; i++) remember(b, m->known, from + i);
    if (status == ENDO_OK)
        *out = b;
    else
        pair_batch_destroy(&b);
    return status;
}

endo_status pair_batch_create(frame_matcher *m, const placed_frame *before, int from, const int *slots, int n,
                              pair_batch **out) {
    return make_batch(m, before, from, slots, n, 0, out);
}

/* ------------------------------------------------------------------------ matches */

/* Registers a pair that is not in the cache. */
static endo_status register_now(frame_matcher *m, const placed_frame *reference, int frame, int slot, int is_nearby,
                                pair_match *out) {
    pair_batch *single;
    ENDO_TRY(make_batch(m, reference, frame, &slot, 1, is_nearby, &single));
    *out = match_of(single, frame);
    pair_batch_destroy(&single);
    return ENDO_OK;
}

endo_status frame_matcher_match(frame_matcher *m, const placed_frame *reference, int frame, int slot, const pair_batch *batch,
                                pair_match *out) {
    const pair_match *known = pair_cache_get(m->known, reference->frame, frame);
    if (known) {
        *out = *known;
        return ENDO_OK;
    }
    if (batch && pair_batch_reference(batch, frame) == reference->frame)
        *out = match_of(batch, frame);
    else
        ENDO_TRY(register_now(m, reference, frame, slot, 0, out));
    return ENDO_OK;
}

endo_status frame_matcher_match_nearby(frame_matcher *m, const placed_frame *reference, int frame, int slot, pair_match *out) {
    int searches = m->options.method == ENDO_METHOD_BEST && m->options.initial == ENDO_INITIAL_FLOW;
    if (!searches) return frame_matcher_match(m, reference, frame, slot, NULL, out);
    return register_now(m, reference, frame, slot, 1, out);
}

endo_status frame_matcher_has_texture(frame_matcher *m, int slot, int *has) {
    const endo_pair itself = {.reference = slot, .current = slot};
    endo_pairs_options options = m->options;
    endo_pair_result result;
    options.initial = ENDO_INITIAL_NONE;
    options.quality = 0;
    options.method = ENDO_METHOD_PAPER;
    options.transform = ENDO_TRANSFORM_TRANSLATION;
    ENDO_TRY(endo_pairs_register(m->frames, &itself, 1, &options, &result));
    *has = result.status != ENDO_PAIR_NO_TEXTURE;
    return ENDO_OK;
}
