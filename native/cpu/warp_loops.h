/* Inner loops of warping and painting. */
#ifndef ENDO_CPU_WARP_LOOPS_H
#define ENDO_CPU_WARP_LOOPS_H

#include "include/endorama.h"
#include "rules/agreement.h"
#include "rules/sampling.h"

#include <stddef.h>
#include <stdint.h>

/* A run of n target pixels whose source positions all lie in the image (32 fractional bits). */
typedef struct cpu_warp_row {
    const uint8_t *pixels; /* source image */
    const uint8_t *bilinear;  /* mask: bit endo_sampled() says whether these pixels may be used */
    ptrdiff_t stride;      /* of both, in elements */
    int64_t px, py;        /* position of the first pixel */
    int64_t step_x, step_y;
    int n;
} cpu_warp_row;

typedef struct cpu_warp_loops {
    /* Bilinear samples of an 8-bit image; valid = 255, or 0 and sample 0. */
    void (*warp_row)(const cpu_warp_row *row, uint8_t *warped, uint8_t *valid);
    /* Adds n pixels of a row: how they differ from those one and two rows away, where the field (odd: inside) is. */
    void (*comb)(const uint8_t *row, ptrdiff_t stride, const uint8_t *field, int n, endo_comb_sums *out);
    /* Paints where the mask allows and nothing was painted. */
    void (*paint_row)(const cpu_warp_row *row, endo_pixel type, void *pixels, uint8_t *painted);
} cpu_warp_loops;

/* Turns a row's mask of what the warped frame shows into 255 where that or the field of view is missing, else 0. */
static inline void cpu_warp_unused(uint8_t *restrict mask, const uint8_t *restrict field, int n) {
    for (int i = 0; i < n; i++) mask[i] = (uint8_t)~(mask[i] & field[i]);
}

extern const cpu_warp_loops cpu_warp_c;
#ifdef ENDO_X86
extern const cpu_warp_loops cpu_warp_avx2, cpu_warp_avx512;
/* The loop in AVX2 that the table of AVX-512 takes, too. */
void cpu_paint_row_avx2(const cpu_warp_row *row, endo_pixel type, void *pixels, uint8_t *painted);
#endif

#endif
