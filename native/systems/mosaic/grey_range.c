/* Quantiles of a histogram (grey_range.h). */
#include "grey_range.h"

/* One pixel in this many is clipped at either end. */
#define TAIL 1000

void grey_range_add(grey_range *range, const uint16_t *pixels, size_t n) {
    for (size_t i = 0; i < n; i++) range->histogram[pixels[i]]++;
    range->pixels += (int64_t)n;
}

/* The grey values beyond which at most `tail` pixels lie. */
static void ends_but(const grey_range *range, int64_t tail, int *low, int *high) {
    const int64_t *histogram = range->histogram;
    int64_t darker = histogram[0];
    int64_t brighter = histogram[65535];
    *low = 0;
    *high = 65535;
    while (darker <= tail && *low < 65535) darker += histogram[++*low];
    while (brighter <= tail && *high > *low) brighter += histogram[--*high];
}

void grey_range_ends(const grey_range *range, int *low, int *high) {
    ends_but(range, range->pixels / TAIL, low, high);
    if (*low == *high) ends_but(range, 0, low, high);
    if (*low < *high) return;
    *low = *high > 0 ? *high - 1 : 0;
    *high = *high > 0 ? *high : 65535;
}
