/* Pairs that were not found (lost_pairs.h). Every start is refined and judged; two that are believed contradict each other. */
#include "lost_pairs.h"

#include "map_agreement.h"
#include "pair_refine.h"
#include "start_search.h"

/* Results that lie no further apart than this, px, are one. */
#define SAME 2.0

/* The starts of all lost pairs, one behind the other. */
typedef struct lost_starts {
    size_t n;
    size_t *which; /* index of the pair of each start; this array and the next ones hold ENDO_START_CANDIDATES a pair */
    endo_pair *pairs;
    endo_flow_result *starts;
    endo_pair_result *found;
} lost_starts;

static void starts_free(lost_starts *s) {
    endo_free(s->which);
    endo_free(s->pairs);
    endo_free(s->starts);
    endo_free(s->found);
}

static endo_status starts_create(size_t pairs, lost_starts *s) {
    size_t most = ENDO_START_CANDIDATES * pairs;
    s->which = endo_alloc(most, sizeof *s->which);
    s->pairs = endo_alloc(most, sizeof *s->pairs);
    s->starts = endo_alloc(most, sizeof *s->starts);
    s->found = endo_alloc(most, sizeof *s->found);
    if (s->which && s->pairs && s->starts && s->found) return ENDO_OK;
    return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", pairs);
}

static int is_lost(const endo_pair_result *r) {
    return r->status == ENDO_PAIR_JUMP || r->status == ENDO_PAIR_FEW_LANDMARKS;
}

static endo_status add_starts(endo_frames *frames, const endo_pair *pair, size_t which, const endo_pair_result *result,
                              lost_starts *s) {
    endo_start_candidates found;
    ENDO_TRY(endo_context_go_on(frames->context));
    ENDO_TRY(endo_starts_search(frames, pair, &found));
    for (int i = 0; i < found.n; i++) {
        s->which[s->n] = which;
        s->pairs[s->n] = *pair;
        s->starts[s->n] = (endo_flow_result){found.items[i].transform, 0};
        s->found[s->n] = *result;
        s->found[s->n++].transform = found.items[i].transform;
    }
    return ENDO_OK;
}

/* The result that is believed of one pair, whose starts are from .. to - 1; NULL: none, or two that differ. */
static const endo_pair_result *believed(const endo_frames *frames, const lost_starts *s, size_t from, size_t to) {
    const endo_frame_size size = {frames->options.width, frames->options.height};
    const endo_pair_result *only = NULL;
    for (size_t i = from; i < to; i++) {
        const endo_pair_result *r = &s->found[i];
        if (r->status != ENDO_PAIR_OK) continue;
        if (only && !(endo_map_distance(size, &only->transform, &r->transform) < SAME)) return NULL;
        if (!only) only = r;
    }
    return only;
}

endo_status endo_pairs_find_lost(endo_frames *frames, const endo_pair *pairs, size_t n, endo_transform_class kind,
                                 endo_pair_result *results) {
    size_t lost = 0;
    for (size_t i = 0; i < n; i++) lost += (size_t)is_lost(&results[i]);
    if (lost == 0) return ENDO_OK;
    lost_starts s = {.n = 0};
    endo_status status = starts_create(lost, &s);
    for (size_t i = 0; i < n && status == ENDO_OK; i++)
        if (is_lost(&results[i])) status = add_starts(frames, &pairs[i], i, &results[i], &s);
    if (status == ENDO_OK && s.n) status = endo_pairs_refine(frames, s.pairs, s.starts, s.n, kind, s.found);
    for (size_t i = 0, next; i < s.n && status == ENDO_OK; i = next) {
        for (next = i; next < s.n && s.which[next] == s.which[i];) next++;
        const endo_pair_result *r = believed(frames, &s, i, next);
        if (r) results[s.which[i]] = *r;
    }
    starts_free(&s);
    return status;
}
