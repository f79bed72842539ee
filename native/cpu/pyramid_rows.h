/* Loops of frames and their pyramids that the compiler vectorises for the instruction set it is told. */
#ifndef ENDO_PYRAMID_ROWS_H
#define ENDO_PYRAMID_ROWS_H

#include "rules/flow.h"
#include "rules/grey.h"
#include "pyramid_loops.h"

static inline void grey_rgb_row(const uint32_t *rgb, int n, uint8_t *grey, uint32_t *highlights) {
    for (int i = 0; i < n; i++) grey[i] = endo_grey_of_rgb(rgb[i]);
    if (!highlights) return;
    for (int i = 0; i < n; i += 32) {
        uint32_t word = 0;
        for (int k = 0; k < 32 && i + k < n; k++) word |= (uint32_t)endo_is_specular_rgb(rgb[i + k]) << k;
        highlights[i / 32] = word;
    }
}

static inline void halve_one_row(const uint8_t *top, const uint8_t *bottom, int n, uint8_t *out) {
    for (int i = 0; i < n; i++)
        out[i] = (uint8_t)((top[2 * i] + top[2 * i + 1] + bottom[2 * i] + bottom[2 * i + 1] + 2) >> 2);
}

static inline void smooth_all_columns(int16_t *image, ptrdiff_t stride, int width, int height, int k) {
    for (int y = 1; y < height; y++) {
        const int16_t *above = image + (y - 1) * stride;
        int16_t *row = image + y * stride;
        for (int x = 0; x < width; x++) row[x] = (int16_t)endo_smooth_step(above[x], row[x], k);
    }
    for (int y = height - 2; y >= 0; y--) {
        const int16_t *below = image + (y + 1) * stride;
        int16_t *row = image + y * stride;
        for (int x = 0; x < width; x++) row[x] = (int16_t)endo_smooth_step(below[x], row[x], k);
    }
}

#define TRANSPOSE_TILE 32

/* Tile by tile, so that both images stay in the cache. */
static inline void transpose_all(const int16_t *in, ptrdiff_t in_stride, int width, int height, int16_t *out,
                                 ptrdiff_t out_stride) {
    for (int y0 = 0; y0 < height; y0 += TRANSPOSE_TILE)
        for (int x0 = 0; x0 < width; x0 += TRANSPOSE_TILE) {
            int y1 = y0 + TRANSPOSE_TILE < height ? y0 + TRANSPOSE_TILE : height;
            int x1 = x0 + TRANSPOSE_TILE < width ? x0 + TRANSPOSE_TILE : width;
            for (int x = x0; x < x1; x++)
                for (int y = y0; y < y1; y++) out[x * out_stride + y] = in[y * in_stride + x];
        }
}

#endif
