/* The pairs of a chunk: most are registered in one call, the others on demand. */
#ifndef ENDO_CHAINS_PAIR_SCORES_H
#define ENDO_CHAINS_PAIR_SCORES_H

#include "chain_rows.h"

typedef struct frame_pair {
    int reference;
    int frame;
    int reference_slot;
    int frame_slot;
} frame_pair;

typedef struct pair_source {
    endo_status (*find)(void *self, frame_pair *pair);                                        /* sets the slots */
    endo_status (*register_all)(void *self, const frame_pair *pairs, int n, chain_pair *out); /* n >= 1 */
    void *self;
} pair_source;

typedef struct known_pair {
    int reference;
    int frame;
    chain_pair pair;
} known_pair;

typedef struct pair_scores {
    pair_source source;
    known_pair *known;
    int n;
    int capacity;
} pair_scores;

void pair_scores_free(pair_scores *s);
void pair_scores_forget(pair_scores *s); /* the next chunk begins */

/* Registers n pairs, each a reference and a frame, in one call. */
endo_status pair_scores_compute(pair_scores *s, int (*pairs)[2], int n);

/* The scores as a source of pairs for rules. */
chain_pairs pair_scores_for_rules(pair_scores *s);

#endif
