/* Rows of frames without the distortion of their lens in plain C. */
#ifndef ENDO_CPU_LENS_ROWS_H
#define ENDO_CPU_LENS_ROWS_H

#include "lens_loops.h"

static inline void lens_grey8(const cpu_lens_row *r, uint8_t *restrict out) {
    for (int x = 0; x < r->n; x++) {
        const int16_t *weights = r->weights + r->weight[x];
        int32_t sum = 0;
        for (int j = 0; j < 4; j++)
            for (int i = 0; i < 4; i++) sum += ((const uint8_t *)r->rows[j] + r->first[x])[i] * weights[4 * j + i];
        out[x] = (uint8_t)endo_lens_value(sum, 255);
    }
}

static inline void lens_grey16(const cpu_lens_row *r, uint16_t *restrict out) {
    for (int x = 0; x < r->n; x++) {
        const int16_t *weights = r->weights + r->weight[x];
        int32_t sum = 0;
        for (int j = 0; j < 4; j++)
            for (int i = 0; i < 4; i++) sum += ((const uint16_t *)r->rows[j] + r->first[x])[i] * weights[4 * j + i];
        out[x] = (uint16_t)endo_lens_value(sum, 65535);
    }
}

/* The four rows are addressed from the first one: GCC makes vectors of that, but not of four pointers. */
static inline void lens_rgb(const cpu_lens_row *r, uint32_t *out) {
    ptrdiff_t stride = (const uint32_t *)r->rows[1] - (const uint32_t *)r->rows[0];
    for (int x = 0; x < r->n; x++) {
        const uint32_t *pixels = (const uint32_t *)r->rows[0] + r->first[x];
        const int16_t *weights = r->weights + r->weight[x];
        int32_t red = 0;
        int32_t green = 0;
        int32_t blue = 0;
        for (int j = 0; j < 4; j++)
            for (int i = 0; i < 4; i++) {
                uint32_t rgb = pixels[j * stride + i];
                int32_t weight = weights[4 * j + i];
                red += (int32_t)(rgb >> 16 & 255) * weight;
                green += (int32_t)(rgb >> 8 & 255) * weight;
                blue += (int32_t)(rgb & 255) * weight;
            }
        out[x] = ENDO_LENS_BLACK_RGB | (uint32_t)endo_lens_value(red, 255) << 16 | (uint32_t)endo_lens_value(green, 255) << 8 |
                 (uint32_t)endo_lens_value(blue, 255);
    }
}

#endif
