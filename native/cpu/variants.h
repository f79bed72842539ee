/* The inner loops of the CPU back end, one table per instruction set. Filled once, in variants.c; the
 * drivers never ask which it is. Files: <stem>_c.c, <stem>_avx2.c, <stem>_avx512.c. */
#ifndef ENDO_CPU_VARIANTS_H
#define ENDO_CPU_VARIANTS_H

#include "../rules/exposures.h"
#include "../rules/flow.h"
#include "../include/endorama.h"
#include "../rules/coefficient.h"
#include "../rules/grey.h"
#include "../rules/sampling.h"

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

/* Counters of adaptive equalization for one pixel: 256 levels, 16 groups of them, and room to the next cache line. */
#define CPU_AHE_COUNTERS 288
/* Pixels of a strip: their counters fit the first cache. A multiple of everything that loops take at a time. */
#define CPU_AHE_STRIP 64
/* Rows whose windows are counted by groups carry their pixels with the lower bits inverted. */
#define CPU_AHE_INVERT 15

/* What a clipped histogram says about a pixel: all that was kept, what was kept under its bin, and in it. */
typedef struct cpu_ahe_counts {
    int32_t kept, below, own;
} cpu_ahe_counts;

/* Pixels to be mapped by their clipped histograms (rules/ahe.h). */
typedef struct cpu_ahe_mapping {
    const cpu_ahe_counts *counts;
    const uint8_t *bins, *parts; /* parts: part - 1; NULL: bins of one level */
    int n;
    int32_t pixels, bin_width, top;
} cpu_ahe_mapping;

/* The loops of adaptive equalization (ahe_rows.h). Rows are padded: [x] leaves the window of pixel x, [x + window]
 * enters it. differences: CPU_AHE_COUNTERS a pixel. state: the window left of the strip, after the call its last. */
typedef struct cpu_ahe_loops {
    int largest_compared, largest_compared16; /* windows up to these are faster compared than counted */
    void (*add_row)(uint16_t *differences, const uint8_t *row, int window, int n, int times);
    void (*slide_down)(uint16_t *differences, const uint8_t *enter, const uint8_t *leave, int window, int n);
    void (*slide_right)(uint16_t *state, const uint16_t *differences, const uint8_t *centres, int n, uint32_t *ranks);
    void (*slide_right_wide)(uint32_t *state, const uint16_t *differences, const uint8_t *centres, int n,
                             uint32_t *ranks);
    void (*add_row_counts)(uint16_t *differences, const uint8_t *row, int window, int n, int times);
    void (*slide_down_counts)(uint16_t *differences, const uint8_t *enter, const uint8_t *leave, int window, int n);
    void (*slide_right_limited)(uint16_t *state, const uint16_t *differences, const uint8_t *centres, int n,
                                uint16_t clip, cpu_ahe_counts *counts);
    void (*slide_right_limited_wide)(uint32_t *state, const uint16_t *differences, const uint8_t *centres, int n,
                                     uint32_t clip, cpu_ahe_counts *counts);
    /* rows[v][x + u]: the windows of n pixels from x = 0. */
    void (*compare8)(const uint8_t *const *rows, int window, int n, uint32_t *ranks);
    void (*compare16)(const uint16_t *const *rows, int window, int n, uint32_t *ranks);
    void (*map8)(const uint32_t *ranks, int n, uint32_t pixels, uint8_t *out);
    void (*map_limited)(const cpu_ahe_mapping *m, uint32_t *values);
} cpu_ahe_loops;
/* Some rows of an image and what becomes of them: bits (pixel x is bit x % 64 of word x / 64), counts by column.
 * Images and counts go on to a whole number of words. */
typedef struct cpu_exposure_rows {
    const uint8_t *grey, *field;
    ptrdiff_t stride, field_stride;
    int words, rows;                  /* rows: at most 255 */
    int level, black_end, white_from; /* above: > level; black: < black_end; white: > white_from */
    uint64_t *above, *used;           /* used: black or white */
    ptrdiff_t pitch;                  /* of them, words */
    uint8_t *black, *white;           /* columns: so many more */
} cpu_exposure_rows;

/* Bitmaps under a shift: word i of a reference row begins at bit `bits` of its word i. */
typedef struct cpu_exposure_overlap {
    const uint64_t *reference, *current;
    const uint64_t *reference_mask, *current_mask; /* as the bitmaps; without reference_mask: one row for all */
    ptrdiff_t pitch;                               /* from row to row, words */
    int words, rows, bits;
} cpu_exposure_overlap;

typedef struct cpu_variant {
    const char *name;
    endo_cpu cpu;
    const cpu_ahe_loops *ahe;

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

    void (*exposure_rows)(const cpu_exposure_rows *r);
    /* Bits set in both, and in `used` alone. */
    void (*exposure_count)(const uint64_t *above, const uint64_t *used, int words, int counts[2]);
    /* Of n pixels of the field, those that are at most level. */
    int32_t (*exposure_not_above)(const uint8_t *grey, const uint8_t *field, int level, int n);
    /* Products of counts; the sum of them must stay below 2^31. */
    int32_t (*exposure_dot)(const int16_t *a, const int16_t *b, int n);
    int64_t (*exposure_differ)(const cpu_exposure_overlap *o);
    endo_exposure_overlap (*exposure_masked)(const cpu_exposure_overlap *o);
} cpu_variant;

extern const cpu_variant cpu_variant_c;
extern const cpu_ahe_loops cpu_ahe_c;
#ifdef ENDO_X86
extern const cpu_ahe_loops cpu_ahe_avx2;
extern const cpu_ahe_loops cpu_ahe_avx512;
extern const cpu_variant cpu_variant_avx2;
extern const cpu_variant cpu_variant_avx512;
#endif

/* The best variant up to a limit; NULL if this machine lacks the limit itself (ENDO_CPU_BEST never is). */
const cpu_variant *cpu_variant_choose(endo_cpu limit);

#endif
