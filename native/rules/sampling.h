/* Bilinear interpolation. */
#ifndef ENDO_RULES_SAMPLING_H
#define ENDO_RULES_SAMPLING_H

#include "base/host_device.h"

/* Interpolates four pixels at a position with 8 fractional bits. The value equals the rounded sum / 65536 of the pixels
 * weighted by (256-fx)(256-fy), fx(256-fy), (256-fx)fy, fx*fy. */
ENDO_HD int32_t endo_bilinear(int32_t p00, int32_t p01, int32_t p10, int32_t p11, int32_t fx, int32_t fy) {
    int32_t top = 256 * p00 + fx * (p01 - p00);
    int32_t bottom = 256 * p10 + fx * (p11 - p10);
    return (256 * top + fy * (bottom - top) + 32768) >> 16;
}

/* Interpolates four 16-bit pixels, which need 64 bits. */
ENDO_HD int32_t endo_bilinear16(int64_t p00, int64_t p01, int64_t p10, int64_t p11, int32_t fx, int32_t fy) {
    int64_t top = 256 * p00 + fx * (p01 - p00);
    int64_t bottom = 256 * p10 + fx * (p11 - p10);
    return (int32_t)((256 * top + fy * (bottom - top) + 32768) >> 16);
}

/* Which of the four pixels around a position have a weight: 0: the pixel itself alone; 1: the pixel and the one to its right;
 * 2: the pixel and the one below; 3: all four. */
ENDO_HD int endo_sampled(int32_t fx, int32_t fy) { return (fx != 0) + 2 * (fy != 0); }

/* A position with 32 fractional bits, rounded to 8. */
ENDO_HD int64_t endo_position8(int64_t position32) { return (position32 + (1 << 23)) >> 24; }

#endif
