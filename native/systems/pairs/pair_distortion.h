/* What the pixels of a pair say beyond its transform: perspective and a lens (endo_pair_result). */
#ifndef ENDO_SYSTEMS_PAIR_BEND_H
#define ENDO_SYSTEMS_PAIR_BEND_H

#include "distortion_fit.h"
#include "patch_grid.h"

/* Perspective and lens with their deviations, in the units of endo_pair_result; NaN: nothing is known. */
typedef struct endo_distortion_result {
    double perspective[2], perspective_deviation; /* 1/px */
    double lens, lens_deviation;
} endo_distortion_result;

/* By n patches under the pair's map, reference -> current, measured on the grid. Their weights change. room:
 * ENDO_DISTORTION_ROOM(n) numbers. */
endo_distortion_result endo_pair_distortion(const endo_patch_grid *g, const endo_transform *map, endo_patch *patches, size_t n,
                               double *room);

/* Nothing is known. */
endo_distortion_result endo_no_distortion(void);

#endif
