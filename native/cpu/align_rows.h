/* The numbers of pixels that are aligned (endo_align_numbers()), listed for the sums of their products, which each
 * instruction set takes in its own way. */
#ifndef ENDO_CPU_ALIGN_ROWS_H
#define ENDO_CPU_ALIGN_ROWS_H

#include "align_loops.h"
#include "rules/sampling.h"

#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Pixels whose positions are taken from one place; multiple of all vectors. */
#define ALIGN_BLOCK 64
/* Pixels of a list. |numbers| <= 4080: 128 of their products stay below 2^31, and a lane of eight sums this many / 8. */
#define ALIGN_MOST 1024

/* Numbers of n pixels, one kind after the other; those beyond n, up to a whole block, are 0. */
typedef struct align_list {
    int n;
    int16_t numbers[ENDO_ALIGN_NUMBERS][ALIGN_MOST + ALIGN_BLOCK];
} align_list;

/* A position with 32 fractional bits, and the step to the next pixel, in two parts, of which the lower one has 24 bits:
 * the position of pixel i, rounded to 8 fractional bits, then needs 32 bits alone. */
typedef struct align_places {
    int32_t high, low, step_high, step_low;
} align_places;

#define ALIGN_LOW ((1 << 24) - 1)

ALWAYS_INLINE align_places places_from(int64_t position, int64_t step) {
    int64_t rounded = position + (1 << 23);
    return (align_places){(int32_t)(rounded >> 24), (int32_t)(rounded & ALIGN_LOW), (int32_t)(step >> 24),
                          (int32_t)(step & ALIGN_LOW)};
}

/* endo_position8() of pixel i < ALIGN_BLOCK. */
ALWAYS_INLINE int32_t place8(const align_places *p, int32_t i) {
    return p->high + i * p->step_high + ((p->low + i * p->step_low) >> 24);
}

/* Values of the current image at n <= ALIGN_BLOCK pixels; INVALID where one of the four around is. */
ALWAYS_INLINE void sample_block(const cpu_align_rows *r, int y, int from, int n, int16_t *out) {
    const int64_t *m = r->map;
    align_places across = places_from(m[0] * from + m[1] * y + m[2], m[0]);
    align_places down = places_from(m[3] * from + m[4] * y + m[5], m[3]);
    int32_t top[ALIGN_BLOCK], bottom[ALIGN_BLOCK], at[ALIGN_BLOCK], fx[ALIGN_BLOCK], fy[ALIGN_BLOCK];
    for (int i = 0; i < n; i++) {
        int32_t px = place8(&across, i), py = place8(&down, i);
        at[i] = (py >> 8) * (int32_t)r->current_stride + (px >> 8);
        fx[i] = px & 255, fy[i] = py & 255;
    }
    for (int i = 0; i < n; i++) { /* two neighbours at a time */
        memcpy(&top[i], r->current + at[i], sizeof *top);
        memcpy(&bottom[i], r->current + at[i] + r->current_stride, sizeof *bottom);
    }
    for (int i = 0; i < n; i++) {
        int32_t a = (int16_t)top[i], b = top[i] >> 16, c = (int16_t)bottom[i], d = bottom[i] >> 16;
        int missing = (a == ENDO_FOURIER_INVALID) | (b == ENDO_FOURIER_INVALID) | (c == ENDO_FOURIER_INVALID) |
                      (d == ENDO_FOURIER_INVALID);
        int32_t value = endo_bilinear(a, b, c, d, fx[i], fy[i]);
        out[i] = (int16_t)(missing ? ENDO_FOURIER_INVALID : value);
    }
}

/* Lists n <= ALIGN_BLOCK pixels of a row; those that do not count are 0. Returns how many do. */
ALWAYS_INLINE int list_block(const cpu_align_rows *r, const cpu_align_row *row, int from, int n, align_list *list) {
    const int16_t *p = r->reference + row->y * r->reference_stride + from, *up = p - r->reference_stride;
    const int16_t *down = p + r->reference_stride, *columns = r->columns + from;
    int16_t(*numbers)[ALIGN_MOST + ALIGN_BLOCK] = list->numbers;
    int16_t current[ALIGN_BLOCK];
    int count = 0, at = list->n;
    sample_block(r, row->y, from, n, current);
    for (int i = 0; i < n; i++) {
        int valid = (p[i] != ENDO_FOURIER_INVALID) & (p[i - 1] != ENDO_FOURIER_INVALID) &
                    (p[i + 1] != ENDO_FOURIER_INVALID) & (up[i] != ENDO_FOURIER_INVALID) &
                    (down[i] != ENDO_FOURIER_INVALID) & (current[i] != ENDO_FOURIER_INVALID);
        int32_t keep = -valid, gx = p[i + 1] - p[i - 1], gy = down[i] - up[i], x = columns[i];
        numbers[0][at + i] = (int16_t)(gx & keep);
        numbers[1][at + i] = (int16_t)(gy & keep);
        numbers[2][at + i] = (int16_t)(((gx * x + gy * row->coordinate) >> 8) & keep);
        numbers[3][at + i] = (int16_t)(((gy * x - gx * row->coordinate) >> 8) & keep);
        numbers[4][at + i] = (int16_t)(p[i] & keep);
        numbers[5][at + i] = (int16_t)(current[i] & keep);
        count += valid;
    }
    list->n += n;
    return count;
}

/* Sums of products of a whole list. */
typedef void align_products(const align_list *list, endo_align_sums *sums);

ALWAYS_INLINE void end_list(align_list *list, align_products *add, endo_align_sums *sums) {
    for (int k = 0; k < ENDO_ALIGN_NUMBERS; k++) memset(&list->numbers[k][list->n], 0, ALIGN_BLOCK * sizeof(int16_t));
    add(list, sums);
    list->n = 0;
}

ALWAYS_INLINE void add_listed(const cpu_align_rows *r, align_products *add, endo_align_sums *sums) {
    align_list list;
    list.n = 0;
    for (int k = 0; k < r->n; k++)
        for (int from = r->rows[k].from; from < r->rows[k].to; from += ALIGN_BLOCK) {
            int left = r->rows[k].to - from, n = left < ALIGN_BLOCK ? left : ALIGN_BLOCK;
            if (list.n + n > ALIGN_MOST) end_list(&list, add, sums);
            sums->n += list_block(r, &r->rows[k], from, n, &list);
        }
    end_list(&list, add, sums);
}

#endif
