/* Loops on counts and bitmaps that a compiler vectorizes, or does a word at a time, well enough by itself.
 * exposures_<isa>.c is this file compiled for its instruction set, and what it does better by hand. */
#ifndef ENDO_CPU_EXPOSURE_ROWS_H
#define ENDO_CPU_EXPOSURE_ROWS_H

#include "exposures_loops.h"

/* Black pixels are used and not above the level, white ones both. */
static inline void exposure_count(const uint64_t *above, const uint64_t *used, int words, int counts[2]) {
    counts[0] = counts[1] = 0;
    for (int i = 0; i < words; i++) {
        counts[0] += __builtin_popcountll(used[i] & ~above[i]);
        counts[1] += __builtin_popcountll(used[i] & above[i]);
    }
}

static inline int32_t exposure_not_above(const uint8_t *grey, const uint8_t *field, int level, int n) {
    int32_t count = 0;
    for (int x = 0; x < n; x++) count += (grey[x] <= level) & field[x];
    return count;
}

static inline int32_t exposure_dot(const int16_t *a, const int16_t *b, int n) {
    int32_t sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static inline uint64_t exposure_word(const uint64_t *row, int i, int bits) {
    return row[i] >> bits | row[i + 1] << 1 << (63 - bits);
}

static inline int64_t exposure_differ(const cpu_exposure_overlap *o) {
    int64_t differ = 0;
    for (int y = 0; y < o->rows; y++) {
        const uint64_t *r = o->reference + y * o->pitch, *c = o->current + y * o->pitch;
        for (int i = 0; i < o->words; i++)
            differ += __builtin_popcountll((exposure_word(r, i, o->bits) ^ c[i]) & o->current_mask[i]);
    }
    return differ;
}

static inline endo_exposure_overlap exposure_masked(const cpu_exposure_overlap *o) {
    endo_exposure_overlap sum = {0, 0};
    for (int y = 0; y < o->rows; y++) {
        const uint64_t *r = o->reference + y * o->pitch, *c = o->current + y * o->pitch;
        const uint64_t *r_mask = o->reference_mask + y * o->pitch, *c_mask = o->current_mask + y * o->pitch;
        for (int i = 0; i < o->words; i++) {
            uint64_t mask = exposure_word(r_mask, i, o->bits) & c_mask[i];
            sum.total += __builtin_popcountll(mask);
            sum.differ += __builtin_popcountll((exposure_word(r, i, o->bits) ^ c[i]) & mask);
        }
    }
    return sum;
}

#endif
