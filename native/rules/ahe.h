/* The rules of adaptive equalization that every back end shares (endorama/ahe.h has the definition).
 * Invariant: integers, but for the limit itself. */
#ifndef ENDO_RULES_AHE_H
#define ENDO_RULES_AHE_H

#include "base/host_device.h"

#define ENDO_AHE_BINS 256

/* The position that mirroring at the borders of 0..n-1 takes i to, however far outside. */
ENDO_HD int endo_ahe_mirror(int i, int n) {
    int period = 2 * n, at = i % period;
    if (at < 0) at += period;
    return at < n ? at : period - 1 - at;
}

/* The largest count of a bin of n pixels under a contrast limit; 0: no limit. */
ENDO_HD int endo_ahe_clip(double limit, double n) {
    if (limit == 0) return 0;
    double clip = floor(limit * n / ENDO_AHE_BINS + 0.5);
    return clip < 1 ? 1 : clip > n ? (int)n : (int)clip;
}

/* The levels that occur are divided into `groups` groups in order, each of about as many pixels. Returns the group of a level
 * that `count` of all pixels have and `below` pixels are under. A level of twice a group's share is alone in its group. */
ENDO_HD uint32_t endo_ahe_group(uint64_t below, uint64_t count, uint64_t all, uint32_t groups) {
    return (uint32_t)((2 * below + count) * groups / (2 * all));
}

/* The mapping without a limit. rank: pixels of the window that are not above the centre; n: all pixels of it. */
ENDO_HD uint32_t endo_ahe_plain(uint32_t rank, uint32_t n, uint32_t top) {
    return (uint32_t)((uint64_t)rank * top / n);
}

/* The bin of the centre in a clipped histogram. All counts together make n. */
typedef struct endo_ahe_bin {
    uint64_t below; /* sum of the clipped counts of the bins under it */
    uint64_t count; /* its clipped count */
    uint64_t cut;   /* sum of what was cut off all bins, to be spread over 256 */
    uint32_t bin;   /* its number */
    uint32_t part;  /* number of its levels that are not above the centre: 1 for 8 bits */
    uint32_t width; /* number of its levels: 1 for 8 bits */
} endo_ahe_bin;

/* The mapping with a limit: floor(top * cdf / n), cdf with the denominator 256 * width. */
ENDO_HD uint32_t endo_ahe_limited(const endo_ahe_bin *b, uint64_t n, uint32_t top) {
    uint64_t cdf = (256 * b->below + b->cut * b->bin) * b->width + b->part * (256 * b->count + b->cut);
    return (uint32_t)(cdf * top / (256 * n * b->width));
}

/* Bin and part (endo_ahe_bin) of a 16-bit pixel: 256 bins of `width` levels from low, values beyond are clamped. */
ENDO_HD void endo_ahe_bin_of_16(int v, int low, int high, int width, uint32_t *bin, uint32_t *part) {
    int above = (v < low ? low : v > high ? high : v) - low;
    *bin = (uint32_t)(above / width);
    *part = (uint32_t)(above % width) + 1;
}

#endif
