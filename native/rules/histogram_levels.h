/* The self-optimising histogram: which bins are counted in fast memory, and in how many copies, by the counts of an earlier
 * histogram ([B] section 2.3).
 *
 * A bin of level 0 is counted in global memory. A bin of level l = 1..6 has 2^(l-1) cells of fast memory, which share 32
 * threads: 2^(6-l) of them meet in a cell. [B] had no atomic operations there, so that cells lost bits to tags and
 * overflowed; here the capacity of a cell before it spills to global memory is a parameter. Costs are expected numbers of
 * updates and of collisions, times the cost of one. */
#ifndef ENDO_RULES_HISTOGRAM_LEVELS_H
#define ENDO_RULES_HISTOGRAM_LEVELS_H

#include "base/host_device.h"

#define ENDO_HISTOGRAM_MAX_LEVEL 6

typedef struct endo_histogram_costs {
    double global_update, shared_collision, global_collision; /* [B] c_gu, c_sc, c_gc */
    double threads;      /* threads that may meet in global memory, [B] n_T */
    double capacity[ENDO_HISTOGRAM_MAX_LEVEL + 1]; /* counts that a bin of each level holds before it spills, [B] b_max;
                                                      0: it never does */
    int cell_bytes;      /* bytes of one cell; [B]: 1 */
} endo_histogram_costs;

/* The costs of [B]'s hardware: cells of a byte with tags, 2^(l+2) counts (eq. 5). */
ENDO_HD endo_histogram_costs endo_histogram_published_costs(double threads) {
    endo_histogram_costs c = {1, 1, 1, threads, {0}, 1};
    for (int l = 1; l <= ENDO_HISTOGRAM_MAX_LEVEL; l++) c.capacity[l] = (double)(4 << l);
    return c;
}

/* q^n for n >= 0 by squaring, so that every machine has the same bits. */
ENDO_HD double endo_histogram_power(double q, double n) {
    double power = 1;
    for (uint64_t k = (uint64_t)n; k; k >>= 1, q *= q)
        if (k & 1) power *= q;
    return power;
}

/* Expected collisions of n threads that each update a bin with probability p (eq. 8). */
ENDO_HD double endo_histogram_collisions(double n, double p) {
    double expected = n * p + endo_histogram_power(1 - p, n) - 1;
    return expected > 0 ? expected : 0; /* rounding */
}

/* Expected costs, at a level, of a bin with `count` of `all` counts (eq. 4, 5, 9, 10). */
ENDO_HD double endo_histogram_cost(const endo_histogram_costs *c, double count, double all, int level) {
    if (!(all > 0)) return 0;
    double p = count / all;
    if (level == 0)
        return c->global_update * count +
               c->global_collision * all * endo_histogram_collisions(c->threads, p) / c->threads;
    double n = (double)(1 << (ENDO_HISTOGRAM_MAX_LEVEL - level)), spilled = 0;
    if (c->capacity[level] > 0) spilled = c->global_update * count / c->capacity[level];
    return spilled + c->shared_collision * all * endo_histogram_collisions(n, p) / n;
}

/* Bytes of fast memory of a bin of a level. */
ENDO_HD int endo_histogram_bytes(const endo_histogram_costs *c, int level) {
    return level ? c->cell_bytes << (level - 1) : 0;
}

/* Cost that the next level saves, for each byte that it takes; below 0 where there is no next level. */
ENDO_HD double endo_histogram_benefit(const endo_histogram_costs *c, double count, double all, int level) {
    if (level >= ENDO_HISTOGRAM_MAX_LEVEL) return -1;
    double saved = endo_histogram_cost(c, count, all, level) - endo_histogram_cost(c, count, all, level + 1);
    return saved / (endo_histogram_bytes(c, level + 1) - endo_histogram_bytes(c, level));
}

/* An entry of a heap of bins: the greatest benefit first; of equal ones the lower bin. */
typedef struct endo_histogram_candidate {
    double benefit;
    int32_t bin;
} endo_histogram_candidate;

ENDO_HD int endo_histogram_before(const endo_histogram_candidate *a, const endo_histogram_candidate *b) {
    return a->benefit > b->benefit || (a->benefit == b->benefit && a->bin < b->bin);
}

/* Moves the entry at `at` down to its position in the heap. */
ENDO_HD void endo_histogram_sink(endo_histogram_candidate *heap, int n, int at) {
    for (int below = 2 * at + 1; below < n; at = below, below = 2 * at + 1) {
        if (below + 1 < n && endo_histogram_before(&heap[below + 1], &heap[below])) below++;
        if (!endo_histogram_before(&heap[below], &heap[at])) return;
        endo_histogram_candidate moved = heap[at];
        heap[at] = heap[below];
        heap[below] = moved;
    }
}

/* Chooses the levels of n bins within a number of bytes: the bin with the greatest benefit a byte goes up a level, until no
 * level that saves anything fits. A bin whose next level does not fit is passed over. heap: workspace of n entries.
 * Returns the bytes that are used. */
ENDO_HD int64_t endo_histogram_levels(const endo_histogram_costs *c, const uint32_t *counts, int n, int64_t bytes,
                                      endo_histogram_candidate *heap, uint8_t *levels) {
    double all = 0;
    int64_t used = 0;
    int left = n;
    for (int i = 0; i < n; i++) all += counts[i];
    for (int i = 0; i < n; i++) {
        levels[i] = 0;
        heap[i].benefit = endo_histogram_benefit(c, counts[i], all, 0);
        heap[i].bin = i;
    }
    for (int i = n / 2 - 1; i >= 0; i--) endo_histogram_sink(heap, n, i);
    while (left > 0 && heap[0].benefit > 0) {
        int bin = heap[0].bin, level = levels[bin];
        int more = endo_histogram_bytes(c, level + 1) - endo_histogram_bytes(c, level);
        if (used + more <= bytes) {
            used += more;
            levels[bin] = (uint8_t)(level + 1);
            heap[0].benefit = endo_histogram_benefit(c, counts[bin], all, level + 1);
        } else {
            heap[0] = heap[--left];
        }
        endo_histogram_sink(heap, left, 0);
    }
    return used;
}

#endif
