/* A lens: its table, and frames and masks undistorted by it. Arguments are checked by api/. */
#ifndef ENDO_SYSTEMS_LENS_H
#define ENDO_SYSTEMS_LENS_H

#include "backend/objects.h"
#include "rules/lens.h"

struct endo_lens {
    endo_lens_table table; /* first: it is read in vectors */
    endo_context *context;
    void *lens; /* the lens of the back end */
};

/* Factor from a pixel's distance from the middle to that at which the distorted frame shows it; NaN where no frame shows it,
 * however large. percent: the distortion at half of the longer side; square: the squared distance, px^2. */
double endo_lens_factor(double percent, int width, int height, double square);

/* Fills a table. */
void endo_lens_fill(double percent, int width, int height, endo_lens_table *table);

endo_status endo_lens_make(endo_context *context, int width, int height, double percent, endo_lens **out);
void endo_lens_free(endo_lens *lens);

/* A mask without the distortion (endorama/lens.h). */
void endo_lens_undistort_mask(const endo_lens_table *table, const uint8_t *shown, uint8_t *mask);

#endif
