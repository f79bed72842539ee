/* A set of pairs of frames. */
#ifndef ENDO_MOSAIC_PAIR_SET_H
#define ENDO_MOSAIC_PAIR_SET_H

#include "base/status.h"

typedef struct pair_set {
    uint64_t *slots;
    int n;
    int capacity; /* a power of 2, or 0 */
} pair_set;

/* Makes `more` additions possible without a failure. MEMORY: the set is unchanged. */
endo_status pair_set_reserve(pair_set *set, int more);
int pair_set_add(pair_set *set, int a, int b); /* into reserved memory; 0: it was there already */
int pair_set_has(const pair_set *set, int a, int b);
void pair_set_free(pair_set *set);

#endif
