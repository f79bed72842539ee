/* Inner loops of frames without the distortion of their lens. */
#ifndef ENDO_CPU_LENS_LOOPS_H
#define ENDO_CPU_LENS_LOOPS_H

#include "rules/lens.h"

#include <stddef.h>

/* n pixels of a row of such a frame. */
typedef struct cpu_lens_row {
    const void *rows[4];    /* what the lens shows, from its first four rows on */
    const int32_t *first;   /* in each of these, the first of the 4 x 4 pixels about each position */
    const uint16_t *weight; /* its first weight, a multiple of ENDO_LENS_TAPS */
    const int16_t *weights; /* of all positions */
    int n;
} cpu_lens_row;

/* No more than the 4 x 4 pixels of each position is read. */
typedef struct cpu_lens_loops {
    void (*grey8)(const cpu_lens_row *row, uint8_t *out);
    void (*grey16)(const cpu_lens_row *row, uint16_t *out);
    void (*rgb)(const cpu_lens_row *row, uint32_t *out);
} cpu_lens_loops;

extern const cpu_lens_loops cpu_lens_c;
#ifdef ENDO_X86
extern const cpu_lens_loops cpu_lens_avx2;
extern const cpu_lens_loops cpu_lens_avx512;
#endif

#endif
