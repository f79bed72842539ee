/* The grey values that span 16-bit frames, for matching only. One pixel in a thousand may be darker and one in a thousand
 * brighter, and is clipped, so that hot and dead pixels do not set the range. */
#ifndef ENDO_MOSAIC_GREY_RANGE_H
#define ENDO_MOSAIC_GREY_RANGE_H

#include <stddef.h>
#include <stdint.h>

/* A histogram of grey values; all 0 at first. */
typedef struct grey_range {
    int64_t histogram[65536];
    int64_t pixels;
} grey_range;

void grey_range_add(grey_range *range, const uint16_t *pixels, size_t n);

/* Computes the ends of the range, *low < *high. Where the quantiles are equal the range is that of all pixels; where all pixels
 * are equal it ends at their value; if that is 0 it is the full range. */
void grey_range_ends(const grey_range *range, int *low, int *high);

#endif
