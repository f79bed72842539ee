/* Inner loops of warping and painting. */
#ifndef ENDO_CPU_WARP_LOOPS_H
#define ENDO_CPU_WARP_LOOPS_H

#include "../include/endorama.h"
#include "../rules/sampling.h"

#include <stddef.h>
#include <stdint.h>

/* A run of n target pixels whose source positions all lie in the image (32 fractional bits). */
typedef struct cpu_warp_row {
    const uint8_t *pixels; /* source image */
    const uint8_t *quads;  /* mask: bit endo_sampled() says whether these pixels may be used */
    ptrdiff_t stride;      /* of both, in elements */
    int64_t px, py;        /* position of the first pixel */
    int64_t step_x, step_y;
    int n;
} cpu_warp_row;

typedef struct cpu_warp_loops {
    /* Bilinear samples of an 8-bit image; valid = 255, or 0 and sample 0. */
    void (*warp_row)(const cpu_warp_row *row, uint8_t *warped, uint8_t *valid);
    /* Paints where the mask allows and, if ring, nothing was painted. */
    void (*paint_row)(const cpu_warp_row *row, endo_pixel type, int ring, void *pixels, uint8_t *painted);
} cpu_warp_loops;

extern const cpu_warp_loops cpu_warp_c;
#ifdef ENDO_X86
extern const cpu_warp_loops cpu_warp_avx2;
#endif

#endif
