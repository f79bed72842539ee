/* Loops over patches that compilers turn into vector code by themselves, for every instruction set. */
#ifndef ENDO_CPU_PATCH_ROWS_H
#define ENDO_CPU_PATCH_ROWS_H

#include "patch_loops.h"

static inline void patch_halve(const uint8_t *above, const uint8_t *below, int n, uint8_t *out) {
    for (int i = 0; i < n; i++)
        out[i] = (uint8_t)endo_patch_halve(above[2 * i], above[2 * i + 1], below[2 * i], below[2 * i + 1]);
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

static inline int patch_pixel(const cpu_patch_row *r, int i, cpu_patch_numbers *numbers, int to) {
    const int16_t *p = r->reference + i;
    int32_t px = endo_patch_position8(r->at[0] + i * r->step[0]), py = endo_patch_position8(r->at[1] + i * r->step[1]);
    const int16_t *top = r->current + (py >> 8) * r->stride + (px >> 8), *bottom = top + r->stride;
    int counts = p[0] != ENDO_PATCH_INVALID && p[-1] != ENDO_PATCH_INVALID && p[1] != ENDO_PATCH_INVALID &&
                 p[-r->stride] != ENDO_PATCH_INVALID && p[r->stride] != ENDO_PATCH_INVALID &&
                 top[0] != ENDO_PATCH_INVALID && top[1] != ENDO_PATCH_INVALID && bottom[0] != ENDO_PATCH_INVALID &&
                 bottom[1] != ENDO_PATCH_INVALID;
    int32_t c = endo_bilinear(top[0], top[1], bottom[0], bottom[1], px & 255, py & 255);
    numbers->of[0][to] = (int16_t)(counts ? p[1] - p[-1] : 0);
    numbers->of[1][to] = (int16_t)(counts ? p[r->stride] - p[-r->stride] : 0);
    numbers->of[2][to] = (int16_t)(counts ? p[0] : 0);
    numbers->of[3][to] = (int16_t)(counts ? c : 0);
    return counts;
}

static inline int patch_row(const cpu_patch_row *r, cpu_patch_numbers *numbers, int to) {
    int n = 0;
    for (int i = 0; i < r->side; i++) n += patch_pixel(r, i, numbers, to + i);
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
