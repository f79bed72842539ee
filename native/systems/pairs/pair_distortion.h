/* Perspective and lens of a pair beyond its transform, by its pixels (endo_pair_result). */
#ifndef ENDO_SYSTEMS_PAIR_DISTORTION_H
#define ENDO_SYSTEMS_PAIR_DISTORTION_H

#include "distortion_fit.h"
#include "patch_grid.h"

/* Perspective and lens with their deviations, in the units of endo_pair_result; NaN: unknown. */
typedef struct endo_distortion_result {
    double perspective[2], perspective_deviation; /* 1/px */
    double lens, lens_deviation;
} endo_distortion_result;

/* Fits to n patches of the grid, measured under the pair's map, reference -> current. Changes their weights. workspace:
 * ENDO_DISTORTION_WORKSPACE(n) numbers. */
endo_distortion_result endo_pair_distortion(const endo_patch_grid *g, const endo_transform *map, endo_patch *patches, size_t n,
                               double *workspace);

#endif
