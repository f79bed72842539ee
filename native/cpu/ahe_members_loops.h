/* The loops over the members of a group (ahe_members.h), compiled once per instruction set. Included by ahe_c.c,
 * ahe_avx2.c and ahe_avx512.c only. */
#ifndef ENDO_CPU_AHE_MEMBERS_LOOPS_H
#define ENDO_CPU_AHE_MEMBERS_LOOPS_H

#include "ahe_members.h"

#include <stddef.h>

/* How many members does one window hold that are not above its centre? */
typedef struct members_question {
    const uint64_t *on_columns, *not_above; /* rows of bits */
    uint32_t first, last;                   /* numbers on the window's rows: up to before the last */
    const cpu_ahe_step *step;               /* of which the first n are not above either */
    uint32_t n, column, window;             /* the window's first column */
} members_question;

/* How many of the bits first .. last - 1 are set in both rows. */
static inline uint32_t common_bits(const members_question *q) {
    const uint64_t *a = q->on_columns, *b = q->not_above;
    uint32_t from = q->first / 64, to = q->last / 64, count = 0;
    for (uint32_t i = from; i < to; i++) count += (uint32_t)__builtin_popcountll(a[i] & b[i]);
    count += (uint32_t)__builtin_popcountll(a[to] & b[to] & ((1ull << q->last % 64) - 1));
    return count - (uint32_t)__builtin_popcountll(a[from] & b[from] & ((1ull << q->first % 64) - 1));
}

/* How many of the step's first n members lie in the window. Left of the first column, and before the first number,
 * differences wrap to beyond any. All of the step is compared: a loop of a fixed length is never predicted wrongly. */
static inline uint32_t common_places(const members_question *q) {
    uint16_t count = 0, column = (uint16_t)q->column, first = (uint16_t)q->first, n = (uint16_t)q->n;
    uint16_t window = (uint16_t)q->window, numbers = (uint16_t)(q->last - q->first);
    for (uint16_t i = 0; i < CPU_AHE_STEP; i++) {
        uint16_t from_column = (uint16_t)(q->step->columns[i] - column), from_first = (uint16_t)(q->step->numbers[i] - first);
        count += (uint16_t)((from_column < window) & (from_first < numbers) & (i < n));
    }
    return count;
}

/* count: of one question. Inlined, so that there is no call a pixel. */
static inline __attribute__((always_inline)) void
count_asked(const cpu_ahe_members *m, uint32_t (*count)(const members_question *q, int most)) {
    const cpu_ahe_members all = *m;
    for (int k = 0; k < all.n_asked; k++) {
        uint32_t x = all.asked[k].x, y = all.asked[k].y, end = all.asked[k].end, step = end / CPU_AHE_STEP;
        members_question q = {all.on_columns + (size_t)x * all.words, all.not_above + (size_t)step * all.words,
                              all.ends[y], all.ends[y + (uint32_t)all.window], all.steps + step, end % CPU_AHE_STEP, x + 1,
                              (uint32_t)all.window};
        all.own[y * all.stride + x] = (uint16_t)count(&q, all.most);
    }
}

static inline __attribute__((always_inline)) uint32_t count_plain(const members_question *q, int most) {
    (void)most;
    return common_bits(q) + common_places(q);
}

/* Each row of bits says where it differs from the one before. */
static inline void accumulate_rows(uint64_t *rows, int n, int words) {
    for (int i = 1; i < n; i++) {
        uint64_t *row = rows + (int64_t)i * words;
        for (int k = 0; k < words; k++) row[k] ^= row[k - words];
    }
}

static inline void count_members_plain(const cpu_ahe_members *m) {
    accumulate_rows(m->on_columns, m->width, m->words);
    count_asked(m, count_plain);
}

#endif
