/* Inner loops of the optical flow. */
#ifndef ENDO_CPU_FLOW_LOOPS_H
#define ENDO_CPU_FLOW_LOOPS_H

#include "rules/flow.h"

#include <stddef.h>
#include <stdint.h>

/* One row of the reference at one level, and where it lies in the current image (16 fractional bits). */
typedef struct cpu_flow_row {
    const int16_t *reference; /* x = 0 of the row */
    const int16_t *current;   /* the whole image */
    ptrdiff_t stride;
    int width, height;
    int32_t px, py;         /* position of x = 0 */
    int32_t step_x, step_y; /* from pixel to pixel */
} cpu_flow_row;

/* x about the centre; fits 32 bits for one row of at most ENDO_FLOW_SIDE pixels. */
typedef struct cpu_flow_row_sums {
    int32_t n, x, xx, d, xd;
} cpu_flow_row_sums;

typedef struct cpu_flow_loops {
    /* Adds |current - reference| over `rows` rows of n pixels where both are valid; at most 2^16 pixels. */
    void (*shift_rows)(const int16_t *reference, const int16_t *current, ptrdiff_t stride, int n, int rows,
                       endo_shift_sums *sums);
    void (*flow_row)(const cpu_flow_row *row, cpu_flow_row_sums sums[2]);
} cpu_flow_loops;

extern const cpu_flow_loops cpu_flow_c;
#ifdef ENDO_X86
extern const cpu_flow_loops cpu_flow_avx2;
extern const cpu_flow_loops cpu_flow_avx512;
#endif

#endif
