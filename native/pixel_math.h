/* The per-pixel and per-coefficient rules that every back end shares, so that a rule exists once.
 *
 * Invariant: integers, or single IEEE operations in an order that is fixed here. Build without
 * contraction (-ffp-contract=off, nvcc --fmad=false): then CPU and GPU give the same bytes.
 */
#ifndef ENDO_PIXEL_MATH_H
#define ENDO_PIXEL_MATH_H

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define ENDO_HD __host__ __device__ static inline
#else
#define ENDO_HD static inline
#endif

/* ------------------------------------------------------------------- grey */

ENDO_HD uint8_t endo_grey_of_channels(uint32_t r, uint32_t g, uint32_t b) {
    return (uint8_t)((77 * r + 150 * g + 29 * b + 128) >> 8);
}

ENDO_HD uint8_t endo_grey_of_rgb(uint32_t rgb) {
    return endo_grey_of_channels((rgb >> 16) & 255, (rgb >> 8) & 255, rgb & 255);
}

/* clamp(floor((v - low) * 255 / (high - low) + 1/2), 0, 255) */
ENDO_HD uint8_t endo_grey_of_16(uint32_t v, int low, int high) {
    if ((int64_t)v <= low) return 0;
    if ((int64_t)v >= high) return 255;
    uint32_t range = (uint32_t)(high - low), above = v - (uint32_t)low;
    return (uint8_t)((above * 510 + range) / (2 * range));
}

/* A specular highlight saturates every channel; tissue is red and never does. */
#define ENDO_SPECULAR_RGB 205
#define ENDO_SPECULAR_GREY 240
/* Highlights bloom: the mask is grown by this many pixels each way. */
#define ENDO_SPECULAR_GROWTH 2

ENDO_HD int endo_is_specular_rgb(uint32_t rgb) {
    return ((rgb >> 16) & 255) >= ENDO_SPECULAR_RGB && ((rgb >> 8) & 255) >= ENDO_SPECULAR_RGB &&
           (rgb & 255) >= ENDO_SPECULAR_RGB;
}

/* ---------------------------------------------------------- coefficients */

typedef struct endo_sums {
    int64_t n, x, y, xx, yy, xy; /* pixels; template x, window y */
} endo_sums;

/* [S] eq. 3.1 with the sums multiplied out: integers until one division. 255 x 255 pixels of 8 bits
 * keep every product below 2^49. NaN: undefined (no variance on a side). */
ENDO_HD double endo_coefficient(const endo_sums *s) {
    int64_t dx = s->n * s->xx - s->x * s->x;
    int64_t dy = s->n * s->yy - s->y * s->y;
    if (dx <= 0 || dy <= 0) return NAN;
    int64_t numerator = s->n * s->xy - s->x * s->y;
    return (double)numerator / sqrt((double)dx * (double)dy);
}

/* Peak of the quadratic fitted by least squares to nine coefficients c[3*(dy+1) + dx+1]. Leaves
 * *dx = *dy = 0 if one is undefined, the surface has no maximum within one pixel, or the centre is a perfect
 * match: identical images are not moved. */
ENDO_HD void endo_subpixel_peak(const double c[9], double *dx, double *dy) {
    *dx = *dy = 0;
    for (int i = 0; i < 9; i++)
        if (c[i] != c[i]) return;
    if (c[4] >= 1) return;
    double left = c[0] + c[3] + c[6], middle_x = c[1] + c[4] + c[7], right = c[2] + c[5] + c[8];
    double top = c[0] + c[1] + c[2], middle_y = c[3] + c[4] + c[5], bottom = c[6] + c[7] + c[8];
    double gx = (right - left) / 6, gy = (bottom - top) / 6;
    double xx = (left + right - 2 * middle_x) / 3, yy = (top + bottom - 2 * middle_y) / 3;
    double xy = (c[0] + c[8] - c[2] - c[6]) / 4;
    double determinant = xx * yy - xy * xy;
    if (!(xx < 0 && yy < 0 && determinant > 0)) return;
    double x = (xy * gy - yy * gx) / determinant, y = (xy * gx - xx * gy) / determinant;
    if (fabs(x) > 1 || fabs(y) > 1) return;
    *dx = x;
    *dy = y;
}

/* The search pattern of [S] Listing 3.4: the centre, then eight neighbours; on a tie the first wins. */
#define ENDO_PATTERN_X {0, -1, -1, 0, 1, 1, 1, 0, -1}
#define ENDO_PATTERN_Y {0, 0, -1, -1, -1, 0, 1, 1, 1}

/* --------------------------------------------------------- bilinear sample */

/* Positions carry 8 fractional bits. The same value as weighting the four pixels by
 * (256-fx)(256-fy), fx(256-fy), (256-fx)fy, fx*fy and rounding the sum / 65536. */
ENDO_HD int32_t endo_bilinear(int32_t p00, int32_t p01, int32_t p10, int32_t p11, int32_t fx, int32_t fy) {
    int32_t top = 256 * p00 + fx * (p01 - p00);
    int32_t bottom = 256 * p10 + fx * (p11 - p10);
    return (256 * top + fy * (bottom - top) + 32768) >> 16;
}

/* 16-bit pixels need 64 bits for the same. */
ENDO_HD int32_t endo_bilinear16(int64_t p00, int64_t p01, int64_t p10, int64_t p11, int32_t fx, int32_t fy) {
    int64_t top = 256 * p00 + fx * (p01 - p00);
    int64_t bottom = 256 * p10 + fx * (p11 - p10);
    return (int32_t)((256 * top + fy * (bottom - top) + 32768) >> 16);
}

/* A position with 32 fractional bits, rounded to 8. */
ENDO_HD int64_t endo_position8(int64_t position32) { return (position32 + (1 << 23)) >> 24; }

#endif
