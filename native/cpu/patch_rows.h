/* Loops over patches that compilers turn into vector code by themselves, for every instruction set. */
#ifndef ENDO_CPU_PATCH_ROWS_H
#define ENDO_CPU_PATCH_ROWS_H

#include "patch_loops.h"

#include <string.h>

static inline void patch_halve(const uint8_t *above, const uint8_t *below, int n, uint8_t *out) {
    for (int i = 0; i < n; i++)
        out[i] = (uint8_t)endo_patch_halve(above[2 * i], above[2 * i + 1], below[2 * i], below[2 * i + 1]);
}

static inline void patch_halve_mask(const uint8_t *above, const uint8_t *below, int n, uint8_t *out) {
    for (int i = 0; i < n; i++) out[i] = above[2 * i] & above[2 * i + 1] & below[2 * i] & below[2 * i + 1];
}

static inline void patch_less(const uint8_t *mask, const uint8_t *bright, int n, uint8_t *out) {
    for (int i = 0; i < n; i++) out[i] = (uint8_t)(mask[i] & ~bright[i]);
}

static inline void patch_smooth(const cpu_smooth_row *r, int16_t *out) {
    const uint8_t *a = r->grey[0], *h = r->grey[1], *b = r->grey[2];
    const uint8_t *ma = r->mask[0], *mh = r->mask[1], *mb = r->mask[2];
    for (int i = 0; i < r->n; i++) {
        int left = a[i] + 2 * h[i] + b[i], right = a[i + 2] + 2 * h[i + 2] + b[i + 2];
        int middle = a[i + 1] + 2 * h[i + 1] + b[i + 1], value = ((left + 2 * middle + right + 2) >> 2) - ENDO_PATCH_MIDDLE;
        int valid = ma[i] & ma[i + 1] & ma[i + 2] & mh[i] & mh[i + 1] & mh[i + 2] & mb[i] & mb[i + 1] & mb[i + 2];
        out[i] = (int16_t)(valid ? value : ENDO_PATCH_INVALID);
    }
}

/* Asks the memory for a row of the next patch, as far as vectors of sixteen values reach. Its rows lie too far apart for the
 * processor to see them coming; asked for all at once they are more than it takes, and forgotten. */
static inline void patch_fetch_next(const cpu_patch_row *r) {
    for (int k = 0; k < 2; k++) {
        __builtin_prefetch(r->next[k]);
        __builtin_prefetch(r->next[k] + ((r->side + 15) & ~15));
    }
}

/* Places of a row, from..to - 1, whose four pixels follow one another from place to place, as nearly all do. */
typedef struct patch_run {
    int from, to, next;   /* from == to: none of those up to the next run is in the frame */
    const int16_t *first; /* the upper left pixel that place 0 would have */
} patch_run;

static inline int32_t patch_whole(int32_t at, int32_t step, int i) { return (at + 128 + i * step) >> 16; }

static inline int patch_follows(const cpu_patch_row *r, int i, int k) {
    return patch_whole(r->at[0], r->step[0], k) - patch_whole(r->at[0], r->step[0], i) == k - i &&
           patch_whole(r->at[1], r->step[1], k) == patch_whole(r->at[1], r->step[1], i);
}

/* The run that begins with place i. What grows evenly and is where it should be at the end is so in between. */
static inline patch_run patch_run_from(const cpu_patch_row *r, int i) {
    int32_t x = patch_whole(r->at[0], r->step[0], i), y = patch_whole(r->at[1], r->step[1], i);
    int next = r->side, from = i - x > i ? i - x : i;
    if (!patch_follows(r, i, next - 1))
        for (next = i + 1; patch_follows(r, i, next);) next++;
    int to = i + r->limit[0] - x < next ? i + r->limit[0] - x : next;
    if (y < 0 || y >= r->limit[1] || to <= from) from = to = i;
    patch_run run = {from, to, next, from < to ? r->current + y * r->stride + x - i : r->current};
    return run;
}

static inline int patch_has_values(const endo_patch_line *l) {
    return l->before != ENDO_PATCH_INVALID && l->behind != ENDO_PATCH_INVALID;
}

static inline int patch_pixel(const cpu_patch_row *r, const patch_run *run, int i, cpu_patch_numbers *numbers, int to) {
    const int16_t *p = r->reference + i, *top = run->first + i, *bottom = top + r->stride;
    int32_t fx = endo_patch_position8(r->at[0] + i * r->step[0]) & 255, fy = endo_patch_position8(r->at[1] + i * r->step[1]) & 255;
    endo_patch_line across = {p[-1], p[1], p[-2], p[2]};
    endo_patch_line down = {p[-r->stride], p[r->stride], p[-2 * r->stride], p[2 * r->stride]};
    int counts = p[0] != ENDO_PATCH_INVALID && patch_has_values(&across) && patch_has_values(&down) &&
                 top[0] != ENDO_PATCH_INVALID && top[1] != ENDO_PATCH_INVALID && bottom[0] != ENDO_PATCH_INVALID &&
                 bottom[1] != ENDO_PATCH_INVALID;
    int32_t as_smooth = endo_patch_blunt(p[0], &across, &down, fx, fy, r->upright);
    int32_t c = endo_patch_between(top[0], top[1], bottom[0], bottom[1], fx, fy);
    numbers->of[0][to] = (int16_t)(counts ? p[1] - p[-1] : 0);
    numbers->of[1][to] = (int16_t)(counts ? p[r->stride] - p[-r->stride] : 0);
    numbers->of[2][to] = (int16_t)(counts ? as_smooth : 0);
    numbers->of[3][to] = (int16_t)(counts ? c : 0);
    numbers->of[4][to] = (int16_t)(counts ? endo_patch_off_middle(i, r->side) : 0);
    numbers->of[5][to] = (int16_t)(counts ? endo_patch_off_middle(r->row, r->side) : 0);
    return counts;
}

static inline int patch_row(const cpu_patch_row *r, cpu_patch_numbers *numbers, int to) {
    int n = 0;
    for (int k = 0; k < ENDO_PATCH_NUMBERS; k++) memset(numbers->of[k] + to, 0, (size_t)r->side * sizeof(int16_t));
    for (int i = 0; i < r->side;) {
        patch_run run = patch_run_from(r, i);
        for (int k = run.from; k < run.to; k++) n += patch_pixel(r, &run, k, numbers, to + k);
        i = run.next;
    }
    return n;
}

static inline int patch_rows(const cpu_patch_row *rows, int count, cpu_patch_numbers *numbers, int to) {
    int n = 0;
    for (int i = 0; i < count; i++) n += patch_row(&rows[i], numbers, to + i * rows[i].side);
    return n;
}

static inline int32_t patch_product(const int16_t *a, const int16_t *b, int count) {
    int32_t sum = 0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

static inline void patch_add(const cpu_patch_numbers *numbers, int count, endo_patch_sums *sums) {
    for (int i = 0, at = 0; i < ENDO_PATCH_NUMBERS; i++) {
        int32_t sum = 0;
        for (int k = 0; k < count; k++) sum += numbers->of[i][k];
        sums->sum[i] = sum;
        for (int k = i; k < ENDO_PATCH_NUMBERS; k++)
            sums->product[at++] = patch_product(numbers->of[i], numbers->of[k], count);
    }
}

#endif
