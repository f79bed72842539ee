/* Loops of the coefficient that the compiler vectorises well enough for every instruction set. */
#ifndef ENDO_NCC_ROWS_H
#define ENDO_NCC_ROWS_H

#include "ncc_loops.h"

static inline void ncc_template_sums(cpu_template *t) {
    int64_t sum = 0, squares = 0;
    for (int v = 0; v < t->side; v++) {
        const uint8_t *row = t->pixels + v * t->stride;
        uint32_t row_sum = 0, row_squares = 0;
        for (int u = 0; u < t->side; u++) row_sum += row[u], row_squares += (uint32_t)row[u] * row[u];
        sum += row_sum, squares += row_squares;
    }
    t->sum = sum;
    t->sum_of_squares = squares;
}

/* Rows of up to 2^16 pixels keep the row sums in 32 bits. Masks: 255 = left out. */
static inline void ncc_masked_rows(const cpu_masked_window *w, endo_sums *out) {
    for (int v = 0; v < w->height; v++) {
        const uint8_t *x = w->x + v * w->stride, *y = w->y + v * w->stride;
        const uint8_t *mx = w->x_mask + v * w->stride, *my = w->y_mask + v * w->stride;
        uint32_t n = 0, sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
        for (int u = 0; u < w->width; u++) {
            uint32_t use = (uint32_t)(uint8_t) ~(mx[u] | my[u]), a = x[u] & use, b = y[u] & use;
            n += use & 1, sx += a, sy += b, sxx += a * a, syy += b * b, sxy += a * b;
        }
        out->n += n, out->x += sx, out->y += sy, out->xx += sxx, out->yy += syy, out->xy += sxy;
    }
}

#endif
