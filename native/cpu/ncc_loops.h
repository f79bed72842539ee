/* Inner loops of coefficients. */
#ifndef ENDO_CPU_NCC_LOOPS_H
#define ENDO_CPU_NCC_LOOPS_H

#include "rules/coefficient.h"

#include <stddef.h>
#include <stdint.h>

/* A template as the variant's loop wants it. */
typedef struct cpu_template {
    int side;
    const uint8_t *pixels; /* top left corner, in the frame */
    ptrdiff_t stride;
    int64_t sum, sum_of_squares;
    void *packed; /* the variant's own arrangement, CPU_TEMPLATE_BYTES, 64-byte aligned */
} cpu_template;

/* Side 255 as 16-bit numbers in rows of 256. */
#define CPU_TEMPLATE_BYTES (255 * 256 * 2)

/* Sums of a window, grey levels, for the coefficient with a template: of its pixels, squares, products with the template. */
typedef struct cpu_window_sums {
    int64_t y, yy, xy;
} cpu_window_sums;

/* Rows of two images with their highlight masks. */
typedef struct cpu_masked_window {
    const uint8_t *x, *x_mask, *y, *y_mask;
    ptrdiff_t stride; /* of all four */
    int width, height;
} cpu_masked_window;

typedef struct cpu_ncc_loops {
    void (*prepare)(cpu_template *t); /* fills packed and the sums */
    void (*window)(const cpu_template *t, const uint8_t *window, ptrdiff_t stride, cpu_window_sums *out);
    void (*masked)(const cpu_masked_window *w, endo_sums *out);
} cpu_ncc_loops;

extern const cpu_ncc_loops cpu_ncc_c;
#ifdef ENDO_X86
extern const cpu_ncc_loops cpu_ncc_avx2;
extern const cpu_ncc_loops cpu_ncc_avx512;
#endif

#endif
