/* Registered pairs are kept until the chunk ends (pair_scores.h). */
#include "pair_scores.h"

#include "base/memory.h"

#include <string.h>

void pair_scores_free(pair_scores *s) {
    endo_free(s->known);
    s->known = NULL;
    s->n = 0;
    s->capacity = 0;
}

void pair_scores_forget(pair_scores *s) { s->n = 0; }

static endo_status reserve(pair_scores *s, int n) {
    if (n <= s->capacity) return ENDO_OK;
    int capacity = 2 * s->capacity > n ? 2 * s->capacity : n;
    known_pair *known = endo_alloc((size_t)capacity, sizeof *known);
    if (!known) return endo_fail(ENDO_ERR_MEMORY, "no memory for %d pairs", capacity);
    if (s->n) memcpy(known, s->known, (size_t)s->n * sizeof *known);
    endo_free(s->known);
    s->known = known;
    s->capacity = capacity;
    return ENDO_OK;
}

static endo_status register_all(pair_scores *s, int (*pairs)[2], int n, frame_pair *asked, chain_pair *found) {
    for (int i = 0; i < n; i++) {
        asked[i] = (frame_pair){.reference = pairs[i][0], .frame = pairs[i][1]};
        ENDO_TRY(s->source.find(s->source.self, &asked[i]));
    }
    ENDO_TRY(s->source.register_all(s->source.self, asked, n, found));
    ENDO_TRY(reserve(s, s->n + n));
    for (int i = 0; i < n; i++)
        s->known[s->n++] = (known_pair){.reference = pairs[i][0], .frame = pairs[i][1], .pair = found[i]};
    return ENDO_OK;
}

endo_status pair_scores_compute(pair_scores *s, int (*pairs)[2], int n) {
    if (n < 1) return ENDO_OK;
    frame_pair *asked = endo_alloc((size_t)n, sizeof *asked);
    chain_pair *found = endo_alloc((size_t)n, sizeof *found);
    endo_status status = asked && found ? register_all(s, pairs, n, asked, found)
                                        : endo_fail(ENDO_ERR_MEMORY, "no memory for %d pairs", n);
    endo_free(asked);
    endo_free(found);
    return status;
}

static const known_pair *find(const pair_scores *s, int reference, int frame) {
    for (int i = 0; i < s->n; i++)
        if (s->known[i].reference == reference && s->known[i].frame == frame) return &s->known[i];
    return NULL;
}

static endo_status get(void *scores, int reference, int frame, chain_pair *pair) {
    pair_scores *s = scores;
    int one[1][2] = {{reference, frame}};
    if (!find(s, reference, frame)) ENDO_TRY(pair_scores_compute(s, one, 1));
    *pair = find(s, reference, frame)->pair;
    return ENDO_OK;
}

chain_pairs pair_scores_for_rules(pair_scores *s) { return (chain_pairs){.get = get, .self = s}; }
