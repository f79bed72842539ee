/* The rules of adaptive equalization that every back end shares (endorama/ahe.h has the definition).
 * Invariant: integers, but for the limit itself. */
#ifndef ENDO_RULES_AHE_H
#define ENDO_RULES_AHE_H

#include "base/host_device.h"

#define ENDO_AHE_BINS 256

/* Where position i lies after mirroring at the borders of 0..n-1, however far outside. */
ENDO_HD int endo_ahe_mirror(int i, int n) {
    int period = 2 * n, at = i % period;
    if (at < 0) at += period;
    return at < n ? at : period - 1 - at;
}

/* The most that a bin keeps of n pixels under a contrast limit; 0 for no limit. */
ENDO_HD int endo_ahe_clip(double limit, double n) {
    if (limit == 0) return 0;
    double clip = floor(limit * n / ENDO_AHE_BINS + 0.5);
    return clip < 1 ? 1 : clip > n ? (int)n : (int)clip;
}

/* Levels that occur, in `groups` groups that follow one another, each of about as many pixels: the group of a level that
 * `count` of all pixels have and `below` are under. A level of twice a group's share has a group of its count. */
ENDO_HD uint32_t endo_ahe_group(uint64_t below, uint64_t count, uint64_t all, uint32_t groups) {
    return (uint32_t)((2 * below + count) * groups / (2 * all));
}

/* Without a limit: rank = pixels of the window that are not above the centre; n = all of them. */
ENDO_HD uint32_t endo_ahe_plain(uint32_t rank, uint32_t n, uint32_t top) {
    return (uint32_t)((uint64_t)rank * top / n);
}

/* What the clipped histogram says about the bin of the centre. All counts together make n. */
typedef struct endo_ahe_bin {
    uint64_t below; /* sum of the bins under it, clipped */
    uint64_t count;   /* the bin itself, clipped */
    uint64_t cut;   /* what was cut off all bins, to be spread over 256 */
    uint32_t bin;   /* its number */
    uint32_t part, width; /* of its width levels, how many are not above the centre: 1 of 1 for 8 bits */
} endo_ahe_bin;

/* floor(top * cdf / n), cdf with the denominator 256 * width. */
ENDO_HD uint32_t endo_ahe_limited(const endo_ahe_bin *b, uint64_t n, uint32_t top) {
    uint64_t cdf = (256 * b->below + b->cut * b->bin) * b->width + b->part * (256 * b->count + b->cut);
    return (uint32_t)(cdf * top / (256 * n * b->width));
}

/* Bin, and part of it, of a 16-bit pixel: 256 bins of `width` levels from low, values beyond are clamped. */
ENDO_HD void endo_ahe_bin_of_16(int v, int low, int high, int width, uint32_t *bin, uint32_t *part) {
    int above = (v < low ? low : v > high ? high : v) - low;
    *bin = (uint32_t)(above / width);
    *part = (uint32_t)(above % width) + 1;
}

#endif
