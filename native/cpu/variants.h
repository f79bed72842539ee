/* The inner loops of the CPU back end, one table per instruction set. Filled once, in variants.c; the
 * drivers never ask which it is. Files: <stem>_c.c, <stem>_avx2.c, <stem>_avx512.c. */
#ifndef ENDO_CPU_VARIANTS_H
#define ENDO_CPU_VARIANTS_H

#include "../flow_math.h"
#include "../include/endorama.h"
#include "../pixel_math.h"

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

/* What a window adds to a template's sums. */
typedef struct cpu_window_sums {
    int64_t y, yy, xy;
} cpu_window_sums;

/* Rows of two images with their highlight masks. */
typedef struct cpu_masked_window {
    const uint8_t *x, *x_mask, *y, *y_mask;
    ptrdiff_t stride; /* of all four */
    int width, height;
} cpu_masked_window;

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

/* A run of n target pixels whose source positions all lie in the image (32 fractional bits). */
typedef struct cpu_warp_row {
    const uint8_t *pixels; /* source image */
    const uint8_t *quads;  /* mask: may the four pixels around be used */
    ptrdiff_t stride;      /* of both, in elements */
    int64_t px, py;        /* position of the first pixel */
    int64_t step_x, step_y;
    int n;
} cpu_warp_row;

typedef struct cpu_variant {
    const char *name;
    endo_cpu cpu;

    void (*ncc_prepare)(cpu_template *t); /* fills packed and the sums */
    void (*ncc_window)(const cpu_template *t, const uint8_t *window, ptrdiff_t stride, cpu_window_sums *out);
    void (*ncc_masked)(const cpu_masked_window *w, endo_sums *out);

    void (*grey_rgb)(const uint32_t *rgb, int n, uint8_t *grey);
    void (*halve_row)(const uint8_t *top, const uint8_t *bottom, int n, uint8_t *out);
    /* Recursive smoothing down and up the columns of an image. */
    void (*smooth_columns)(int16_t *image, ptrdiff_t stride, int width, int height, int k);
    void (*transpose)(const int16_t *in, ptrdiff_t in_stride, int width, int height, int16_t *out,
                      ptrdiff_t out_stride);
    /* Adds |current - reference| over n pixels where both are valid; n <= ENDO_FLOW_SIDE. */
    void (*shift_row)(const int16_t *reference, const int16_t *current, int n, endo_shift_sums *sums);
    void (*flow_row)(const cpu_flow_row *row, cpu_flow_row_sums sums[2]);

    /* Bilinear samples of an 8-bit image; valid = 255, or 0 and sample 0. */
    void (*warp_row)(const cpu_warp_row *row, uint8_t *warped, uint8_t *valid);
    /* Paints where the mask allows and, if ring, nothing was painted. */
    void (*paint_row)(const cpu_warp_row *row, endo_pixel type, int ring, void *pixels, uint8_t *painted);
} cpu_variant;

extern const cpu_variant cpu_variant_c;
#ifdef ENDO_X86
extern const cpu_variant cpu_variant_avx2;
extern const cpu_variant cpu_variant_avx512;
#endif

/* The best variant up to a limit; NULL if this machine lacks the limit itself (ENDO_CPU_BEST never is). */
const cpu_variant *cpu_variant_choose(endo_cpu limit);

#endif
