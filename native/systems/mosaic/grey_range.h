/* The grey values that span 16-bit frames, for matching alone. One pixel in a thousand may be darker and one in a thousand
 * brighter, and is clipped: hot and dead pixels must not set the range. */
#ifndef ENDO_MOSAIC_GREY_RANGE_H
#define ENDO_MOSAIC_GREY_RANGE_H

#include <stddef.h>
#include <stdint.h>

/* All 0 to begin with. */
typedef struct grey_range {
    int64_t histogram[65536];
    int64_t pixels;
} grey_range;

/* Counts the pixels of a frame. */
void grey_range_add(grey_range *range, const uint16_t *pixels, size_t n);

/* The darkest and the brightest value that count, the first below the second. Where they are one value the range is that of all
 * pixels; where that is one value, too, it ends there; of nothing but 0 it is everything. */
void grey_range_ends(const grey_range *range, int *low, int *high);

#endif
