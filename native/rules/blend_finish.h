/* Finishing a blend: its two bands are put together, details of the narrow mean, light of the broad one, in integers, but for
 * means of pixels, which are quotients of doubles that equal those of integers.
 *
 * Each cell of the panorama has a broad and a narrow mean of the same samples. Their difference, smoothed by a binomial
 * kernel over the cells that were seen (normalised, without the others), and interpolated between the middles of the cells,
 * is added to each narrow pixel. Then the holes that highlights leave are lifted (blend_holes.h). */
#ifndef ENDO_RULES_BLEND_FINISH_H
#define ENDO_RULES_BLEND_FINISH_H

#include "blend.h"

/* Reach of the kernel, cells to either side. */
#define ENDO_BLEND_LIGHT_REACH 4
/* Fractional bits of the light below 1/4096 of the range. */
#define ENDO_BLEND_FINE 4

/* -------------------------------------------------------------------- light */

/* A sum of three weighted channels, and of their weights. */
typedef struct endo_blend_light {
    int32_t value[3];
    int32_t weight;
} endo_blend_light;

/* Binomial, together 256: a standard deviation of the square root of 2 cells. k: cells aside, -4..4. */
ENDO_HD int32_t endo_blend_light_share(int k) {
    const int16_t shares[ENDO_BLEND_LIGHT_REACH + 1] = {70, 56, 28, 8, 1};
    return shares[k < 0 ? -k : k];
}

ENDO_HD uint32_t endo_blend_mean(uint32_t sum, uint32_t weight) { return (sum + weight / 2) / weight; }

/* By how much the broad mean of a cell is brighter than the narrow one; weight 0: nothing was seen there. */
ENDO_HD endo_blend_light endo_blend_light_of(const endo_blend_cell *cell) {
    endo_blend_light light = {{0, 0, 0}, cell->narrow_weight != 0};
    for (int c = 0; c < 3 && light.weight; c++)
        light.value[c] = (int32_t)endo_blend_mean(cell->broad[c], cell->broad_weight) -
                         (int32_t)endo_blend_mean(cell->narrow[c], cell->narrow_weight);
    return light;
}

/* Adds a cell, or the smoothed row of one, that lies k cells aside. */
ENDO_HD void endo_blend_light_add(endo_blend_light *total, int k, const endo_blend_light *light) {
    int32_t share = endo_blend_light_share(k);
    for (int c = 0; c < 3; c++) total->value[c] += share * light->value[c];
    total->weight += share * light->weight;
}

/* The light of a smoothed cell, with FINE fractional bits. */
ENDO_HD int32_t endo_blend_light_mean(int32_t value, int32_t weight) {
    return weight ? (int32_t)((int64_t)value * (1 << ENDO_BLEND_FINE) / weight) : 0;
}

/* Between the middles of four cells, for the pixel i, j = 0..3 of the first: its own number, those of the cells beside it,
 * above or below, and of the fourth. At the edge of the blend a cell stands for the one that is missing. */
ENDO_HD int32_t endo_blend_between(int i, int j, const int32_t of[4]) {
    int32_t across = (int32_t)endo_blend_cell_share(i);
    int32_t down = (int32_t)endo_blend_cell_share(j);
    int32_t near = across * of[0] + (8 - across) * of[1];
    int32_t far = across * of[2] + (8 - across) * of[3];
    return (down * near + (8 - down) * far) / 64;
}

/* ------------------------------------------------------------------- pixels */

/* The narrow mean of a pixel of 8 bits a channel, with FINE fractional bits; weight > 0. Exact: below 2^53 a quotient of
 * doubles rounds up to no whole number, and it takes less time than one of integers. */
ENDO_HD int32_t endo_blend_narrow_mean(uint32_t sum, uint32_t weight) {
    return (int32_t)(((double)sum * (1 << ENDO_BLEND_FINE) + (double)(weight / 2)) / (double)weight);
}

/* The narrow mean of a pixel of 16 bits, in steps of 1/65536 of the range; weight > 0. Sums are less than 2^36, so that the
 * quotient of doubles is exact. */
ENDO_HD int32_t endo_blend_narrow_mean16(uint64_t sum, uint64_t weight) {
    return (int32_t)((double)(sum + weight / 2) / (double)weight);
}

/* Where the frames that see a cell best do not reach a pixel, and the others are faint beside them, it has no weight, and
 * takes the value of the cell; of that light is part. */
ENDO_HD int32_t endo_blend_broad_value(const endo_blend_cell *cell, int c) {
    return (int32_t)endo_blend_mean(cell->broad[c], cell->broad_weight) * (1 << ENDO_BLEND_FINE);
}

/* A frame whose weight is least may reach a pixel at its edge without weight in it or in its cell. */
ENDO_HD int endo_blend_is_painted(uint32_t coverage, uint32_t weight, const endo_blend_cell *cell) {
    return coverage && (weight || cell->broad_weight);
}

/* A finished channel. 8 bit: FINE bits below 1/16 of a level are 1/256. */
ENDO_HD uint32_t endo_blend_level(int32_t value) {
    int32_t level = (value + 128) >> 8;
    return (uint32_t)(level < 0 ? 0 : level > 255 ? 255 : level);
}

ENDO_HD uint32_t endo_blend_level16(int32_t value) { return (uint32_t)(value < 0 ? 0 : value > 65535 ? 65535 : value); }

#endif
