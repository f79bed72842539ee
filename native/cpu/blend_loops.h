/* Inner loops of blending. */
#ifndef ENDO_CPU_BLEND_LOOPS_H
#define ENDO_CPU_BLEND_LOOPS_H

#include "../include/endorama.h"
#include "../rules/blend.h"

#include <stddef.h>
#include <stdint.h>

/* A row of blocks of a frame. */
typedef struct cpu_block_row {
    const uint8_t *pixels; /* of its first row */
    ptrdiff_t stride;      /* elements */
    int n;
    const uint16_t *factors; /* of each block */
    uint32_t gain[3];
    uint32_t clipped; /* 16 bit: the least pixel that is */
} cpu_block_row;

/* A run of n pixels of the blend whose places all lie in the frame (32 fractional bits). */
typedef struct cpu_blend_run {
    const uint8_t *pixels, *sixteen; /* of the frame; where it may be sampled */
    const uint16_t *factors;
    ptrdiff_t stride; /* of the three, in elements */
    int64_t px, py;   /* place of the first pixel */
    int64_t step_x, step_y;
    int n;
    const int8_t (*taps)[4]; /* endo_blend_taps of 0..255 */
    const uint32_t *gain;    /* of three channels */
    const uint16_t *weights; /* of each pixel */
    void *sums;              /* endo_blend_sum_size for each */
    uint16_t *coverage;
} cpu_blend_run;

typedef struct cpu_blend_loops {
    /* The blocks' values, corrected, and whether a pixel of them is clipped (1 or 0); not their scores. */
    void (*block_row)(const cpu_block_row *row, endo_pixel type, endo_blend_block *blocks, uint8_t *clipped);
    void (*add_run)(const cpu_blend_run *run, endo_pixel type);
} cpu_blend_loops;

extern const cpu_blend_loops cpu_blend_c;
#ifdef ENDO_X86
extern const cpu_blend_loops cpu_blend_avx2;
#endif

#endif
