/* Starts of pairs that share a small part only: small copies of both frames are correlated at every shift, in a fan of turns. */
#ifndef ENDO_SYSTEMS_START_SEARCH_H
#define ENDO_SYSTEMS_START_SEARCH_H

#include "backend/objects.h"

/* Most starts of a pair. */
#define ENDO_START_CANDIDATES 3

/* A start, and how unlikely it is by chance. */
typedef struct endo_start_candidate {
    endo_transform transform; /* current -> reference, px: rigid */
    double score;             /* sum of the products of both copies where they overlap, over the square root of its pixels */
} endo_start_candidate;

typedef struct endo_start_candidates {
    endo_start_candidate items[ENDO_START_CANDIDATES]; /* the best first */
    int n;
} endo_start_candidates;

/* Finds the starts of one pair. */
endo_status endo_starts_search(endo_frames *frames, const endo_pair *pair, endo_start_candidates *found);

#endif
