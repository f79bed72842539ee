/* Adaptive histogram equalization: every pixel is mapped by the histogram of the window around it.
 *
 * Source: [P] C. Panconi, Parallel Adaptive Histogram Equalization, 2022/23; "Algorithm" numbers refer to it. */
#ifndef ENDORAMA_AHE_H
#define ENDORAMA_AHE_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ENDO_AHE_MAX_WINDOW 1023
#define ENDO_AHE_MAX_LIMIT 1000

typedef enum endo_ahe_method {
    ENDO_AHE_WINDOW = 0, /* the window around each pixel, [P] Algorithm 2 */
    ENDO_AHE_GLOBAL = 1  /* one histogram for all of the region, [P] Algorithm 1; window is ignored */
} endo_ahe_method;

typedef struct endo_ahe_options {
    endo_ahe_method method; /* default ENDO_AHE_WINDOW */
    int window;             /* side of the window, px, odd, 3..1023; default 63; may exceed the image */
    double limit;           /* contrast limit, the largest slope of the mapping: above 1, up to 1000;
                               0 (default): none */
    int low;                /* 16 bit with a limit: the 256 bins span the grey values low..high, values beyond count in
                               the nearest bin; equal (default 0, 0): from the image's smallest value to its largest */
    int high;
} endo_ahe_options;

typedef struct endo_region {
    int x, y, width, height;
} endo_region;

ENDO_API void endo_ahe_options_init(endo_ahe_options *options);
static inline endo_ahe_options endo_ahe_options_default(void) {
    endo_ahe_options options;
    endo_ahe_options_init(&options);
    return options;
}

/* Equalizes a region (NULL: all) of an image; pixels around the region count in the windows of its pixels. Beyond its
 * borders the image is mirrored, the outermost pixels twice: x = -1 is x = 0.
 *
 * With L = 256 levels (65536 of 16-bit pixels), n = window^2 and h[v] the pixels of value v in the window:
 *     without a limit  out = floor((L-1) * sum(h[v], v <= c) / n)  at a pixel of value c;
 *     with a limit     h is first clipped to max(1, round(limit * n / 256)), and what was cut off is spread
 *                      evenly over all 256 bins. 16-bit pixels are counted in 256 equal bins and the mapping is
 *                      linear within a bin.
 * RGB32: the luma is equalized, and its change is added to red, green and blue: the chroma stays.
 *
 * out: region's size, rows out_stride apart, same type; must not overlap the image. Every back end, instruction set and number
 * of threads gives the same bytes. Errors: ARGUMENT, MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_ahe_apply(endo_context *context, const endo_image *image, const endo_region *region,
                                                   const endo_ahe_options *options, void *out, ptrdiff_t out_stride);

#ifdef __cplusplus
}
#endif
#endif
